import { describe, expect, it } from 'vitest';
import { UnknownOutcomeError } from '../../lib/model/errors.js';
import { offset } from '../../lib/model/offset.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import { KeptStores } from '../../lib/runtime/kept-stores.js';
import type { Serde } from '../../lib/serde/serde.js';
import { type CommitFault, withCommitFaults } from '../support/faulty-log.js';
import {
  countingTopology,
  countsOf,
  createTaskWorld,
  feedWords,
  INPUT,
  OUTPUT,
  someWords,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';
import { seededRandom } from '../support/text-of-words.js';
import { sleep } from '../support/wait-for.js';
import { differences, readCounts } from '../support/word-count-reader.js';

const CRASHES = 30;

async function crashOften(world: TaskWorld, words: readonly string[], seed: number): Promise<void> {
  const random = seededRandom(seed);
  const part = Math.ceil(words.length / CRASHES);
  for (let crash = 0; crash < CRASHES; crash += 1) {
    await feedWords(world, words.slice(crash * part, (crash + 1) * part));
    const task = await startTask(world, { member: crash % 2 === 0 ? 'member-1' : 'member-2', incarnation: crash + 1 });
    await sleep(random() * 25);
    task.crash();
    await task.outcome;
  }
  const last = await startTask(world, { member: 'member-3' });
  await untilCommitted(world);
  await stopTask(last);
}

describe('exactly once', () => {
  it('counts are 1 to n for every word when the owner crashes at random points and another takes over', async () => {
    const world = await createTaskWorld();
    const words = someWords(6_000);

    await crashOften(world, words, 7);

    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  it('a task that moves in order repeats nothing and restores nothing twice', async () => {
    const world = await createTaskWorld();
    const words = someWords(500);

    for (let move = 0; move < 5; move += 1) {
      await feedWords(world, words.slice(move * 100, (move + 1) * 100));
      const task = await startTask(world, { member: move % 2 === 0 ? 'member-1' : 'member-2', incarnation: move + 1 });
      await untilCommitted(world);
      expect((await stopTask(task)).ended).toBe('released');
    }

    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  const unknown = () => new UnknownOutcomeError('the connection broke');
  const afterTheFact: CommitFault = async (commit) => {
    await commit();
    throw unknown();
  };
  const beforeTheFact: CommitFault = async () => {
    throw unknown();
  };
  it.each([
    ['it had taken effect', afterTheFact],
    ['it had not', beforeTheFact],
  ])('a commit of unknown outcome neither loses nor repeats a record: %s', async (_, fault) => {
    const world = await createTaskWorld();
    let commits = 0;
    const ports = withCommitFaults(world.ports, () => {
      commits += 1;
      return commits % 3 === 0 ? fault : null;
    });
    const words = someWords(2_000);
    const task = await startTask(world, { ports });

    for (let start = 0; start < words.length; start += 200) {
      await feedWords(world, words.slice(start, start + 200));
      await sleep(8);
    }
    await untilCommitted(world);
    const outcome = await stopTask(task);

    expect(outcome.ended).toBe('released');
    expect(world.events.filter(({ event }) => event === 'commit-outcome-unknown').length).toBeGreaterThan(1);
    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'holds over unknown outcomes, fences, crashes and moves in any order (seed %i)',
    async (seed) => {
      const world = await createTaskWorld({ settings: { snapshotMinRecords: 50, snapshotIntervalMs: 20 } });
      const random = seededRandom(seed);
      const words = [...someWords(4_000, 12, seed)];
      const fence = () =>
        world.ports.log.initProducer({ transactionalId: `app-${taskId(0, 0)}`, transactionTimeoutMs: 1_000 });
      const firstFaults = [0.05, 0.15, 0.25]; // one of each kind, however few commits there are
      const ports = withCommitFaults(world.ports, () => {
        const chance = firstFaults.pop() ?? random();
        if (chance < 0.1) return afterTheFact;
        if (chance < 0.2) return beforeTheFact;
        if (chance >= 0.3) return null;
        return async (commit) => {
          await fence();
          await commit();
        };
      });
      const kept = new KeptStores();
      for (let round = 0; round < 20; round += 1) {
        await feedWords(world, words.slice(round * 200, round * 200 + 100));
        const task = await startTask(world, { ports, kept, incarnation: round + 1 });
        await sleep(random() * 20);
        await feedWords(world, words.slice(round * 200 + 100, (round + 1) * 200));
        await sleep(random() * 20);
        if (random() < 0.5) task.crash();
        await stopTask(task);
      }
      const kinds = ['commit-outcome-unknown', 'commit-rejected', 'task-recovering'];
      const isSeen = (kind: string) => world.events.some(({ event }) => event === kind);
      // A crash may have hidden what a fault did. So once more, without crashes, until each kind has been seen to do something.
      for (let round = 0; round < 10 && !kinds.every(isSeen); round += 1) {
        firstFaults.push(0.05, 0.15, 0.25);
        const more = someWords(50, 12, seed + round);
        words.push(...more);
        await feedWords(world, more);
        const task = await startTask(world, { ports, kept, incarnation: 21 + round });
        await untilCommitted(world);
        await stopTask(task);
      }
      const last = await startTask(world, { member: 'member-2', kept });
      await untilCommitted(world);
      await stopTask(last);

      expect(kinds.filter((kind) => !isSeen(kind))).toEqual([]);
      expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
    },
  );

  it('a failure that lasts is given up after a bounded number of attempts, with no transaction open', async () => {
    const world = await createTaskWorld();
    await feedWords(world, ['a']);
    const ports = withCommitFaults(world.ports, () => beforeTheFact);

    const outcome = await (await startTask(world, { ports })).outcome;

    expect(outcome).toMatchObject({ ended: 'failed', error: { code: 'STREAMS_UNKNOWN_OUTCOME' } });
    expect((await world.ports.leases.readLease(outcome.taskId))?.owner).toBeNull();
    const at = [{ topic: OUTPUT, partition: 0 }];
    const key = topicPartitionKey({ topic: OUTPUT, partition: 0 });
    const stable = (await world.ports.log.listOffsets(at, 'lastStable')).get(key);
    expect(stable).toBe((await world.ports.log.listOffsets(at, 'highWatermark')).get(key));
  });
});

describe('at least once', () => {
  it('loses nothing when the owner crashes at random points', async () => {
    const world = await createTaskWorld({ settings: { processingGuarantee: 'at_least_once' } });
    const words = someWords(6_000);

    await crashOften(world, words, 11);

    const counts = await readCounts(world.ports.log, OUTPUT, 1);
    for (const [word, count] of countsOf(words))
      expect(Math.max(...(counts.get(word) ?? [0]))).toBeGreaterThanOrEqual(count);
  });
});

describe('a record that cannot be read', () => {
  const unreadable = Buffer.from([0xff, 0xfe]);
  const strict: Serde<string> = {
    serialize: (text) => Buffer.from(text),
    deserialize(bytes) {
      if (bytes[0] === 0xff) throw new Error('no text begins so');
      return Buffer.from(bytes).toString();
    },
  };
  async function withUnreadable(handler: 'fail' | 'continue' | { deadLetterTopic: string }) {
    const topology = countingTopology(undefined, strict);
    const world = await createTaskWorld({ topology, settings: { deserializationExceptionHandler: handler } });
    await world.ports.log.createTopic({ name: 'dead', partitions: 1, config: {} });
    const builder = new RecordSetBuilder();
    builder.append(Buffer.from('a'), Buffer.from('a'), 1);
    builder.append(Buffer.from('b'), unreadable, 2);
    builder.append(Buffer.from('a'), Buffer.from('a'), 3);
    await world.ports.log.append({ topic: INPUT, partition: 0 }, builder.build());
    return world;
  }

  it("'fail' stops the task, says where, and commits nothing beyond it", async () => {
    const world = await withUnreadable('fail');

    const outcome = await (await startTask(world)).outcome;

    expect(outcome).toMatchObject({ ended: 'failed', error: { code: 'STREAMS_DESERIALIZATION_FAILED' } });
    expect(outcome.error?.details).toMatchObject({ topic: INPUT, partition: 0, offset: 1 });
    const input = { topic: INPUT, partition: 0 };
    const committed = await world.ports.log.committedOffsets('app', [input]);
    expect(committed.get(topicPartitionKey(input))?.nextOffset ?? 0).toBeLessThanOrEqual(1);
  });

  it.each([
    ['continue', 'continue' as const],
    ['a dead-letter topic', { deadLetterTopic: 'dead' }],
  ])('%s: the offset advances, the record is counted as dropped, the others go through', async (_, handler) => {
    const world = await withUnreadable(handler);

    const task = await startTask(world);
    await untilCommitted(world);
    await stopTask(task);

    expect((await readCounts(world.ports.log, OUTPUT, 1)).get('a')).toEqual([1, 2]);
    const dropped = world.events.find(({ event }) => event === 'records-dropped');
    expect(dropped?.fields).toMatchObject({ reason: 'deserialization', count: 1, topic: INPUT, offset: 1 });
    const dead = await world.ports.log.fetch([{ topic: 'dead', partition: 0, fromOffset: offset(0) }], {
      isolation: 'readCommitted',
      maxWaitMs: 0,
      maxBytes: 10_000,
    });
    const letters = dead.reduce((sum, { records }) => sum + records.size, 0);
    expect(letters).toBe(handler === 'continue' ? 0 : 1);
  });
});

describe('user code that throws', () => {
  it('fails its task with the cause; nothing of the batch is committed and the lease is free', async () => {
    let isBroken = true;
    const topology = countingTopology((word) => {
      if (isBroken && word === 'bad') throw new Error('no such word');
    });
    const world = await createTaskWorld({ topology });
    await feedWords(world, ['good', 'bad', 'good']);

    const failed = await (await startTask(world)).outcome;
    isBroken = false;
    const task = await startTask(world, { incarnation: 2 });
    await untilCommitted(world);
    await stopTask(task);

    expect(failed).toMatchObject({ ended: 'failed', error: { code: 'STREAMS_PROCESSING_FAILED' } });
    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(['good', 'bad', 'good']))).toEqual([]);
  });
});
