import { expect, it } from 'vitest';
import { taskId } from '../../lib/model/task-id.js';
import { FreezablePorts } from '../support/freezable-ports.js';
import {
  countingTopology,
  countsOf,
  createTaskWorld,
  feedWords,
  OUTPUT,
  someWords,
  startTask,
  stopTask,
  untilCommitted,
  untilLogged,
} from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';
import { differences, readCounts } from '../support/word-count-reader.js';

const TASK = taskId(0, 0);

it('the commit of an owner that was frozen while its task moved is rejected and leaves no trace (trap 8)', async () => {
  const world = await createTaskWorld();
  const words = someWords(400);
  const freezable = new FreezablePorts(world.ports);
  const zombie = await startTask(world, { ports: freezable.ports });
  await feedWords(world, words.slice(0, 200));
  await untilCommitted(world);
  freezable.freezeAtNextCommit = true;
  await feedWords(world, words.slice(200, 300));
  await waitFor('the freeze in the commit', async () => freezable.isFrozen || undefined);

  const successor = await startTask(world, { member: 'member-2' });
  await feedWords(world, words.slice(300));
  await untilCommitted(world);
  freezable.thaw();
  const outcome = await zombie.outcome;
  await stopTask(successor);

  expect(outcome.ended).toBe('migrated');
  const rejected = await untilLogged(world, 'commit-rejected');
  expect(rejected.fields).toMatchObject({ taskId: TASK, code: 'STREAMS_PRODUCER_FENCED', leaseEpoch: 1 });
  expect(rejected.fields.producerEpoch).toBeTypeOf('number');
  expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
});

it('an owner that is fenced although the lease is its own takes a new lease epoch and goes on', async () => {
  const world = await createTaskWorld();
  const words = someWords(200);
  const task = await startTask(world);
  await feedWords(world, words.slice(0, 100));
  await untilCommitted(world);

  await world.ports.log.initProducer({ transactionalId: `app-${TASK}`, transactionTimeoutMs: 1_000 });
  await feedWords(world, words.slice(100));
  await untilCommitted(world);
  const outcome = await stopTask(task);

  expect(outcome.ended).toBe('released');
  expect((await world.ports.leases.readLease(TASK))?.epoch).toBe(2);
  expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
});

it('a stale owner that initialises late finds its lease gone and stops; the valid owner recovers (trap 8)', async () => {
  const world = await createTaskWorld();
  const words = someWords(300);
  const freezable = new FreezablePorts(world.ports);
  freezable.freeze();
  const late = await startTask(world, { ports: freezable.ports });
  const owner = await startTask(world, { member: 'member-2' });
  await feedWords(world, words.slice(0, 150));
  await untilCommitted(world);

  freezable.thaw();
  const outcome = await late.outcome;
  await feedWords(world, words.slice(150));
  await untilCommitted(world);
  await stopTask(owner);

  expect(outcome).toMatchObject({ ended: 'migrated', recordsCommitted: 0, error: { code: 'STREAMS_TASK_MIGRATED' } });
  expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
});

it('a task that has lost its slot commits nothing more and leaves the lease alone', async () => {
  let processed = 0;
  const topology = countingTopology(() => {
    processed += 1;
  });
  const world = await createTaskWorld({ topology, settings: { commitIntervalMs: 4_000 } });
  const task = await startTask(world);
  await feedWords(world, ['first']);
  await untilCommitted(world); // the first commit of a run waits for nothing
  await feedWords(world, someWords(50));
  await waitFor('records to be processed', async () => processed === 51 || undefined);

  task.stop.request('lost');
  const outcome = await task.outcome;

  expect(outcome).toMatchObject({ ended: 'left', recordsCommitted: 1 });
  expect((await world.ports.leases.readLease(TASK))?.owner).toEqual(task.owner);
  expect([...(await readCounts(world.ports.log, OUTPUT, 1)).keys()]).toEqual(['first']);
});
