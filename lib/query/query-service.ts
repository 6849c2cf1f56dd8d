/**
 * Answers what a store holds for a key, from outside of the task: a follower on demand (docs/design.md §9).
 *
 * Invariants
 *   Q1  a fresh answer holds everything that was committed, and visible as such, when the question came
 *   Q2  an answer says as of which changelog offset it is, at least, and never holds anything uncommitted: where somebody else's
 *       transaction hangs open on a changelog, a snapshot may know what the task has committed beyond
 *   Q3  it needs no member: it answers the same while a task fails over
 */

import { asBuffer, byteKey } from '../model/byte-key.js';
import { QueryRefusedError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { Offset } from '../model/offset.js';
import type { TopicPartition } from '../model/topic-partition.js';
import type { RuntimePorts } from '../runtime/ports.js';
import { loadTaskDirectory, type TaskDirectory } from '../runtime/task-directory.js';
import type { StoredValue } from '../state/byte-store.js';
import { readStored } from '../state/read-stored.js';
import { type StreamsApp, storeTopic } from '../topology/app.js';
import { defaultPartition } from '../topology/default-partitioner.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { StoreSpec } from '../topology/store-spec.js';
import type { GlobalStore } from '../topology/topology.js';
import { WarmFollowers } from './warm-followers.js';
import { WarmGlobals } from './warm-globals.js';

export interface QueryServiceInit {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'>;
}

export interface QueryOptions {
  /**
   * Changelog offset that the answer must have reached, for reading one's own writes: it waits for the log to get there. Of a global
   * store: the offset in the partition of its topic to which the key belongs by the default partitioner.
   */
  readonly atLeast?: Offset;
  /** How old what is in memory may be, in milliseconds, to be answered without asking the log; default 0: fresh. */
  readonly maxStalenessMs?: number;
  readonly signal?: AbortSignal;
}

export interface QueryAnswer<V = unknown> {
  readonly found: boolean;
  /** Null if there is none. */
  readonly value: V | null;
  /** Timestamp of the record that wrote the value, in milliseconds; null if there is none. */
  readonly timestampMs: number | null;
  /**
   * The changelog partition, and the first offset that the answer does not know of. Of a global store: the partition of its topic to
   * which the key belongs by the default partitioner.
   */
  readonly asOf: TopicPartition & { readonly nextOffset: Offset };
  /** Global stores only: where the answer stands in each partition of the topic. */
  readonly positions?: readonly (TopicPartition & { readonly nextOffset: Offset })[];
}

/** Serves one application; keeps followers warm, so that the next question for a partition reads only what is new. */
export class QueryService {
  private readonly init: QueryServiceInit;
  private readonly followers: WarmFollowers;
  private readonly globals: WarmGlobals;
  private directory: TaskDirectory | null = null;

  constructor(init: QueryServiceInit) {
    this.init = init;
    this.followers = new WarmFollowers(init);
    this.globals = new WarmGlobals(init);
  }

  /**
   * What a store holds for a key.
   *
   * @throws {QueryRefusedError} STREAMS_QUERY_REFUSED: no such store, one without changelog, or no key of its type ·
   *   {RestoreStalledError} STREAMS_RESTORE_STALLED if `atLeast` is not reached in time · {UnknownTopicError}
   *   STREAMS_UNKNOWN_TOPIC before the application's first start
   */
  async get<V = unknown>(storeName: string, key: unknown, options: QueryOptions = {}): Promise<QueryAnswer<V>> {
    const spec = this.storeSpec(storeName);
    const { keySerde } = spec;
    await keySerde.lookups?.forTopic({ topic: storeTopic(this.init.app, storeName), part: 'key' });
    const keyBytes = serializeKey(spec, key);
    const global = this.init.app.topology.globalStores.get(storeName);
    if (global !== undefined) return this.getGlobal<V>(global, spec, keyBytes, options);
    const task = await this.taskOf(spec, keyBytes);
    const changelog = task.changelogs.find(({ store }) => store === storeName);
    if (changelog === undefined) throw refused(storeName, 'has no changelog: only its task can read it');
    const wanted = byteKey(keyBytes);
    const read = await this.followers.read(task.taskId, changelog, options, (store) => store.get(wanted));
    const { result, position } = read;
    return await answer<V>(spec, result, {
      topic: changelog.topic,
      partition: changelog.partition,
      nextOffset: position,
    });
  }

  /** Lets go of what is in memory; the service may be used again. */
  close(): void {
    this.followers.clear();
    this.globals.clear();
    this.directory = null;
  }

  private async getGlobal<V>(
    global: GlobalStore,
    spec: StoreSpec,
    keyBytes: Uint8Array,
    options: QueryOptions,
  ): Promise<QueryAnswer<V>> {
    const { atLeast, ...reach } = options;
    const partitionAmong = (count: number) => defaultPartition(keyBytes, null, Math.max(1, count));
    const goal = atLeast === undefined ? {} : { atLeast: { partitionAmong, offset: atLeast } };
    const wanted = byteKey(keyBytes);
    const { result, positions } = await this.globals.read(global, { ...reach, ...goal }, (store) => store.get(wanted));
    const own = positions[partitionAmong(positions.length)];
    const asOf = own ?? { topic: global.topic, partition: 0, nextOffset: 0 as Offset };
    return { ...(await answer<V>(spec, result, asOf)), positions };
  }

  private storeSpec(name: string): StoreSpec {
    const spec = this.init.app.topology.stores.get(name);
    if (spec === undefined) throw refused(name, 'is not in the topology');
    if (spec.kind !== 'keyValue' && spec.kind !== 'timestampedKeyValue')
      throw refused(name, `is a ${spec.kind} store: only its task can read it`);
    return spec;
  }

  /** The task that holds the key: by the default partitioner, over as many partitions as the sub-topology has tasks. */
  private async taskOf({ name }: StoreSpec, keyBytes: Uint8Array): Promise<TaskSpec> {
    const { app, ports } = this.init;
    this.directory ??= await loadTaskDirectory(app, ports.log, null);
    const owner = app.topology.subTopologies.find(({ stores }) => stores.includes(name));
    const tasks = [...this.directory.tasks.values()].filter(({ subTopology }) => subTopology === owner?.id);
    const task = tasks[defaultPartition(keyBytes, null, Math.max(1, tasks.length))];
    if (task === undefined) {
      this.directory = null; // a topic that a pattern matches may come
      throw refused(name, 'belongs to no task');
    }
    return task;
  }
}

/** One question without a service: {@link QueryService.get}. */
export async function queryKey<V = unknown>(
  question: QueryServiceInit & QueryOptions & { readonly store: string; readonly key: unknown },
): Promise<QueryAnswer<V>> {
  const { app, ports, store, key, ...options } = question;
  return new QueryService({ app, ports }).get<V>(store, key, options);
}

async function answer<V>(
  spec: StoreSpec,
  stored: StoredValue | null,
  asOf: QueryAnswer['asOf'],
): Promise<QueryAnswer<V>> {
  if (stored !== null) {
    const { value } = stored;
    await spec.valueSerde.lookups?.forBytes(asBuffer(value), 0, value.length);
  }
  return {
    found: stored !== null,
    value: stored === null ? null : (readStored(stored, spec.valueSerde) as V),
    timestampMs: stored?.timestampMs ?? null,
    asOf,
  };
}

function serializeKey({ name, keySerde }: StoreSpec, key: unknown): Uint8Array {
  if (key === null || key === undefined) throw refused(name, 'has no null keys');
  try {
    return keySerde.serialize(key);
  } catch (cause) {
    throw new QueryRefusedError(`${kindOfValue(key)} is no key of store '${name}'`, {
      cause,
      details: { store: name },
    });
  }
}

function refused(store: string, why: string): QueryRefusedError {
  return new QueryRefusedError(`store '${store}' ${why}`, { details: { store } });
}
