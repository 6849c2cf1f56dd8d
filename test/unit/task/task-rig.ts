import type { Offset } from '../../../lib/model/offset.js';
import type { Headers, LogRecord, RecordSet } from '../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import { taskId } from '../../../lib/model/task-id.js';
import type { TopicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { Sleep } from '../../../lib/processor/engine-context.js';
import type { TransactionalStore } from '../../../lib/state/byte-store.js';
import { createStores } from '../../../lib/state/create-stores.js';
import { createStreamTask } from '../../../lib/task/create-task.js';
import type { StreamTask } from '../../../lib/task/stream-task.js';
import type { TaskOutput } from '../../../lib/task/task-output.js';
import { defineApp } from '../../../lib/topology/app.js';
import type { FailureHandlers } from '../../../lib/topology/failure-handlers.js';
import type { TimestampExtractor } from '../../../lib/topology/node.js';
import type { Topology } from '../../../lib/topology/topology.js';

/** A record by example; key and value are UTF-8, or bytes. */
export interface Given {
  readonly key?: string | null;
  readonly value?: string | Uint8Array | null;
  readonly ts?: number;
  readonly headers?: Headers;
  readonly offset?: number;
}

export interface RigOptions {
  readonly settings?: SettingsInput;
  readonly handlers?: FailureHandlers;
  readonly timestampExtractor?: TimestampExtractor;
  readonly partitionCounts?: Readonly<Record<string, number>>;
  readonly partition?: number;
  readonly sleep?: Sleep;
  readonly stores?: ReadonlyMap<string, TransactionalStore>;
  readonly committed?: ReadonlyMap<TopicPartitionKey, { nextOffset: Offset; metadata: string }>;
}

/** One task of sub-topology 0 on its own, and the stores under it. */
export interface Rig {
  readonly task: StreamTask;
  readonly stores: ReadonlyMap<string, TransactionalStore>;
  /** Gives records to partition `partition` of a topic; offsets count on unless given. */
  give(topic: string, records: readonly Given[], end?: { nextOffset?: number; endOffset?: number }): void;
  /** Seals, commits the stores, and answers the output. */
  commit(): Promise<TaskOutput>;
}

export async function startTask(builder: { build(): Topology }, options: RigOptions = {}): Promise<Rig> {
  const { settings = {}, handlers = {} } = options;
  const { timestampExtractor } = options;
  const app = defineApp({
    applicationId: 'app',
    topology: builder.build(),
    settings,
    handlers,
    ...(timestampExtractor === undefined ? {} : { timestampExtractor }),
  });
  const own = app.topology.subTopologies[0]?.stores ?? [];
  const stores = options.stores ?? createStores(own.flatMap((name) => app.topology.stores.get(name) ?? []));
  const partition = options.partition ?? 0;
  const task = createStreamTask({
    app,
    taskId: taskId(0, partition),
    partitionCounts: new Map(Object.entries(options.partitionCounts ?? { out: 1 })),
    stores,
    committed: options.committed ?? new Map(),
    nowMs: 0,
    ...(options.sleep === undefined ? {} : { sleep: options.sleep }),
  });
  await task.init();
  const ends = new Map<string, number>();
  return {
    task,
    stores,
    give(topic, records, end = {}) {
      const builder = new RecordSetBuilder();
      let next = ends.get(topic) ?? 0;
      for (const { key = null, value = null, ts = 0, headers = [], offset = next } of records) {
        builder.append(asBytes(key), asBytes(value), ts, headers, offset);
        next = offset + 1;
      }
      const nextOffset = (end.nextOffset ?? next) as Offset;
      ends.set(topic, nextOffset);
      const endOffset = (end.endOffset ?? nextOffset) as Offset;
      task.addRecords({ topic, partition, records: builder.build(), nextOffset, endOffset });
    },
    async commit() {
      const output = await task.seal();
      for (const store of stores.values()) store.commit();
      return output;
    },
  };
}

/** Records of a set as text: `key=value@timestamp`. */
export function texts(records: RecordSet | undefined): readonly string[] {
  return [...(records ?? [])].map((record) => `${text(record, 'key')}=${text(record, 'value')}@${record.timestampMs}`);
}

/** The key of a partition, by hand. */
export function at(topic: string, partition = 0): TopicPartitionKey {
  return `${topic}-${partition}` as TopicPartitionKey;
}

function text(record: LogRecord, part: 'key' | 'value'): string {
  const bytes = record[part];
  return bytes === null ? 'null' : Buffer.from(bytes).toString('utf8');
}

function asBytes(given: string | Uint8Array | null): Uint8Array | null {
  return typeof given === 'string' ? Buffer.from(given, 'utf8') : given;
}
