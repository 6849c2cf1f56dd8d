/** Whole applications on one log: what belongs to one of them, what a task costs that keeps nothing, and who does the work. */
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, type SettingsInput, StreamsBuilder, string, type Topology } from '../../lib/index.js';
import { createMemoryLeaseStore } from '../../lib/leases/memory/memory-lease-store.js';
import { LocalStreams, type LocalStreamsOptions } from '../../lib/local/index.js';
import { createMemoryLog } from '../../lib/log/memory/memory-log.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { taskId } from '../../lib/model/task-id.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';
import { runStandby } from '../../lib/runtime/run-standby.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';
import {
  countsOf,
  createTaskWorld,
  feedWords,
  INPUT,
  OUTPUT,
  someWords,
  startTask,
  stopTask,
  untilCommitted,
} from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const WAIT_MS = 20_000;
const text = { key: string(), value: string() };
const QUICK: SettingsInput = {
  heartbeatIntervalMs: 100,
  sessionTimeoutMs: 2_000,
  tickIntervalMs: 50,
  commitIntervalMs: 10,
  pollMs: 20,
  idleTimeoutMs: 0,
  statestoreCacheMaxBytes: 0,
};

const open: LocalStreams[] = [];
afterEach(async () => {
  for (const streams of open.splice(0)) await streams.close();
});

async function start(
  applicationId: string,
  topology: Topology,
  { settings = {}, ...options }: Partial<LocalStreamsOptions> & { readonly settings?: SettingsInput } = {},
): Promise<LocalStreams> {
  const streams = await LocalStreams.start({
    app: defineApp({ applicationId, topology, settings: { ...QUICK, ...settings } }),
    host: createNodeHost({ logger: listeningLogger([]) }),
    ...options,
  });
  open.push(streams);
  return streams;
}

/** Tells of each record that it is given, and counts it. */
function counting(onRecord: (key: string) => void = () => undefined): Topology {
  const builder = new StreamsBuilder();
  builder
    .stream('words', text)
    .peek((key) => onRecord(key))
    .groupByKey()
    .count({ store: 'counts' });
  return builder.build();
}

const append = (streams: LocalStreams, words: readonly string[]) =>
  streams.append(
    'words',
    text,
    words.map((word) => ({ key: word, value: word })),
  );

describe('an application’s id', () => {
  it('keeps two applications on one topic apart, each of which sees every record; members of one share them (feature A3)', async () => {
    const host = createNodeHost({ logger: listeningLogger([]) });
    const log = await createMemoryLog({ host });
    await log.createTopic({ name: 'words', partitions: 4, config: {} });
    const seen: Record<'one' | 'other', string[]> = { one: [], other: [] };
    const started = await Promise.all(
      (['one', 'other'] as const).map((id) =>
        start(
          id,
          counting((key) => seen[id].push(key)),
          { log, settings: { members: id === 'one' ? 3 : 1 } },
        ),
      ),
    );
    const words = someWords(200, 20);

    for (const streams of started.slice(0, 1)) await append(streams, words);
    for (const streams of started) await streams.untilCaughtUp(AbortSignal.timeout(WAIT_MS));

    expect(seen.one.sort()).toEqual([...words].sort());
    expect(seen.other.sort()).toEqual([...words].sort());
    const names = (await log.listTopics()).filter((name) => name.endsWith('-changelog'));
    expect([...names].sort()).toEqual(['one-counts-changelog', 'other-counts-changelog']);
    for (const streams of started)
      expect(await streams.query('counts', 'w1')).toMatchObject({ value: countsOf(words).get('w1') });
  });
});

describe('a deployment', () => {
  it('with another partitioner than the application began with is refused, and one with the same goes on (feature B14)', async () => {
    const host = createNodeHost({ logger: listeningLogger([]) });
    const log = await createMemoryLog({ host });
    const leases = createMemoryLeaseStore();
    await log.createTopic({ name: 'words', partitions: 2, config: {} });
    const byLength = (_topic: string, key: unknown, _value: unknown, count: number) => String(key).length % count;
    const byFirstLetter = (_topic: string, key: unknown, _value: unknown, count: number) =>
      String(key).charCodeAt(0) % count;
    const deploy = (partitioner: typeof byLength) => {
      const builder = new StreamsBuilder();
      builder.stream('words', text).repartition({ name: 'moved', partitioner }).groupByKey().count({ store: 'counts' });
      return start('moving', builder.build(), { log, leases, settings: { members: 1 } });
    };
    const first = await deploy(byLength);
    await append(first, ['a', 'bb']);
    await first.untilCaughtUp(AbortSignal.timeout(WAIT_MS));
    await first.close();

    await expect(deploy(byFirstLetter)).rejects.toMatchObject({
      code: 'STREAMS_PARTITIONER_CHANGED',
      details: { topic: 'moving-moved-repartition', recorded: 'byLength', partitioner: 'byFirstLetter' },
    });

    const again = await deploy(byLength);
    await append(again, ['a']);
    await again.untilCaughtUp(AbortSignal.timeout(WAIT_MS));
    expect((await again.state()).unowned).toEqual([]);
  });
});

describe('a task without stores', () => {
  it('starts without a look at changelogs or snapshots, and has nothing that standbys could keep (feature A4)', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream(INPUT, text)
      .mapValues((word) => word.toUpperCase())
      .to(OUTPUT);
    const world = await createTaskWorld({ topology: builder.build(), settings: { numStandbyReplicas: 1 } });
    await feedWords(world, ['a', 'b']);
    const called: string[] = [];
    const fetched: string[] = [];
    const ports: RuntimePorts = {
      ...world.ports,
      log: heard(world.ports.log, (method, [parts]) => {
        if (method === 'fetch') fetched.push(...(parts as readonly { topic: string }[]).map(({ topic }) => topic));
      }),
      snapshots: heard(world.ports.snapshots, (method) => called.push(method)),
    };

    const task = await startTask({ ...world, ports });
    await untilCommitted(world);
    await stopTask(task);
    await runStandby({ app: world.app, ports, taskIds: [taskId(0, 0)] });

    expect(new Set(fetched)).toEqual(new Set([INPUT]));
    expect(called).toEqual([]);
    expect(world.events.filter(({ event }) => event === 'restore-started')).toEqual([]);
  });
});

describe('what a processor calls outside', () => {
  it.each(['snapshot', 'hot'] as const)(
    'is called by the active task alone, once a record, while a %s standby follows it (feature A22)',
    async (standbyKind) => {
      const calls: string[] = [];
      const events: LoggedEvent[] = [];
      const streams = await start(
        'calls',
        counting((key) => calls.push(key)),
        {
          topics: [{ name: 'words', partitions: 2 }],
          host: createNodeHost({ logger: listeningLogger(events) }),
          settings: { members: 2, numStandbyReplicas: 1, standbyKind, snapshotIntervalMs: 100, snapshotMinRecords: 1 },
        },
      );
      const words = someWords(100, 20);
      const follows = standbyKind === 'hot' ? 'copy-started' : 'snapshot-written';

      await append(streams, words.slice(0, 50));
      await waitFor('a standby to follow', async () => events.some(({ event }) => event === follows), WAIT_MS);
      await append(streams, words.slice(50));
      await streams.untilCaughtUp(AbortSignal.timeout(WAIT_MS));

      expect([...calls].sort()).toEqual([...words].sort());
    },
  );
});

describe('more members than tasks', () => {
  it('have a task each as far as tasks go, and the rest nothing but copies (feature B18)', async () => {
    const streams = await start('wide', counting(), {
      topics: [{ name: 'words', partitions: 16 }],
      settings: { members: 20, numStandbyReplicas: 1, standbyKind: 'hot' },
    });

    await append(streams, someWords(200, 60));
    await streams.untilCaughtUp(AbortSignal.timeout(WAIT_MS));

    const { plan, members } = await streams.state();
    const placed = Object.values(plan?.assignment ?? {});
    expect(placed.map(({ active }) => active.length).sort((a, b) => a - b)).toEqual([0, 0, 0, 0, ...Array(16).fill(1)]);
    expect(new Set(placed.flatMap(({ active }) => active)).size).toBe(16);
    expect(placed.flatMap(({ standby }) => standby)).toHaveLength(16);
    expect(members.filter(({ tasks }) => tasks.length > 0)).toHaveLength(16);
  });
});

describe('a member with several tasks', () => {
  /** So long that a slice of the hot task is longer than the interval after which it lets others have their turn. */
  const BUSY_MS = 0.03;
  const SLICE_RECORDS = 1_000;
  const HOT_RECORDS = 20_000;

  it('gives each a turn: three that are quiet wait for few slices of one that is hot (feature B11)', async () => {
    let hot = 0;
    const waited: number[] = [];
    const askedAt = 5_000;
    let ask = () => {};
    const streams = await start(
      'fair',
      counting((key) => {
        if (key !== 'hot') {
          waited.push(hot - askedAt);
          return;
        }
        hot += 1;
        if (hot === askedAt) ask();
        for (const until = performance.now() + BUSY_MS; performance.now() < until; );
      }),
      { topics: [{ name: 'words', partitions: 4 }], settings: { members: 1 } },
    );
    const at = (partition: number, key: string, count: number) => {
      const records = new RecordSetBuilder();
      for (let index = 0; index < count; index += 1) records.append(Buffer.from(key), Buffer.from(key), index);
      return streams.log.append({ topic: 'words', partition }, records.build());
    };
    await streams.untilCaughtUp(AbortSignal.timeout(WAIT_MS));
    ask = () => void Promise.all([1, 2, 3].map((partition) => at(partition, `quiet-${partition}`, 1)));

    await at(0, 'hot', HOT_RECORDS);
    await streams.untilCaughtUp(AbortSignal.timeout(WAIT_MS));

    expect(hot).toBe(HOT_RECORDS);
    expect(waited).toHaveLength(3);
    expect(Math.max(...waited)).toBeLessThanOrEqual(4 * SLICE_RECORDS);
  });
});

/** A port that tells of each call before it is made. */
function heard<P extends object>(port: P, hear: (method: string, args: readonly unknown[]) => void): P {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        hear(String(property), args);
        return Reflect.apply(member, target, args);
      };
    },
  });
}
