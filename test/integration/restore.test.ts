import { beforeEach, describe, expect, it } from 'vitest';
import { UnknownOutcomeError } from '../../lib/model/errors.js';
import { offset } from '../../lib/model/offset.js';
import type { RecordSet } from '../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { type TaskId, taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import { KeptStores } from '../../lib/runtime/kept-stores.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';
import { runStandby } from '../../lib/runtime/run-standby.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import type { SnapshotStore } from '../../lib/snapshots/snapshot-store.js';
import { withCommitFaults } from '../support/faulty-log.js';
import type { LoggedEvent } from '../support/listening-logger.js';
import { CHANGELOG, contentOf, restored } from '../support/restored-store.js';
import {
  countsOf,
  createTaskWorld,
  feedWords,
  INPUT,
  OUTPUT,
  STORE,
  someWords,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';
import { differences, readCounts } from '../support/word-count-reader.js';

const TASK: TaskId = taskId(0, 0);

/** Runs the task over some words, in order, to its end. */
async function count(world: TaskWorld, words: readonly string[], kept?: KeptStores): Promise<void> {
  await feedWords(world, words);
  const task = await startTask(world, kept === undefined ? {} : { kept });
  await untilCommitted(world);
  await stopTask(task);
}

const last = (events: readonly LoggedEvent[], event: string) =>
  events.filter((line) => line.event === event).at(-1)?.fields;

/** The same objects, with one byte flipped in every segment that is not among those left intact. */
function withFlippedByte(store: SnapshotStore, intact: ReadonlySet<string> = new Set()): SnapshotStore {
  return {
    ...store,
    async read(name, range) {
      const bytes = await store.read(name);
      if (bytes === null) return null;
      const broken = Uint8Array.from(bytes);
      if (name.endsWith('.segment') && !intact.has(name)) broken[20] = (broken[20] ?? 0) ^ 1;
      return range === undefined ? broken : broken.subarray(range.from, range.to);
    },
  };
}

describe('a store restored in four ways', () => {
  let world: TaskWorld;
  let wanted: ReturnType<typeof contentOf>;

  beforeEach(async () => {
    world = await createTaskWorld({ settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 } });
    await count(world, someWords(300));
    await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    await count(world, someWords(200, 15, 2));
    wanted = contentOf((await restored(world, createMemorySnapshotStore())).store);
  });

  it('from the log alone: everything is read, because there is no snapshot', async () => {
    expect(wanted).toHaveLength(15);
    expect(last(world.events, 'restore-started')).toMatchObject({
      mode: 'log',
      fromOffset: 0,
      refused: ['no-snapshot'],
    });
    expect(last(world.events, 'restore-finished')).toMatchObject({ mode: 'log', store: STORE, ...CHANGELOG });
  });

  it('from snapshot and tail: only what came after the snapshot is read from the log', async () => {
    const { manifest, ...loaded } = await restored(world);

    expect(contentOf(loaded.store)).toEqual(wanted);
    expect(loaded.mode).toBe('snapshot+tail');
    expect(loaded.follower.recordsApplied).toBeLessThan(300);
    expect(last(world.events, 'restore-started')).toMatchObject({ fromOffset: manifest?.nextOffset, refused: [] });
  });

  it('after the snapshot was deleted: from the log, and says that there was none', async () => {
    for (const { name } of await world.ports.snapshots.list('')) await world.ports.snapshots.remove(name);

    const loaded = await restored(world);

    expect(contentOf(loaded.store)).toEqual(wanted);
    expect(last(world.events, 'restore-started')).toMatchObject({ mode: 'log', refused: ['no-snapshot'] });
  });

  it('after one byte was flipped: from the log, and says that a segment is corrupt', async () => {
    const loaded = await restored(world, withFlippedByte(world.ports.snapshots));

    expect(contentOf(loaded.store)).toEqual(wanted);
    expect(last(world.events, 'restore-started')).toMatchObject({ mode: 'log', refused: ['corrupt-segment'] });
  });
});

describe('a snapshot', () => {
  it('is written by the task itself where there is no standby, and holds committed state alone (trap 10)', async () => {
    const world = await createTaskWorld({ settings: { snapshotMinRecords: 1, snapshotIntervalMs: 0 } });
    await count(world, someWords(300));
    const wanted = contentOf((await restored(world, createMemorySnapshotStore())).store);

    const loaded = await restored(world);

    expect(world.events.map(({ event }) => event)).toContain('snapshot-written');
    expect(loaded.mode).toBe('snapshot+tail');
    expect(contentOf(loaded.store)).toEqual(wanted);
  });

  it('is advanced by a standby with the tail alone, deletes included', async () => {
    const world = await createTaskWorld({ settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 } });
    const append = async (fill: (builder: RecordSetBuilder) => void) => {
      const builder = new RecordSetBuilder();
      fill(builder);
      const records: RecordSet = builder.build();
      await world.ports.log.append(CHANGELOG, records);
    };
    await append((log) => {
      for (let key = 0; key < 100; key += 1) log.append(Buffer.from(`k${key}`), Buffer.from(`v${key}`), key);
    });
    const first = await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    await append((log) => {
      log.append(Buffer.from('k1'), null, 200);
      log.append(Buffer.from('k2'), Buffer.from('new'), 201);
      log.append(Buffer.from('never-there'), null, 202);
    });

    const second = await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    const third = await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });

    expect([first, second, third].map(({ stores }) => stores[0]?.did)).toEqual([
      'wrote-whole',
      'wrote-delta',
      'nothing',
    ]);
    const loaded = await restored(world);
    expect(loaded.follower.recordsApplied).toBe(0);
    expect(contentOf(loaded.store)).toEqual(contentOf((await restored(world, createMemorySnapshotStore())).store));
    expect(loaded.store.size).toBe(99);
  });

  it('that is corrupt gets no delta on top: the next one is whole again, and restores', async () => {
    const world = await createTaskWorld({ settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 } });
    await count(world, someWords(200, 300));
    await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    await count(world, someWords(3));
    const damaged = withFlippedByte(world.ports.snapshots);
    const whileDamaged = { ...world.ports, snapshots: { ...damaged, create: world.ports.snapshots.create } };

    const { stores } = await runStandby({ app: world.app, ports: whileDamaged, taskIds: [TASK] });

    expect(stores[0]?.did).toBe('wrote-whole');
    const loaded = await restored(world);
    expect(loaded.mode).toBe('snapshot+tail');
    expect(loaded.manifest?.segments.every(({ level }) => level === 'base')).toBe(true);
    expect(contentOf(loaded.store)).toEqual(contentOf((await restored(world, createMemorySnapshotStore())).store));
  });

  it('that is corrupt is passed over for the one before, and the tail after that is read (trap 19)', async () => {
    const world = await createTaskWorld({ settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 } });
    await count(world, someWords(200));
    await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    const intact = new Set((await world.ports.snapshots.list('')).map(({ name }) => name));
    await count(world, someWords(50, 15, 2));
    await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });

    const loaded = await restored(world, withFlippedByte(world.ports.snapshots, intact));

    const started = last(world.events, 'restore-started');
    expect(started).toMatchObject({ mode: 'snapshot+tail', refused: ['corrupt-segment'] });
    expect(intact).toContain(started?.snapshot);
    expect(contentOf(loaded.store)).toEqual(contentOf((await restored(world, createMemorySnapshotStore())).store));
  });

  it('of a topic that was deleted and created again is refused (trap 25)', async () => {
    const world = await createTaskWorld({ settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 } });
    await count(world, someWords(100));
    await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    await world.ports.log.deleteTopic(CHANGELOG.topic);
    await world.ports.log.createTopic({
      name: CHANGELOG.topic,
      partitions: 1,
      config: { 'cleanup.policy': 'compact' },
    });

    const loaded = await restored(world);

    expect(loaded.store.size).toBe(0);
    expect(last(world.events, 'restore-started')).toMatchObject({ mode: 'log', refused: ['topic-recreated'] });
  });
});

describe('a store kept in memory', () => {
  it('is used by the next run in the same process without reading anything', async () => {
    const world = await createTaskWorld();
    const kept = new KeptStores();
    await count(world, someWords(100), kept);

    await count(world, someWords(100, 10, 5), kept);

    expect(last(world.events, 'restore-finished')).toMatchObject({ mode: 'memory', records: 0 });
    const words = [...someWords(100), ...someWords(100, 10, 5)];
    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  it('is brought up to date from the log after another process ran the task', async () => {
    const world = await createTaskWorld();
    const kept = new KeptStores();
    await count(world, someWords(100), kept);
    await count(world, someWords(50, 10, 3));

    await count(world, someWords(100, 10, 5), kept);

    expect(last(world.events, 'restore-finished')).toMatchObject({ mode: 'memory' });
    const words = [...someWords(100), ...someWords(50, 10, 3), ...someWords(100, 10, 5)];
    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  it('of another life of the changelog topic is refused (trap 25)', async () => {
    const world = await createTaskWorld();
    const kept = new KeptStores();
    await count(world, someWords(100), kept);
    await world.ports.log.deleteTopic(CHANGELOG.topic);
    await world.ports.log.createTopic({
      name: CHANGELOG.topic,
      partitions: 1,
      config: { 'cleanup.policy': 'compact' },
    });
    const byHand = { nextOffset: offset(100), metadata: '' };
    await world.ports.log.commitOffsets('app', new Map([[topicPartitionKey({ topic: INPUT, partition: 0 }), byHand]]));

    await count(world, ['w1'], kept);

    const started = last(world.events, 'restore-started');
    expect(started).toMatchObject({ mode: 'log', refused: ['memory: topic-recreated', 'no-snapshot'] });
  });
});

describe('a restore that can not end', () => {
  const stalledBy = async (prepare: (ports: RuntimePorts) => Promise<unknown>) => {
    const world = await createTaskWorld({ settings: { restoreStallTimeoutMs: 150 } });
    await count(world, someWords(20));
    await prepare(world.ports);
    return restored(world);
  };

  it('stops without progress, and names the open transaction that hangs (trap 6)', async () => {
    const stalled = stalledBy(async ({ log }) => {
      const producer = await log.initProducer({ transactionalId: 'somebody-else', transactionTimeoutMs: 10_000 });
      const builder = new RecordSetBuilder();
      builder.append(Buffer.from('k'), Buffer.from('v'), 1);
      await producer.send(CHANGELOG, builder.build());
    });

    await expect(stalled).rejects.toMatchObject({ code: 'STREAMS_RESTORE_STALLED' });
    await expect(stalled).rejects.toThrow(/a transaction is open/);
  });
});

describe('committed offsets', () => {
  const inputs = [{ topic: 'words', partition: 0 }];

  it('that are gone although the task has worked stop it, with the store untouched', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(50));
    const forgetful = withoutOffsets(world.ports);
    const crashed = await startTask(world, { incarnation: 2 });
    crashed.crash();
    await crashed.outcome;

    const outcome = await (await startTask(world, { incarnation: 3, ports: forgetful })).outcome;

    expect(outcome).toMatchObject({ ended: 'failed', error: { code: 'STREAMS_LOST_OFFSETS' } });
  });

  it('that are gone after a clean release are taken from the lease', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(50));
    await feedWords(world, someWords(50, 10, 9));

    const task = await startTask(world, { incarnation: 2, ports: withoutOffsets(world.ports) });
    await untilCommitted(world);
    await stopTask(task);

    const words = [...someWords(50), ...someWords(50, 10, 9)];
    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  it('that are gone while the task runs stop it: those of its last release are old by then', async () => {
    const world = await createTaskWorld();
    await count(world, ['a']);
    let areGone = false;
    const log = new Proxy(world.ports.log, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        if (property !== 'committedOffsets') return member.bind(target);
        return async (...asked: unknown[]) => (areGone ? new Map() : Reflect.apply(member, target, asked));
      },
    });
    const ports = withCommitFaults({ ...world.ports, log }, () =>
      areGone ? async () => Promise.reject(new UnknownOutcomeError('the connection broke')) : null,
    );
    const task = await startTask(world, { incarnation: 2, ports });
    await feedWords(world, ['b']);
    await untilCommitted(world);
    await waitFor('the commit to be known', async () => task.status.commits > 0 || undefined);
    areGone = true;
    await feedWords(world, ['c']);

    expect(await task.outcome).toMatchObject({ ended: 'failed', error: { code: 'STREAMS_LOST_OFFSETS' } });
  });

  it.each(['earliest', 'latest'] as const)(
    'that the log no longer has stop the task, whatever the reset policy: %s (trap 24)',
    async (autoOffsetReset) => {
      const world = await createTaskWorld({ settings: { autoOffsetReset } });
      await count(world, someWords(20));
      await feedWords(world, someWords(20));
      await world.ports.log.deleteRecords(new Map([[topicPartitionKey({ topic: 'words', partition: 0 }), offset(30)]]));

      const outcome = await (await startTask(world, { incarnation: 2 })).outcome;

      expect(outcome).toMatchObject({ ended: 'failed', recordsCommitted: 0, error: { code: 'STREAMS_LOST_OFFSETS' } });
    },
  );

  it('of a clean release are not taken for a topic that was created again: nothing is skipped (trap 25)', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(5));
    await world.ports.log.deleteTopic('words');
    await world.ports.log.createTopic({ name: 'words', partitions: 1, config: {} });
    await feedWords(world, someWords(10));

    const outcome = await (await startTask(world, { incarnation: 2 })).outcome;

    expect(outcome).toMatchObject({ ended: 'failed', recordsCommitted: 0, error: { code: 'STREAMS_LOST_OFFSETS' } });
  });

  it('are committed at a first start before anything is processed', async () => {
    const world = await createTaskWorld({ settings: { autoOffsetReset: 'latest' } });
    await feedWords(world, someWords(30));
    const task = await startTask(world);
    await untilCommitted(world);
    task.crash();
    await task.outcome;
    await feedWords(world, ['w1']);

    const next = await startTask(world, { incarnation: 2 });
    await untilCommitted(world);
    await stopTask(next);

    expect((await world.ports.log.committedOffsets('app', inputs)).size).toBe(1);
    expect([...(await readCounts(world.ports.log, OUTPUT, 1))]).toEqual([['w1', [1]]]);
  });
});

/** Ports of a broker that has forgotten the group's offsets. */
function withoutOffsets(ports: RuntimePorts): RuntimePorts {
  const log = new Proxy(ports.log, {
    get(target, property) {
      if (property === 'committedOffsets') return async () => new Map();
      const member: unknown = Reflect.get(target, property);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { ...ports, log };
}
