/** Runs a topology's one task in one go, or cut after every few records: aborted, and made anew from what was committed. */
import type { Offset } from '../../lib/model/offset.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { taskId } from '../../lib/model/task-id.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../lib/model/topic-partition.js';
import type { StoreWrite } from '../../lib/state/byte-store.js';
import { createStores } from '../../lib/state/create-stores.js';
import { createStreamTask } from '../../lib/task/create-task.js';
import type { StreamTask } from '../../lib/task/stream-task.js';
import { defineApp } from '../../lib/topology/app.js';
import type { Topology } from '../../lib/topology/topology.js';
import { compacted } from './windowed-stores.js';

/** A record of one of the topology's topics; a value of null is null. */
export interface RestartInput {
  readonly topic: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly timestampMs: number;
}
type Committed = ReadonlyMap<TopicPartitionKey, { readonly nextOffset: Offset; readonly metadata: string }>;

/** Records of the sink topics by topic, and those of the changelogs, sorted: within one commit their order means nothing. */
export interface Run {
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  readonly changelog: readonly string[];
}

/**
 * @param step records between two commits
 * @param restart whether each commit is followed by an aborted record and a new task, restored from the log as the cleaner leaves it
 */
export async function runCut(
  topology: Topology,
  inputs: readonly RestartInput[],
  step: number,
  restart: boolean,
): Promise<Run> {
  const app = defineApp({ applicationId: 'app', topology, settings: { statestoreCacheMaxBytes: 0 } });
  const topics = topology.subTopologies[0]?.sourceTopics ?? [];
  const byTopic = new Map(topics.map((topic) => [topic, inputs.filter((input) => input.topic === topic)]));
  const names = [...topology.stores.keys()];
  const logs = new Map<string, StoreWrite[]>(names.map((store) => [store, []]));
  const outputs: Record<string, string[]> = {};
  const changelog: string[] = [];
  let committed: Committed = new Map();
  let stores = createStores(topology.stores.values());
  const open = async (): Promise<StreamTask> => {
    const partitionCounts = new Map([['out', 1]]);
    const task = createStreamTask({ app, taskId: taskId(0, 0), partitionCounts, stores, committed, nowMs: 0 });
    await task.init();
    for (const [topic, list] of byTopic) {
      const from = committed.get(topicPartitionKey({ topic, partition: 0 }))?.nextOffset ?? 0;
      const records = new RecordSetBuilder();
      for (const [offset, { key, value, timestampMs }] of list.entries()) {
        const [keyBytes, valueBytes] = [key, value].map((each) => (each === null ? null : Buffer.from(each)));
        if (offset >= from) records.append(keyBytes ?? null, valueBytes ?? null, timestampMs, [], offset);
      }
      const end = list.length as Offset;
      task.addRecords({ topic, partition: 0, records: records.build(), nextOffset: end, endOffset: end });
    }
    return task;
  };
  let task = await open();
  for (let left = inputs.length; left > 0; left -= step) {
    await task.process(0, step);
    const output = await task.seal();
    for (const store of stores.values()) store.commit();
    committed = new Map([...committed, ...output.offsets]);
    for (const [topic, set] of output.changelogs) {
      for (const { key, value, timestampMs } of set) {
        const name = names.find((store) => topic.startsWith(`app-${store}-changelog`)) ?? '';
        logs.get(name)?.push({ key: Buffer.from(key ?? []).toString('latin1') as never, value, timestampMs });
        changelog.push(`${name} ${Buffer.from(key ?? []).toString('hex')} ${hex(value)} ${timestampMs}`);
      }
    }
    for (const [topic, set] of output.outputs) {
      const list = outputs[topic] ?? [];
      for (const { key, value, timestampMs } of set) list.push(`${hex(key)} ${value?.toString()}@${timestampMs}`);
      outputs[topic] = list;
    }
    if (!restart) continue;
    await task.process(0, 1); // aborted: nothing of it may be seen
    await task.close();
    stores = createStores(topology.stores.values());
    for (const [store, log] of logs) {
      for (const write of isCompacted(topology, store) ? compacted(log) : log) stores.get(store)?.restore(write);
    }
    task = await open();
  }
  return { outputs, changelog: changelog.sort() };
}

/** Of versions the cleaner keeps all that could still be asked for. */
function isCompacted(topology: Topology, store: string): boolean {
  const spec = topology.stores.get(store);
  return spec?.kind !== 'versioned' && spec?.changelogConfig['cleanup.policy'] !== 'delete';
}

function hex(bytes: Uint8Array | null): string {
  return bytes === null ? 'null' : Buffer.from(bytes).toString('hex');
}
