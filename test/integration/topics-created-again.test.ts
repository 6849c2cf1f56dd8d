/** Topics that are deleted and created again: what a task does, and what an operator does after it. */
import { describe, expect, it } from 'vitest';
import type { MemoryLeaseStore } from '../../lib/leases/memory/memory-lease-store.js';
import { type Offset, offset } from '../../lib/model/offset.js';
import { taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import {
  countsOf,
  createTaskWorld,
  feedWords,
  INPUT,
  OUTPUT,
  type RunningTask,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';
import { differences, readCounts } from '../support/word-count-reader.js';

const TASK = taskId(0, 0);
const CHANGELOG = 'app-counts-changelog';
const input = { topic: INPUT, partition: 0 };
const KEY = topicPartitionKey(input);

async function count(world: TaskWorld, words: readonly string[]): Promise<void> {
  await feedWords(world, words);
  const task = await startTask(world);
  await untilCommitted(world);
  expect((await stopTask(task)).ended).toBe('released');
}

async function createAgain({ ports: { log } }: TaskWorld, topic: string): Promise<void> {
  const { config = {}, partitions = 1 } = (await log.describeTopics([topic])).get(topic) ?? {};
  await log.deleteTopic(topic);
  await log.createTopic({ name: topic, partitions, config });
}

/** What the last start of the task comes to, by its error. */
const refused = async (task: RunningTask) => {
  const { ended, error } = await task.outcome;
  return [ended, error?.code];
};

/** As `kafka-consumer-groups --reset-offsets` does. */
const setByHand = ({ ports: { log }, app }: TaskWorld, to: number) =>
  log.commitOffsets(app.applicationId, new Map([[KEY, { nextOffset: offset(to), metadata: '' }]]));

const deleteLease = ({ ports }: TaskWorld) => (ports.leases as MemoryLeaseStore).deleteItem('leases', TASK);

const wrongCounts = async ({ ports }: TaskWorld, words: readonly string[]) =>
  differences(await readCounts(ports.log, OUTPUT, 1), countsOf(words));

/** The last count of each word. */
async function lastCounts({ ports: { log } }: TaskWorld): Promise<Readonly<Record<string, number>>> {
  const options = { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 1 << 20 } as const;
  const [result] = await log.fetch([{ topic: OUTPUT, partition: 0, fromOffset: offset(0) }], options);
  const counts = [...(result?.records ?? [])].map(({ key, value }) => [
    Buffer.from(key ?? []).toString(),
    Number(Buffer.from(value ?? []).readBigInt64BE()),
  ]);
  return Object.fromEntries(counts);
}

const committed = async ({ ports: { log }, app }: TaskWorld): Promise<Offset | undefined> =>
  (await log.committedOffsets(app.applicationId, [input])).get(KEY)?.nextOffset;

describe('an input that is created again', () => {
  it('and filled beyond the position of a running task stops it, and every later run (trap 25)', async () => {
    const world = await createTaskWorld();
    await feedWords(world, ['a', 'b', 'a']);
    const running = await startTask(world);
    await untilCommitted(world);

    await createAgain(world, INPUT);
    await feedWords(world, ['x', 'x', 'x', 'x', 'x']);

    expect(await refused(running)).toEqual(['failed', 'STREAMS_LOST_OFFSETS']);
    expect(await refused(await startTask(world))).toEqual(['failed', 'STREAMS_LOST_OFFSETS']);
    expect(await wrongCounts(world, ['a', 'b', 'a'])).toEqual([]);
  });

  it('under a commit that was on its way stops the next run, whose committed offset is in range (trap 25)', async () => {
    const world = await createTaskWorld();
    await count(world, ['a', 'b', 'a']);
    const { ports, app } = world;
    const own = (await ports.log.committedOffsets(app.applicationId, [input])).get(KEY);

    await createAgain(world, INPUT);
    await ports.log.commitOffsets(app.applicationId, new Map(own === undefined ? [] : [[KEY, own]]));
    await feedWords(world, ['x', 'x', 'x', 'x', 'x']);

    expect(await committed(world)).toBe(own?.nextOffset);
    expect(await refused(await startTask(world))).toEqual(['failed', 'STREAMS_LOST_OFFSETS']);
    expect(await wrongCounts(world, ['a', 'b', 'a'])).toEqual([]);
  });

  it('is read from where an operator sets its offset, on top of the state that there is (trap 25)', async () => {
    const world = await createTaskWorld();
    await count(world, ['a', 'b', 'a']);
    await createAgain(world, INPUT);
    await feedWords(world, ['x', 'a', 'x', 'x']);
    expect(await refused(await startTask(world))).toEqual(['failed', 'STREAMS_LOST_OFFSETS']);

    await setByHand(world, 1);
    await count(world, ['b']);

    expect(await wrongCounts(world, ['a', 'b', 'a', 'a', 'x', 'x', 'b'])).toEqual([]);
    await count(world, ['a']);
    expect(await wrongCounts(world, ['a', 'b', 'a', 'a', 'x', 'x', 'b', 'a'])).toEqual([]);
  });

  it('and empty is begun at 0: nothing of it can be missed (trap 25)', async () => {
    const world = await createTaskWorld();
    await count(world, ['a', 'b', 'a']);
    await createAgain(world, INPUT);

    const idle = await startTask(world);
    await waitFor('the task to run', async () => idle.status.phase === 'running' || undefined);
    await stopTask(idle);
    await count(world, ['a', 'x']);

    expect(await wrongCounts(world, ['a', 'b', 'a', 'a', 'x'])).toEqual([]);
  });
});

describe('a changelog that is created again', () => {
  const lost = async (words: readonly string[]) => {
    const world = await createTaskWorld();
    await count(world, words);
    await createAgain(world, CHANGELOG);
    await feedWords(world, ['a']);
    expect(await refused(await startTask(world))).toEqual(['failed', 'STREAMS_LOST_STATE']);
    return world;
  };

  it('stops its task, and nothing is counted anew (trap 25)', async () => {
    const world = await lost(['a', 'b', 'a']);

    expect(await refused(await startTask(world))).toEqual(['failed', 'STREAMS_LOST_STATE']);
    expect([await committed(world), await wrongCounts(world, ['a', 'b', 'a'])]).toEqual([3, []]);
  });

  it('under a running task stops it within the session time-out (trap 25)', async () => {
    const world = await createTaskWorld();
    await feedWords(world, ['a', 'b', 'a']);
    const running = await startTask(world);
    await untilCommitted(world);

    await createAgain(world, CHANGELOG);

    expect(await refused(running)).toEqual(['failed', 'STREAMS_LOST_STATE']);
  });

  it('is counted anew once all offsets are set by hand (trap 25)', async () => {
    const world = await lost(['a', 'b', 'a']);

    await setByHand(world, 0);
    await count(world, ['b']);

    expect(await lastCounts(world)).toEqual({ a: 3, b: 2 });
  });

  it('is taken for what it is once the lease is deleted (trap 25)', async () => {
    const world = await lost(['a', 'b', 'a']);

    expect(deleteLease(world)).toBe(true);
    await count(world, ['b']);

    expect(await lastCounts(world)).toEqual({ a: 1, b: 1 });
    expect(Object.keys((await world.ports.leases.readLease(TASK))?.topicIds ?? {})).toEqual([CHANGELOG, INPUT]);
  });
});

describe('a lease of an earlier version', () => {
  it('names no topics: what is there is accepted once, and written down (trap 25)', async () => {
    const world = await createTaskWorld();
    await count(world, ['a', 'b', 'a']);
    const { ports } = world;
    const before = await ports.leases.readLease(TASK);
    deleteLease(world);
    const owner = { memberId: 'member-1', incarnation: 1 } as const;
    const taken = await ports.leases.takeLease({ taskId: TASK, owner, expected: null });
    const { epoch } = taken.item ?? { epoch: 0 as never };
    await ports.leases.releaseLease({ taskId: TASK, owner, epoch, offsets: before?.offsets ?? null });

    await count(world, ['a']);

    expect(await wrongCounts(world, ['a', 'b', 'a', 'a'])).toEqual([]);
    expect((await ports.leases.readLease(TASK))?.topicIds).toEqual(before?.topicIds);
  });
});
