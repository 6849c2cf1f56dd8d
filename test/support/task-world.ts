/** One application on the embedded ports, run task by task: the data plane without a scheduler. */
import type { Host } from '../../lib/host/host.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { createMemoryInvoker } from '../../lib/invoke/memory/memory-invoker.js';
import { createMemoryLeaseStore } from '../../lib/leases/memory/memory-lease-store.js';
import type { Incarnation, Plan } from '../../lib/leases/records.js';
import { createMemoryLog } from '../../lib/log/memory/memory-log.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import type { SettingsInput } from '../../lib/model/settings.js';
import { parseTaskId, type TaskId, taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import type { ProcessorContext } from '../../lib/processor/processor-context.js';
import type { StreamRecord } from '../../lib/processor/stream-record.js';
import { KeptStores } from '../../lib/runtime/kept-stores.js';
import type { MemberRestores } from '../../lib/runtime/member-restores.js';
import { mortalPorts } from '../../lib/runtime/mortal-ports.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';
import { runTask, type TaskOutcome } from '../../lib/runtime/run-task.js';
import { StopSource } from '../../lib/runtime/stop.js';
import { loadTaskDirectory } from '../../lib/runtime/task-directory.js';
import { TaskStatus } from '../../lib/runtime/task-status.js';
import { long } from '../../lib/serde/number-serdes.js';
import type { Serde } from '../../lib/serde/serde.js';
import { string } from '../../lib/serde/string-serde.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import type { KeyValueStore } from '../../lib/state/state-store.js';
import { defineApp, type StreamsApp } from '../../lib/topology/app.js';
import { defaultPartition } from '../../lib/topology/default-partitioner.js';
import { internalTopicSpecs } from '../../lib/topology/internal-topic-specs.js';
import { resolvePartitions } from '../../lib/topology/resolve-partitions.js';
import { keyValueStore } from '../../lib/topology/stores.js';
import type { Topology } from '../../lib/topology/topology.js';
import { TopologyBuilder } from '../../lib/topology/topology-builder.js';
import { type LoggedEvent, listeningLogger } from './listening-logger.js';
import { waitFor } from './wait-for.js';

export const INPUT = 'words';
export const OUTPUT = 'word-counts';
export const STORE = 'counts';

/** Counts words: one store, one sink, no repartition topic, so that each task can be looked at alone. */
export function countingTopology(
  onWord: (word: string) => void = () => undefined,
  value: Serde<string> = string(),
): Topology {
  return new TopologyBuilder()
    .addSource('source', INPUT, { key: string(), value })
    .addProcessor(
      'count',
      () => {
        let context: ProcessorContext<string, number>;
        let store: KeyValueStore<string, number>;
        return {
          init(given: ProcessorContext<string, number>) {
            context = given;
            store = given.getStateStore(STORE);
          },
          async process(record: StreamRecord<string, string>) {
            onWord(record.value);
            const count = ((await store.get(record.key)) ?? 0) + 1;
            await store.put(record.key, count);
            await context.forward(record.withValue(count));
          },
        };
      },
      { parents: 'source' },
    )
    .addStateStore(keyValueStore({ name: STORE, key: string(), value: long() }), 'count')
    .addSink('sink', OUTPUT, { parents: 'count', key: string(), value: long() })
    .build();
}

export interface TaskWorld {
  readonly app: StreamsApp;
  readonly ports: RuntimePorts;
  readonly events: LoggedEvent[];
  readonly partitions: number;
}

export interface RunningTask {
  readonly owner: Incarnation;
  readonly status: TaskStatus;
  readonly stop: StopSource;
  readonly outcome: Promise<TaskOutcome>;
  /** Ends it as if its process had died. */
  crash(): void;
}

const FAST: SettingsInput = {
  commitIntervalMs: 5,
  pollMs: 5,
  heartbeatIntervalMs: 20,
  sessionTimeoutMs: 400,
  idleTimeoutMs: 0,
  statestoreCacheMaxBytes: 0,
};

/** An application that counts words, with its topics, on fresh embedded ports. */
export async function createTaskWorld(
  given: { readonly settings?: SettingsInput; readonly partitions?: number; readonly topology?: Topology } = {},
): Promise<TaskWorld> {
  const { partitions = 1, topology = countingTopology() } = given;
  const events: LoggedEvent[] = [];
  const host: Host = createNodeHost({ logger: listeningLogger(events) });
  const log = await createMemoryLog({ host });
  const app = defineApp({ applicationId: 'app', topology, settings: { ...FAST, ...given.settings } });
  for (const name of [INPUT, OUTPUT]) await log.createTopic({ name, partitions, config: {} });
  const resolved = resolvePartitions(app, new Map([[INPUT, partitions]]));
  for (const spec of internalTopicSpecs(app, resolved)) await log.createTopic(spec);
  const ports: RuntimePorts = {
    log,
    leases: createMemoryLeaseStore(),
    snapshots: createMemorySnapshotStore({ clock: host.clock }),
    invoker: createMemoryInvoker({ clock: host.clock, onFailure: () => undefined }),
    host,
  };
  return { app, ports, events, partitions };
}

/** Takes the lease of a task for the next incarnation of a member, and runs it. */
export async function startTask(
  world: TaskWorld,
  given: {
    readonly member?: Incarnation['memberId'];
    readonly incarnation?: number;
    readonly taskId?: TaskId;
    readonly kept?: KeptStores;
    readonly ports?: RuntimePorts;
    readonly restores?: MemberRestores;
  } = {},
): Promise<RunningTask> {
  const { app } = world;
  const id = given.taskId ?? taskId(0, 0);
  const owner = { memberId: given.member ?? 'member-1', incarnation: given.incarnation ?? 1 } as const;
  const previous = await world.ports.leases.readLease(id);
  const taken = await world.ports.leases.takeLease({ taskId: id, owner, expected: previous });
  if (!taken.applied) throw new Error(`the lease of ${id} was taken meanwhile`);
  const { tasks, partitionCounts, topicIds } = await loadTaskDirectory(app, world.ports.log, null);
  const task = tasks.get(id);
  if (task === undefined) throw new Error(`there is no task ${id}`);
  const death = new AbortController();
  const ports = mortalPorts(given.ports ?? world.ports, death.signal);
  const stop = new StopSource();
  const status = new TaskStatus(id, ports.host.clock.monotonic());
  const kept = given.kept ?? new KeptStores();
  const restores = given.restores === undefined ? {} : { restores: given.restores };
  const run = { app, ports, task, partitionCounts, topicIds, owner, lease: taken.item, previous, stop, status, kept };
  return { owner, status, stop, outcome: runTask({ ...run, ...restores }), crash: () => death.abort() };
}

/** Stops a task in order. */
export async function stopTask(task: RunningTask): Promise<TaskOutcome> {
  task.stop.request('stopped');
  return task.outcome;
}

/** Appends words, each to the partition of its key. */
export async function feedWords({ ports, partitions }: TaskWorld, words: readonly string[]): Promise<void> {
  const builders = Array.from({ length: partitions }, () => new RecordSetBuilder());
  for (const word of words) {
    const key = Buffer.from(word);
    builders[defaultPartition(key, null, partitions)]?.append(key, key, ports.host.clock.now());
  }
  for (const [partition, builder] of builders.entries()) {
    if (builder.size > 0) await ports.log.append({ topic: INPUT, partition }, builder.build());
  }
}

/** Waits until every input record of a task's partition is committed. */
export async function untilCommitted({ app, ports, partitions }: TaskWorld, only?: TaskId): Promise<void> {
  const wanted = only === undefined ? range(partitions) : [parseTaskId(only).partition];
  const inputs = wanted.map((partition) => ({ topic: INPUT, partition }));
  await waitFor('all input to be committed', async () => {
    const ends = await ports.log.listOffsets(inputs, 'highWatermark');
    const committed = await ports.log.committedOffsets(app.applicationId, inputs);
    const isDone = inputs
      .map(topicPartitionKey)
      .every((key) => (committed.get(key)?.nextOffset ?? 0) >= (ends.get(key) ?? 0));
    return isDone || undefined;
  });
}

/** How often each word is there. */
export function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** `count` words from a small vocabulary, the same for the same seed. */
export function someWords(count: number, vocabulary = 10, seed = 1): string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return `w${(state >>> 8) % vocabulary}`;
  });
}

/** Grants tasks to members by a new plan, and announces it. */
export async function grant(
  { ports }: TaskWorld,
  assignment: Readonly<Record<string, readonly TaskId[]>>,
  more: Partial<Pick<Plan, 'dead' | 'partitions'>> & {
    readonly standby?: Readonly<Record<string, readonly TaskId[]>>;
    readonly warmup?: Readonly<Record<string, readonly TaskId[]>>;
  } = {},
): Promise<Plan> {
  const newest = await ports.leases.readPlan();
  const plan: Plan = {
    number: (newest?.number ?? 0) + 1,
    createdAtMs: ports.host.clock.now(),
    reason: 'test',
    assignor: 'test',
    assignment: Object.fromEntries(
      Object.entries(assignment).map(([id, active]) => [
        id,
        { active, standby: more.standby?.[id] ?? [], warmup: more.warmup?.[id] ?? [] },
      ]),
    ),
    dead: more.dead ?? newest?.dead ?? [],
    partitions: more.partitions ?? {},
  };
  await ports.leases.writePlan(plan);
  for (const member of await ports.leases.listMembers()) await ports.leases.announcePlan(member.memberId, plan.number);
  return plan;
}

/** The first event of that name, once it has been logged. */
export function untilLogged({ events }: TaskWorld, event: string): Promise<LoggedEvent> {
  return waitFor(`the event ${event}`, async () => events.find((line) => line.event === event), 10_000);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
