/** Changelogs that are not what a restore hopes for: they begin late, shrink while they are read, or have something open in them. */
import { expect, it } from 'vitest';
import type { Log } from '../../lib/log/log.js';
import { offset } from '../../lib/model/offset.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import { runStandby } from '../../lib/runtime/run-standby.js';
import { CHANGELOG, contentOf, restored } from '../support/restored-store.js';
import {
  countsOf,
  createTaskWorld,
  feedWords,
  OUTPUT,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
  untilLogged,
} from '../support/task-world.js';
import { differences, readCounts } from '../support/word-count-reader.js';

const TASK = taskId(0, 0);
const KEY = topicPartitionKey(CHANGELOG);
const SNAPSHOTS = { snapshotMinRecords: 1, numStandbyReplicas: 1 };

const set = (...entries: readonly (readonly [string, string | null])[]) => {
  const builder = new RecordSetBuilder();
  for (const [key, value] of entries) builder.append(Buffer.from(key), value === null ? null : Buffer.from(value), 1);
  return builder.build();
};

const keysOf = async (world: TaskWorld) => contentOf((await restored(world)).store).map(([key]) => key);
const started = ({ events }: TaskWorld) => events.findLast(({ event }) => event === 'restore-started')?.fields;
const standby = ({ app, ports }: TaskWorld) => runStandby({ app, ports, taskIds: [TASK] });

/** The same log, with something that happens once: just before the changelog is first fetched. */
function beforeTheFirstFetch(log: Log, happen: () => Promise<unknown>): Log {
  let hasHappened = false;
  const fetch: Log['fetch'] = async (requests, options) => {
    if (!hasHappened && requests.some(({ topic }) => topic === CHANGELOG.topic)) {
      hasHappened = true;
      await happen();
    }
    return log.fetch(requests, options);
  };
  return new Proxy(log, {
    get: (target, property) => {
      if (property === 'fetch') return fetch;
      const member: unknown = Reflect.get(target, property);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

it('a changelog that does not start at 0 is restored from where it starts (trap 13)', async () => {
  const world = await createTaskWorld();
  await world.ports.log.append(CHANGELOG, set(['gone', '1'], ['a', '1'], ['b', '1']));
  await world.ports.log.deleteRecords(new Map([[KEY, offset(1)]]));

  expect(await keysOf(world)).toEqual(['a', 'b']);
  expect(started(world)).toMatchObject({ mode: 'log', fromOffset: 1 });
});

it('a snapshot below the start of its changelog is given up, since the gap may have had deletes, and says so (trap 12)', async () => {
  const world = await createTaskWorld({ settings: SNAPSHOTS });
  await world.ports.log.append(CHANGELOG, set(['a', '1'], ['deleted', '1']));
  await standby(world);
  await world.ports.log.append(CHANGELOG, set(['deleted', null], ['b', '1']));
  await world.ports.log.deleteRecords(new Map([[KEY, offset(3)]]));

  expect(await keysOf(world)).toEqual(['b']);
  expect(started(world)).toMatchObject({ mode: 'log', fromOffset: 3, refused: ['below-log-start'] });
});

it('a changelog that is trimmed while it is read is restored anew from its new start, and nothing of before stays (trap 15)', async () => {
  const world = await createTaskWorld();
  const { log } = world.ports;
  await log.append(CHANGELOG, set(['a', '1'], ['b', '1'], ['c', '1'], ['d', '1']));
  const trimmed = beforeTheFirstFetch(log, () => log.deleteRecords(new Map([[KEY, offset(2)]])));

  const loaded = await restored({ ...world, ports: { ...world.ports, log: trimmed } });

  expect(contentOf(loaded.store).map(([key]) => key)).toEqual(['c', 'd']);
  expect(started(world)).toMatchObject({ fromOffset: 2, refused: ['no-snapshot', 'log-moved'] });
});

it('a snapshot holds nothing of a transaction whose owner dies before its commit (trap 10)', async () => {
  const world = await createTaskWorld({ settings: SNAPSHOTS });
  const { log } = world.ports;
  await log.append(CHANGELOG, set(['a', '1']));
  const dying = await log.initProducer({ transactionalId: `app-${TASK}`, transactionTimeoutMs: 10_000 });
  await dying.send(CHANGELOG, set(['a', 'never'], ['b', 'never']));

  await standby(world);
  await (await log.initProducer({ transactionalId: `app-${TASK}`, transactionTimeoutMs: 10_000 })).close();
  const loaded = await restored(world);

  expect(loaded.manifest?.nextOffset).toBe(1);
  expect(contentOf(loaded.store)).toMatchObject([['a', Buffer.from('1').toString('hex'), 1]]);
});

it('an open transaction of somebody else does not hide what was committed behind it: the task waits, and counts right (trap 5)', async () => {
  const world = await createTaskWorld();
  const { log } = world.ports;
  const other = await log.initProducer({ transactionalId: 'somebody-else', transactionTimeoutMs: 60_000 });
  await other.send(CHANGELOG, set(['zzz', '12345678']));
  const first = await countBehind(world);
  await feedWords(world, ['a']);

  const next = await startTask(world, { incarnation: 2 });
  await untilLogged(world, 'restore-started');
  const phase = next.status.phase;
  await other.abort();
  await untilCommitted(world);
  await stopTask(next);

  expect([first, phase]).toEqual([['a', 'a', 'b'], 'restoring']);
  expect(differences(await readCounts(log, OUTPUT, 1), countsOf([...first, 'a']))).toEqual([]);
});

/** Commits, behind the open transaction, what a task that counts `a a b` would: its changelog, its output, its offsets. */
async function countBehind(world: TaskWorld): Promise<readonly string[]> {
  const words = ['a', 'a', 'b'];
  const count = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(value));
    return bytes;
  };
  const counted = (...of: readonly (readonly [string, number])[]) => {
    const builder = new RecordSetBuilder();
    for (const [word, value] of of) builder.append(Buffer.from(word), count(value), 1);
    return builder.build();
  };
  await feedWords(world, words);
  const { log } = world.ports;
  const producer = await log.initProducer({ transactionalId: `app-${TASK}`, transactionTimeoutMs: 10_000 });
  await producer.send(CHANGELOG, counted(['a', 2], ['b', 1]));
  await producer.send({ topic: OUTPUT, partition: 0 }, counted(['a', 1], ['a', 2], ['b', 1]));
  const input = topicPartitionKey({ topic: 'words', partition: 0 });
  await producer.sendOffsets('app', new Map([[input, { nextOffset: offset(3), metadata: '' }]]));
  await producer.commit();
  await producer.close();
  return words;
}
