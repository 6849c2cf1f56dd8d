/** An application of one sub-topology run in one go, or cut: aborted, closed and started again from what the log has, again and again. */
import type { Offset } from '../../lib/model/offset.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { taskId } from '../../lib/model/task-id.js';
import { parseTopicPartitionKey, type TopicPartitionKey, topicPartitionKey } from '../../lib/model/topic-partition.js';
import type { StoreWrite } from '../../lib/state/byte-store.js';
import { createStores } from '../../lib/state/create-stores.js';
import { createStreamTask } from '../../lib/task/create-task.js';
import type { StreamTask } from '../../lib/task/stream-task.js';
import { defineApp, internalTopicName, type StreamsApp } from '../../lib/topology/app.js';
import type { Topology } from '../../lib/topology/topology.js';
import { compacted } from './windowed-stores.js';

export interface CutInput {
  readonly topic: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly timestampMs: number;
}

export interface CutOptions {
  /** Records in each commit. */
  readonly step: number;
  /** Whether each commit is followed by a record that is aborted, and a start anew. */
  readonly restart: boolean;
  /** What is left of a store's changelog when it is read again; default: what the cleaner may leave. */
  readonly cleaned?: (store: string, log: readonly StoreWrite[]) => readonly StoreWrite[];
}

export interface CutResult {
  /** Output records in order, by topic: key and value as hexadecimals, timestamp. */
  readonly written: Readonly<Record<string, readonly string[]>>;
  /** Changelog records, sorted: store, key and value as hexadecimals, timestamp. */
  readonly changelog: readonly string[];
  /** How many records each commit wrote to an output topic: what comes in the right order may still come too soon, or too late. */
  readonly commits: readonly string[];
}

type Committed = ReadonlyMap<TopicPartitionKey, { readonly nextOffset: Offset; readonly metadata: string }>;
type Stores = ReturnType<typeof createStores>;

class OnePartitionEach extends Map<string, number> {
  override get(): number {
    return 1;
  }
}

/** An application whose every update goes downstream: what it writes does not depend on where it is cut. */
export function uncachedApp(topology: Topology): StreamsApp {
  return defineApp({ applicationId: 'app', topology, settings: { statestoreCacheMaxBytes: 0 } });
}

export async function cutRun(app: StreamsApp, inputs: readonly CutInput[], options: CutOptions): Promise<CutResult> {
  const { step, restart, cleaned = (store, log) => leftByCleaner(app.topology, store, log) } = options;
  const storeOf = new Map(
    [...app.topology.changelogs.values()].map((log) => [internalTopicName(app, log.topic), log.store]),
  );
  const logs = new Map<string, StoreWrite[]>([...storeOf.values()].map((store) => [store, []]));
  const written: Record<string, string[]> = {};
  const changelog: string[] = [];
  const commits: string[] = [];
  let stores = createStores(app.topology.stores.values());
  let committed: Committed = new Map();
  let task = await open(app, stores, committed, inputs);
  for (let left = inputs.length, commit = 0; left > 0; left -= step, commit += 1) {
    await task.process(0, step);
    const output = await task.seal();
    for (const store of stores.values()) store.commit();
    committed = new Map([...committed, ...output.offsets]);
    for (const [topicPartition, set] of output.changelogs) {
      const store = storeOf.get(parseTopicPartitionKey(topicPartition).topic) ?? '';
      for (const { key, value, timestampMs } of set) {
        logs.get(store)?.push({ key: Buffer.from(key ?? []).toString('latin1') as never, value, timestampMs });
        changelog.push(`${store} ${hex(key)} ${hex(value)} ${timestampMs}`);
      }
    }
    for (const [topicPartition, set] of output.outputs) {
      const { topic } = parseTopicPartitionKey(topicPartition);
      const list = written[topic] ?? [];
      for (const { key, value, timestampMs } of set) list.push(`${hex(key)} ${hex(value)} ${timestampMs}`);
      written[topic] = list;
      commits.push(`${commit} ${topic}: ${set.size}`);
    }
    if (!restart) continue;
    await task.process(0, 1); // aborted: nothing of it may be seen
    await task.close();
    stores = createStores(app.topology.stores.values());
    for (const [store, log] of logs) for (const write of cleaned(store, log)) stores.get(store)?.restore(write);
    task = await open(app, stores, committed, inputs);
  }
  await task.close();
  return { written, changelog: changelog.sort(), commits };
}

async function open(
  app: StreamsApp,
  stores: Stores,
  committed: Committed,
  inputs: readonly CutInput[],
): Promise<StreamTask> {
  const partitionCounts = new OnePartitionEach();
  const task = createStreamTask({ app, taskId: taskId(0, 0), partitionCounts, stores, committed, nowMs: 0 });
  await task.init();
  for (const { topic } of task.inputs) {
    const of = inputs.filter((input) => input.topic === topic);
    const from = committed.get(topicPartitionKey({ topic, partition: 0 }))?.nextOffset ?? 0;
    const records = new RecordSetBuilder();
    for (const [offset, { key, value, timestampMs }] of of.entries())
      if (offset >= from) records.append(bytes(key), bytes(value), timestampMs, [], offset);
    const end = of.length as Offset;
    task.addRecords({ topic, partition: 0, records: records.build(), nextOffset: end, endOffset: end });
  }
  return task;
}

/** Of versions the cleaner keeps all that could still be asked for. */
function leftByCleaner(topology: Topology, store: string, log: readonly StoreWrite[]): readonly StoreWrite[] {
  const spec = topology.stores.get(store);
  const isCompacted = spec?.kind !== 'versioned' && spec?.changelogConfig['cleanup.policy'] !== 'delete';
  return isCompacted ? compacted(log) : log;
}

function bytes(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text);
}

function hex(given: Uint8Array | null): string {
  return given === null ? 'null' : Buffer.from(given).toString('hex');
}
