import { afterEach, describe, expect, it } from 'vitest';
import type { RestoreReport } from '../../../lib/leases/records.js';
import type { Log } from '../../../lib/log/log.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { CopyRole } from '../../../lib/runtime/copy-roles.js';
import { KeptStores } from '../../../lib/runtime/kept-stores.js';
import { MemberCopies } from '../../../lib/runtime/member-copies.js';
import type { MemberRestores } from '../../../lib/runtime/member-restores.js';
import type { RuntimePorts } from '../../../lib/runtime/ports.js';
import { RestorePace } from '../../../lib/runtime/restore-pace.js';
import { RestorePlaces } from '../../../lib/runtime/restore-places.js';
import { runStandby } from '../../../lib/runtime/run-standby.js';
import { StateBudget } from '../../../lib/runtime/state-budget.js';
import { loadTaskDirectory } from '../../../lib/runtime/task-directory.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import { createMemorySnapshotStore } from '../../../lib/snapshots/memory/memory-snapshot-store.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { CHANGELOG, contentOf, restored } from '../../support/restored-store.js';
import {
  createTaskWorld,
  feedWords,
  INPUT,
  STORE,
  someWords,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../../support/task-world.js';
import { waitFor } from '../../support/wait-for.js';

const TASK: TaskId = taskId(0, 0);

const open: MemberCopies[] = [];
afterEach(async () => {
  for (const copies of open.splice(0)) await copies.stop();
});

const budgetOf = ({ ports: { host } }: TaskWorld, budgetBytes: number | null): StateBudget =>
  new StateBudget({ budgetBytes, logger: host.logger, metrics: host.metrics });

/** What copies share with the restores of tasks. */
type Shared = Pick<MemberRestores, 'places' | 'pace' | 'budget'>;

/** The places of a member that sees what others report in `others`. */
const placesOf = (
  { ports: { host } }: TaskWorld,
  limit: number,
  others: readonly RestoreReport[] = [],
): RestorePlaces =>
  new RestorePlaces({
    clock: host.clock,
    random: host.random,
    logger: host.logger,
    limit,
    reported: async () => undefined,
    readOthers: async () => [...others],
    changed: () => undefined,
  });

interface Copying {
  readonly copies: MemberCopies;
  readonly kept: KeptStores;
  /** Tasks that run here. */
  readonly running: Set<TaskId>;
  want(roles: Readonly<Record<TaskId, CopyRole>>): Promise<void>;
}

function copying(
  world: TaskWorld,
  kept = new KeptStores(),
  ports: RuntimePorts = world.ports,
  shared: Partial<Shared> = {},
): Copying {
  const running = new Set<TaskId>();
  const copies = new MemberCopies({
    ports,
    logger: ports.host.logger,
    kept,
    isRunning: (id) => running.has(id),
    restores: { pace: null, budget: budgetOf(world, null), places: placesOf(world, 0), ...shared },
  });
  open.push(copies);
  return {
    copies,
    kept,
    running,
    async want(roles) {
      const directory = await loadTaskDirectory(world.app, world.ports.log, null);
      copies.want(directory, new Map(Object.entries(roles) as [TaskId, CopyRole][]));
    },
  };
}

const endOf = async ({ ports }: TaskWorld) =>
  (await ports.log.listOffsets([CHANGELOG], 'lastStable')).get(topicPartitionKey(CHANGELOG)) ?? offset(0);

/** Waits until the copy has reached the changelog's end and knows it. */
const untilAtEnd = (world: TaskWorld, { kept }: Copying) =>
  waitFor('the copy to reach the end', async () => {
    const end = await endOf(world);
    const found = kept.find(TASK, STORE);
    return found !== null && found.nextOffset === end && found.endOffset === end ? found : undefined;
  });

/** A log that tells of each call before it is made. */
function heard(log: Log, hear: (method: string) => void): Log {
  return new Proxy(log, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        hear(String(property));
        return Reflect.apply(member, target, args);
      };
    },
  });
}

const truth = async (world: TaskWorld) => contentOf((await restored(world, createMemorySnapshotStore())).store);

const eventsOf = ({ events }: TaskWorld, name: string) => events.filter(({ event }) => event === name);

async function count(world: TaskWorld, words: readonly string[]): Promise<void> {
  await feedWords(world, words);
  const task = await startTask(world);
  await untilCommitted(world);
  await stopTask(task);
}

/** Appends counts to the changelog as a task would. */
async function write(world: TaskWorld, ...entries: readonly [string, string | null][]): Promise<void> {
  const records = new RecordSetBuilder();
  for (const [key, value] of entries)
    records.append(Buffer.from(key), value === null ? null : Buffer.from(value.padStart(8)), 5);
  await world.ports.log.append(CHANGELOG, records.build());
}

/** Appends a changelog of so many batches, of some kilobyte each. */
async function writeLong(world: TaskWorld, batches: number): Promise<void> {
  await count(world, someWords(10));
  for (let batch = 0; batch < batches; batch += 1)
    await write(world, ...Array.from({ length: 50 }, (_, index): [string, string] => [`w${index}`, String(batch)]));
}

describe('a copy', () => {
  it('equals the active store at the offset that it reports, while that is written (features F1, F2)', async () => {
    const world = await createTaskWorld();
    const here = copying(world);
    await here.want({ [TASK]: 'standby' });
    const active = await startTask(world);
    await feedWords(world, someWords(400));
    await untilCommitted(world);

    const copy = await untilAtEnd(world, here);

    expect(contentOf(copy.store)).toEqual(await truth(world));
    expect(here.kept.positions()).toEqual([
      { taskId: TASK, store: STORE, nextOffset: copy.nextOffset, endOffset: copy.nextOffset },
    ]);
    await stopTask(active);
  });

  it('has the memory that tasks leave, gives way when there is none, and is begun anew when there is again', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(400));
    const otherTask = taskId(0, 1);
    const budget = budgetOf(world, 1_000_000);
    const here = copying(world, new KeptStores(), world.ports, { budget });
    await here.want({ [TASK]: 'standby' });
    const { store } = await untilAtEnd(world, here);
    const { sizeBytes } = store;

    budget.check({ taskId: otherTask, store: STORE, bytes: 999_999, basis: 'measured' }); // a task comes first (H4)
    await waitFor('the copy to give way', async () => here.kept.find(TASK, STORE) === null || undefined);
    budget.drop(otherTask);
    const again = await untilAtEnd(world, here);

    expect(eventsOf(world, 'copy-refused').map(({ fields }) => fields)).toMatchObject([
      { taskId: TASK, store: STORE, reason: 'no-room', sizeBytes },
    ]);
    expect(contentOf(again.store)).toEqual(await truth(world));
  });

  it('on which a task is about to run does not give way', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(400));
    const budget = budgetOf(world, 1_000_000);
    const here = copying(world, new KeptStores(), world.ports, { budget });
    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);
    await here.want({ [TASK]: 'waiting' });

    budget.check({ taskId: taskId(0, 1), store: STORE, bytes: 999_999, basis: 'measured' });
    await write(world, ['w1', '7']);
    await untilAtEnd(world, here);

    expect(eventsOf(world, 'copy-refused')).toEqual([]);
  });

  it('that does not fit by what its snapshot says is not read', async () => {
    const world = await createTaskWorld({ settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 } });
    await count(world, someWords(300));
    await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    const budget = budgetOf(world, 100);
    const read: string[] = [];
    const snapshots = { ...world.ports.snapshots };
    snapshots.read = (name, range) => {
      read.push(name);
      return world.ports.snapshots.read(name, range);
    };
    const here = copying(world, new KeptStores(), { ...world.ports, snapshots }, { budget });
    await here.want({ [TASK]: 'standby' });

    await waitFor('the copy to be refused', async () => eventsOf(world, 'copy-refused').length > 0 || undefined);

    const [refused] = eventsOf(world, 'copy-refused');
    expect(refused?.fields).toMatchObject({ taskId: TASK, store: STORE, reason: 'no-room' });
    expect(Number(refused?.fields?.sizeBytes)).toBeGreaterThan(100);
    expect(here.kept.find(TASK, STORE)).toBeNull();
  });

  it('waits for its turn among the restores of all members, and for tasks before it', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(400));
    const others: RestoreReport[] = [{ taskId: taskId(0, 1), state: 'restoring', leftBytes: 9 }];
    const places = placesOf(world, 1, others);
    const here = copying(world, new KeptStores(), world.ports, { places });
    await here.want({ [TASK]: 'standby' });

    await waitFor('the copy to wait', async () => places.report()[0]?.state === 'waiting' || undefined);
    const whileWaiting = eventsOf(world, 'copy-started').length;
    others[0] = { taskId: taskId(0, 1), state: 'waiting', leftBytes: 9_000_000 };
    await world.ports.host.clock.sleep(1_200);
    const whileTaskWaits = eventsOf(world, 'copy-started').length;
    others.pop();
    await untilAtEnd(world, here);
    await waitFor('the place to be given back', async () => places.report().length === 0 || undefined);

    expect([whileWaiting, whileTaskWaits]).toEqual([0, 0]);
    expect(eventsOf(world, 'copy-caught-up')).toHaveLength(1);
  });

  it('gives its turn back to a task that waits, and goes on later where it stands', async () => {
    const world = await createTaskWorld();
    await writeLong(world, 60);
    const others: RestoreReport[] = [];
    const places = placesOf(world, 1, others);
    const pace = new RestorePace({
      maxBytesPerSecond: 20_000,
      maxConcurrent: 1,
      nowMs: world.ports.host.clock.monotonic(),
    });
    const here = copying(world, new KeptStores(), world.ports, { places, pace });
    await here.want({ [TASK]: 'standby' });
    const begun = await waitFor('the copy to have begun', async () => {
      const kept = here.kept.find(TASK, STORE);
      return kept !== null && kept.nextOffset > 0 ? kept : undefined;
    });

    others.push({ taskId: taskId(0, 1), state: 'waiting', leftBytes: 9_000_000 });
    await waitFor('the copy to give way', async () => places.report()[0]?.state === 'waiting' || undefined);
    const stoodAt = begun.nextOffset;
    await world.ports.host.clock.sleep(600);
    const stoodStillAt = begun.nextOffset;
    others.pop();
    pace.shareAmong(1);
    const copy = await waitFor('the copy to go on', async () => (begun.nextOffset > stoodAt ? begun : undefined));

    expect(stoodStillAt).toBe(stoodAt);
    expect(stoodAt).toBeLessThan(await endOf(world));
    expect(here.kept.find(TASK, STORE)).toBe(copy);
    expect(eventsOf(world, 'copy-started')).toHaveLength(1);
  });

  it('is read back at the pace of restores, and follows as fast as it goes', async () => {
    const world = await createTaskWorld();
    await writeLong(world, 20);
    const clock = world.ports.host.clock;
    const pace = new RestorePace({ maxBytesPerSecond: 20_000, maxConcurrent: 0, nowMs: clock.monotonic() });
    let paidBytes = 0;
    const spend = pace.spend.bind(pace);
    pace.spend = (bytes, nowMs) => {
      paidBytes += bytes;
      return spend(bytes, nowMs);
    };
    const here = copying(world, new KeptStores(), world.ports, { pace });
    const beganMs = clock.monotonic();
    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);
    const tookMs = clock.monotonic() - beganMs;
    const paidForFilling = paidBytes;
    await write(world, ['w1', '7'], ['w2', '8']);
    await untilAtEnd(world, here);

    expect(paidForFilling).toBeGreaterThan(1_000);
    expect(tookMs).toBeGreaterThanOrEqual((paidForFilling - pace.fetchMaxBytes - 1_000) / 20);
    expect(paidBytes).toBe(paidForFilling);
  });

  it('begins with the newest snapshot and reads only the tail', async () => {
    const world = await createTaskWorld({ settings: { snapshotMinRecords: 1, numStandbyReplicas: 1 } });
    await count(world, someWords(300));
    await runStandby({ app: world.app, ports: world.ports, taskIds: [TASK] });
    await write(world, ['w1', '7']);
    const here = copying(world);

    await here.want({ [TASK]: 'warmup' });
    const copy = await untilAtEnd(world, here);

    expect(contentOf(copy.store)).toEqual(await truth(world));
    expect(eventsOf(world, 'copy-started').at(-1)?.fields).toMatchObject({ role: 'warmup', mode: 'snapshot+tail' });
  });

  it('constructs no processor and opens no producer (features F3, F4)', async () => {
    let made = 0;
    const topology = new TopologyBuilder()
      .addSource('source', INPUT, { key: string(), value: string() })
      .addProcessor(
        'count',
        () => {
          made += 1;
          return { process: () => undefined };
        },
        { parents: 'source' },
      )
      .addStateStore(keyValueStore({ name: STORE, key: string(), value: long() }), 'count')
      .build();
    const world = await createTaskWorld({ topology });
    made = 0; // a topology asks its suppliers once when it is built
    await write(world, ['a', '1'], ['b', '2']);
    const called: string[] = [];
    const here = copying(world, new KeptStores(), {
      ...world.ports,
      log: heard(world.ports.log, (method) => called.push(method)),
    });

    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);

    expect(made).toBe(0);
    expect(new Set(called)).toEqual(new Set(['describeTopics', 'listOffsets', 'fetch']));
    expect(await world.ports.snapshots.list('')).toEqual([]);
  });

  it('never shows what was not committed', async () => {
    const world = await createTaskWorld();
    await write(world, ['a', '1']);
    const here = copying(world);
    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);
    const producer = await world.ports.log.initProducer({ transactionalId: 'open', transactionTimeoutMs: 5_000 });
    const records = new RecordSetBuilder();
    records.append(Buffer.from('never'), Buffer.from('there'), 5);
    await producer.send(CHANGELOG, records.build());

    await producer.abort();
    await write(world, ['b', '2']);
    const copy = await untilAtEnd(world, here);

    expect(contentOf(copy.store).map(([key]) => key)).toEqual(['a', 'b']);
  });

  it('is lagging by 0 on a quiet changelog that ends with a marker (features D8)', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(50));
    const here = copying(world);

    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);

    const [position] = here.kept.positions();
    expect(position?.endOffset).toBe(await endOf(world));
    expect(position?.nextOffset).toBe(position?.endOffset);
  });

  it('is begun anew where the log no longer has what comes next, and says so', async () => {
    const world = await createTaskWorld();
    await write(world, ['a', '1'], ['b', '2']);
    const kept = new KeptStores();
    const here = copying(world, kept);
    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);
    await here.copies.stop();
    await write(world, ['a', null], ['c', '3'], ['d', '4']);
    await world.ports.log.deleteRecords(new Map([[topicPartitionKey(CHANGELOG), offset(4)]]));

    const again = copying(world, kept);
    await again.want({ [TASK]: 'standby' });
    const copy = await untilAtEnd(world, again);

    expect(contentOf(copy.store).map(([key]) => key)).toEqual(['d']);
    expect(eventsOf(world, 'copy-refused').at(-1)?.fields).toMatchObject({ reason: 'below-log-start' });
  });

  it('is begun anew while it is followed, when its changelog is created again', async () => {
    const world = await createTaskWorld();
    await write(world, ['a', '1']);
    const here = copying(world);
    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);
    const before = (await world.ports.log.describeTopics([CHANGELOG.topic])).get(CHANGELOG.topic);
    if (before === undefined) throw new Error('no changelog');

    await world.ports.log.deleteTopic(CHANGELOG.topic);
    await world.ports.log.createTopic(before);
    await write(world, ['b', '2'], ['c', '3']);
    const copy = await untilAtEnd(world, here);

    expect(contentOf(copy.store).map(([key]) => key)).toEqual(['b', 'c']);
    expect(eventsOf(world, 'copy-lost')).not.toEqual([]);
  });

  it('goes on where it was after a log that was away', async () => {
    const world = await createTaskWorld();
    await write(world, ['a', '1']);
    let isAway = false;
    const log = heard(world.ports.log, (method) => {
      if (isAway && method === 'fetch') throw new UnavailableError('away');
    });
    const here = copying(world, new KeptStores(), { ...world.ports, log });
    await here.want({ [TASK]: 'standby' });
    const before = await untilAtEnd(world, here);

    isAway = true;
    await waitFor('the failure to be logged', async () => eventsOf(world, 'copies-not-followed')[0]);
    await write(world, ['b', '2']);
    isAway = false;
    const after = await untilAtEnd(world, here);

    expect(after).toBe(before);
    expect(contentOf(after.store).map(([key]) => key)).toEqual(['a', 'b']);
  });
});

describe('copies and tasks of one member', () => {
  it('a task that starts takes the copy where it stands, and reads the tail alone (features F9)', async () => {
    const world = await createTaskWorld();
    await count(world, someWords(200));
    const here = copying(world);
    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);
    await feedWords(world, someWords(10, 3, 5));

    here.running.add(TASK);
    const task = await startTask(world, { kept: here.kept, incarnation: 2 });
    await untilCommitted(world);

    const resumed = eventsOf(world, 'task-resumed').at(-1)?.fields;
    expect(resumed).toMatchObject({ restoredFrom: ['memory'], restoredRecords: 0 });
    await waitFor('the copy to be let go', async () => eventsOf(world, 'copy-ended')[0]);
    expect(eventsOf(world, 'copy-ended')[0]?.fields).toMatchObject({ because: 'taken' });
    await stopTask(task);
  });

  it('a task that has ended here leaves its stores to be followed, without a restore (features D15)', async () => {
    const world = await createTaskWorld();
    const here = copying(world);
    here.running.add(TASK);
    await here.want({ [TASK]: 'standby' });
    await feedWords(world, someWords(100));
    const task = await startTask(world, { kept: here.kept });
    await untilCommitted(world);

    await stopTask(task);
    here.running.delete(TASK);
    await here.want({ [TASK]: 'standby' });
    await write(world, ['new', '1']);
    const copy = await untilAtEnd(world, here);

    expect(contentOf(copy.store)).toEqual(await truth(world));
    expect(eventsOf(world, 'copy-started').map(({ fields }) => fields.mode)).toEqual(['memory']);
  });

  it('what is granted and still held elsewhere is followed on, and nothing is begun for it', async () => {
    const world = await createTaskWorld({ partitions: 2 });
    await write(world, ['a', '1']);
    const here = copying(world);
    await here.want({ [TASK]: 'standby' });
    await untilAtEnd(world, here);

    await here.want({ [TASK]: 'waiting', [taskId(0, 1)]: 'waiting' });
    await write(world, ['b', '2']);
    const copy = await untilAtEnd(world, here);

    expect(copy.store.size).toBe(2);
    expect(here.kept.find(taskId(0, 1), STORE)).toBeNull();
    expect(here.copies.taskIds).toEqual([]);
  });

  it('what is wanted no more is followed no more, and stays where it stands', async () => {
    const world = await createTaskWorld();
    await write(world, ['a', '1']);
    const here = copying(world);
    await here.want({ [TASK]: 'standby' });
    const copy = await untilAtEnd(world, here);

    await here.want({});
    await write(world, ['b', '2']);
    await here.copies.stop();

    expect(copy.nextOffset).toBeLessThan(await endOf(world));
    expect(here.kept.has(copy)).toBe(true);
  });
});
