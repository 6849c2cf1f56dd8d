import { expect, it } from 'vitest';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { CRASH, deathSignal, mortalPorts } from '../../../lib/runtime/mortal-ports.js';
import { createTaskWorld, OUTPUT } from '../../support/task-world.js';
import { readCounts } from '../../support/word-count-reader.js';

const one = () => {
  const builder = new RecordSetBuilder();
  builder.append(Buffer.from('w'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), 1);
  return builder.build();
};

it('after its death nothing that a process still tries has any effect, and nothing is logged', async () => {
  const world = await createTaskWorld();
  const death = new AbortController();
  const ports = mortalPorts(world.ports, death.signal);
  const producer = await ports.log.initProducer({ transactionalId: 'p', transactionTimeoutMs: 5_000 });
  await producer.send({ topic: OUTPUT, partition: 0 }, one());

  death.abort();

  await expect(producer.commit()).rejects.toMatchObject({ code: 'STREAMS_ABORTED' });
  await expect(ports.leases.readPlan()).rejects.toMatchObject({ code: 'STREAMS_ABORTED' });
  ports.host.logger.child({ a: 1 }).error('last-words');
  expect(world.events.map(({ event }) => event)).not.toContain('last-words');
  expect((await readCounts(world.ports.log, OUTPUT, 1)).size).toBe(0);
});

it('a call in progress ends at once when the process dies', async () => {
  const { ports } = await createTaskWorld();
  const death = new AbortController();
  const waiting = mortalPorts(ports, death.signal).host.clock.sleep(60_000);

  death.abort();

  await expect(waiting).rejects.toMatchObject({ code: 'STREAMS_ABORTED' });
});

it('a graceful stop is no death; the reason crash, or the signal for it, is', () => {
  const graceful = new AbortController();
  const crashing = new AbortController();
  const crash = new AbortController();
  const deaths = [
    deathSignal(graceful.signal, undefined),
    deathSignal(crashing.signal, undefined),
    deathSignal(undefined, crash.signal),
  ];

  graceful.abort();
  crashing.abort(CRASH);
  crash.abort();

  expect(deaths.map((death) => death?.aborted)).toEqual([false, true, true]);
});

it('where nothing can end a process, as on Lambda, its ports are the ports themselves', async () => {
  const { ports } = await createTaskWorld();

  expect(mortalPorts(ports, deathSignal(undefined, undefined))).toBe(ports);
});
