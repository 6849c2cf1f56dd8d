import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import type { Log } from '../../lib/log/log.js';
import { createMemoryLog } from '../../lib/log/memory/memory-log.js';
import { UnavailableError } from '../../lib/model/errors.js';
import type { SettingsInput } from '../../lib/model/settings.js';
import { taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';
import { long } from '../../lib/serde/number-serdes.js';
import { string } from '../../lib/serde/string-serde.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import { defaultPartition } from '../../lib/topology/default-partitioner.js';
import { CHANGELOG, contentOf, restored } from '../support/restored-store.js';
import {
  countingTopology,
  createTaskWorld,
  feedWords,
  INPUT,
  OUTPUT,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const OFF = Number.MAX_SAFE_INTEGER;
const WORDS = 3_000;

const words = (count: number) => Array.from({ length: count }, (_, index) => `word-${index}`);

/** A task whose changelog has one record for each of some words, and no snapshot. */
async function worldWithChangelog(settings: SettingsInput): Promise<TaskWorld & { readonly end: number }> {
  const world = await createTaskWorld({ settings: { snapshotMinRecords: OFF } });
  await feedWords(world, words(WORDS));
  const task = await startTask(world);
  await untilCommitted(world);
  await stopTask(task);
  const ends = await world.ports.log.listOffsets([CHANGELOG], 'highWatermark');
  world.events.length = 0;
  const app = { ...world.app, settings: { ...defineApp({ ...world.app, settings }).settings, pollMs: 5 } };
  return { ...world, app, end: ends.get(topicPartitionKey(CHANGELOG)) ?? 0 };
}

/** The world with an application that is told when a restore has come to half of the changelog. */
function atHalf(world: TaskWorld & { readonly end: number }, act: () => void): TaskWorld {
  const onBatchRestored = ({ nextOffset }: { nextOffset: number }) => {
    if (nextOffset >= world.end / 2) act();
  };
  return { ...world, app: { ...world.app, listeners: { onBatchRestored } } };
}

const SMALL_FETCHES: SettingsInput = { fetchMaxBytes: 4_096, snapshotMinRecords: 100, heartbeatIntervalMs: 1_000 };
const startedAt = ({ events }: TaskWorld) =>
  events.filter(({ event }) => event === 'restore-started').map(({ fields }) => Number(fields.fromOffset));

describe('a restore that is interrupted at half of its way', () => {
  it('by the deadline of its function: the next one, elsewhere, goes on from there', async () => {
    const world = await worldWithChangelog(SMALL_FETCHES);
    const wanted = contentOf((await restored(world, createMemorySnapshotStore())).store);
    world.events.length = 0;
    let stop = () => {};
    const first = await startTask(atHalf(world, () => stop()));
    stop = () => first.stop.request('draining');

    const { ended } = await first.outcome;
    const second = await startTask(world, { member: 'member-2' });
    await waitFor('the task to run', async () => second.status.phase === 'running' || undefined);
    await stopTask(second);

    expect(ended).toBe('released');
    const [from, again] = startedAt(world);
    expect(from).toBe(0);
    expect(again).toBeGreaterThanOrEqual(world.end / 2);
    expect(contentOf((await restored(world)).store)).toEqual(wanted);
  });

  it('by a crash: the next one goes on from what had been kept until then', async () => {
    const world = await worldWithChangelog({ ...SMALL_FETCHES, snapshotIntervalMs: 0 });
    let crash = () => {};
    const first = await startTask(atHalf(world, () => crash()));
    crash = () => first.crash();

    await first.outcome;
    const second = await startTask(world, { member: 'member-2' });
    await waitFor('the task to run', async () => second.status.phase === 'running' || undefined);
    await stopTask(second);

    const kept = world.events.filter(({ event }) => event === 'restore-progress-kept');
    expect(kept.length).toBeGreaterThan(0);
    expect(startedAt(world)[1]).toBeGreaterThanOrEqual(Number(kept[0]?.fields.nextOffset));
  });

  it('by a fetch that fails: the next attempt of the same process goes on from its memory', async () => {
    const world = await worldWithChangelog({ ...SMALL_FETCHES, snapshotMinRecords: OFF });
    let left = 10;
    const log = new Proxy(world.ports.log, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        if (property !== 'fetch') return member.bind(target);
        return async (...asked: unknown[]) => {
          left -= 1;
          if (left === 0) throw new UnavailableError('the broker is away');
          return Reflect.apply(member, target, asked);
        };
      },
    });
    const task = await startTask(world, { ports: { ...world.ports, log } });

    await waitFor('the task to run', async () => task.status.phase === 'running' || undefined);
    await stopTask(task);

    const started = world.events.filter(({ event }) => event === 'restore-started');
    expect(started[1]?.fields).toMatchObject({ mode: 'memory' });
    expect(started[1]?.fields.fromOffset).toBeGreaterThan(0);
  });

  it('keeps nothing that is not worth a snapshot', async () => {
    const world = await worldWithChangelog({ ...SMALL_FETCHES, snapshotMinRecords: WORDS });
    let stop = () => {};
    const first = await startTask(atHalf(world, () => stop()));
    stop = () => first.stop.request('draining');
    await first.outcome;

    expect(await world.ports.snapshots.list('')).toEqual([]);
  });
});

const TASKS = 50;

/** A log in which fifty tasks have state, and nothing else of them is left. */
async function fiftyColdTasks() {
  const log = await createMemoryLog({ host: createNodeHost() });
  const topics = [INPUT, OUTPUT].map((name) => ({ name, partitions: TASKS, config: {} }));
  const settings: SettingsInput = { members: 5, tasksPerMember: 10, commitIntervalMs: 20, snapshotMinRecords: OFF };
  const app = defineApp({ applicationId: 'app', topology: countingTopology(), settings });
  const streams = await LocalStreams.start({ app, log, topics });
  await streams.append(
    INPUT,
    { key: string(), value: string() },
    words(2_000).map((key) => ({ key, value: key })),
  );
  await streams.untilCaughtUp(AbortSignal.timeout(30_000));
  await streams.close();
  return { log, settings };
}

/** The log, telling what is read of changelogs and when. */
function watched(log: Log, read: (bytes: number) => void): Log {
  return new Proxy(log, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      if (property !== 'fetch') return member.bind(target);
      return async (...args: Parameters<Log['fetch']>) => {
        const results = await target.fetch(...args);
        for (const { topic, records } of results)
          if (topic === CHANGELOG.topic)
            read([...records].reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0));
        return results;
      };
    },
  });
}

describe('fifty cold tasks on five members, with a limit of five', () => {
  it('never restore more than five at once, stay below the bytes a second, and all come to run', async () => {
    const { log, settings } = await fiftyColdTasks();
    const bytesPerSecond = 20_000;
    let restoring = 0;
    let most = 0;
    let bytes = 0;
    const restoredTasks = new Set<string>();
    const waiting = new Set<string>();
    const app = defineApp({
      applicationId: 'app',
      topology: countingTopology(),
      settings: { ...settings, maxConcurrentRestores: 5, restoreMaxBytesPerSecond: bytesPerSecond },
      listeners: {
        onTaskState: ({ taskId: id, state }) => {
          if (state === 'waiting-to-restore') waiting.add(id);
        },
        onRestoreStart: () => {
          restoring += 1;
          most = Math.max(most, restoring);
        },
        onRestoreEnd: ({ taskId: id }) => {
          restoring -= 1;
          restoredTasks.add(id);
        },
      },
    });
    const startedMs = performance.now();

    const streams = await LocalStreams.start({ app, log: watched(log, (count) => (bytes += count)) });
    await waitFor('all tasks to be restored', async () => restoredTasks.size === TASKS || undefined, 60_000);
    const tookMs = performance.now() - startedMs;
    await streams.close();
    await log.close();

    expect(most).toBe(5);
    expect(waiting.size).toBeGreaterThanOrEqual(TASKS - 5);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes / (tookMs / 1_000)).toBeLessThan(bytesPerSecond);
  }, 120_000);
});

describe('a task whose store does not fit', () => {
  it('is refused by name, reported and tried again, while the others of its member run', async () => {
    const log = await createMemoryLog({ host: createNodeHost() });
    const topics = [INPUT, OUTPUT].map((name) => ({ name, partitions: 2, config: {} }));
    const settings: SettingsInput = { tasksPerMember: 2, commitIntervalMs: 20, heartbeatIntervalMs: 50 };
    const topology = countingTopology();
    const texts = { key: string(), value: string() };
    const first = await LocalStreams.start({
      app: defineApp({ applicationId: 'app', topology, settings }),
      log,
      topics,
    });
    const inFirst = words(3_000).filter((word) => defaultPartition(Buffer.from(word), null, 2) === 0);
    const inSecond = words(3_000).find((word) => defaultPartition(Buffer.from(word), null, 2) === 1) ?? '';
    await first.append(
      INPUT,
      texts,
      inFirst.map((key) => ({ key, value: key })),
    );
    await first.untilCaughtUp(AbortSignal.timeout(30_000));
    await first.close();

    const app = defineApp({
      applicationId: 'app',
      topology,
      settings: { ...settings, maxStateBytesPerMember: 50_000 },
    });
    let leases: RuntimePorts['leases'] | undefined;
    const portsOf = (_: unknown, ports: RuntimePorts) => {
      leases = ports.leases;
      return ports;
    };
    const second = await LocalStreams.start({ app, log, portsOf });
    await second.append(INPUT, texts, [{ key: inSecond, value: inSecond }]);
    const refused = await waitFor('the refusal to be reported', async () => {
      const members = await leases?.listMembers();
      return members?.flatMap(({ report }) => report.refused ?? [])[0];
    });
    const counts = await waitFor('the other task to count', async () => {
      const records = await second.read(OUTPUT, { key: string(), value: long() });
      return records.find(({ key }) => key === inSecond)?.value;
    });
    const state = second.streamsState;
    await second.close();
    await log.close();

    expect(refused).toMatchObject({ taskId: taskId(0, 0), store: 'counts', budgetBytes: 50_000, basis: 'measured' });
    expect(refused.estimatedBytes).toBeGreaterThan(50_000);
    expect(counts).toBe(1);
    expect(state).not.toContain('ERROR');
  }, 60_000);
});
