import type { Awaitable } from '../model/awaitable.js';
import type { Encoded } from '../model/byte-key.js';
import { ProcessingError, RecordTooLargeError, SerializationError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { Headers } from '../model/record-set.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { Cell } from '../serde/cell.js';
import { lookUpTopic } from '../serde/lookups.js';
import type { Serde } from '../serde/serde.js';
import { defaultPartition } from '../topology/default-partitioner.js';
import type { RecordContext, SinkNode } from '../topology/node.js';
import type { FailurePolicy } from './failure-policy.js';
import type { Receiver } from './node.js';
import type { OutputCollector, TopicOutput } from './output-collector.js';
import type { RefusedRecords } from './refused-records.js';
import type { TaskScope } from './task-scope.js';
import { userError } from './user-errors.js';

/** Most that a batch of one record costs besides what the record holds. Kafka: `estimateSizeInBytesUpperBound`. */
const RECORD_OVERHEAD_BYTES = 82;
/** Characters of a key that an error shows. */
const SHOWN_KEY_MAX = 64;
/** Most that the lengths of a header cost. */
const HEADER_OVERHEAD_BYTES = 10;

/** What a sink needs of its task. */
export interface SinkServices {
  readonly scope: TaskScope;
  readonly failures: FailurePolicy;
  /** Bytes; 0: no limit. */
  readonly maxRequestSize: number;
  /** What the log has found too large. */
  readonly refused: RefusedRecords;
}

/** A sink in one task: chooses topic and partition, and writes the record's bytes. */
export class RunningSink implements Receiver {
  readonly name: string;
  private readonly node: SinkNode;
  /** Name on the broker; null where each record chooses. */
  private readonly topic: string | null;
  private readonly outputs: OutputCollector;
  private readonly scope: TaskScope;
  private readonly services: SinkServices;
  /** For topics that records choose; null where there is nothing to look up, or it was when the task began. */
  private readonly lookUps: ((topic: string) => Promise<void> | undefined) | null;
  /** The topic of all records, or of the last one. */
  private output: TopicOutput | null = null;

  constructor(node: SinkNode, topic: string | null, outputs: OutputCollector, services: SinkServices) {
    this.name = node.name;
    this.node = node;
    this.topic = topic;
    this.outputs = outputs;
    this.services = services;
    this.scope = services.scope;
    const { keySerde: key, valueSerde: value } = node;
    const asks = topic === null && (key.lookups !== undefined || value.lookups !== undefined);
    this.lookUps = asks ? (name) => lookUpTopic(name, { key, value }) : null;
  }

  process(record: StreamRecord<unknown, unknown>): Awaitable<void> {
    try {
      const output = this.outputFor(record);
      const lookUp = this.lookUps?.(output.name);
      if (lookUp !== undefined) return this.writeAfter(lookUp, record, output);
      this.write(record, output);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  /** The first record for a topic waits for what the serdes look up for it. */
  private async writeAfter(
    lookUp: Promise<void>,
    record: StreamRecord<unknown, unknown>,
    output: TopicOutput,
  ): Promise<void> {
    try {
      await lookUp;
      this.write(record, output);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  private failed(thrown: unknown): void {
    const { failures } = this.services;
    const isProduction = thrown instanceof SerializationError || thrown instanceof RecordTooLargeError;
    if (isProduction) failures.production(thrown, this.name);
    else failures.processing(thrown, this.name);
  }

  private write(record: StreamRecord<unknown, unknown>, output: TopicOutput): void {
    const { keySerde, valueSerde } = this.node;
    if (!(Number.isSafeInteger(record.timestampMs) && record.timestampMs >= 0))
      throw this.refused(`a record with timestamp ${record.timestampMs}`, output);
    const key = this.encoded(record.keyCell, keySerde, 'key', output);
    const value = this.encoded(record.valueCell, valueSerde, 'value', output);
    this.expectFits(record, key, value, output);
    const chosen = this.chosenPartition(record, output);
    const { timestampMs, headers } = record;
    if (typeof chosen !== 'object') {
      const partition = chosen ?? defaultPartition(key, value, output.partitions);
      output.append(partition, key, value, timestampMs, headers);
    } else for (const partition of chosen) output.append(partition, key, value, timestampMs, headers);
    this.scope.dirty = true;
  }

  private expectFits(
    record: StreamRecord<unknown, unknown>,
    keyBytes: Encoded | null,
    value: Encoded | null,
    output: TopicOutput,
  ): void {
    const { maxRequestSize, refused } = this.services;
    const { headers } = record;
    const sizeBytes = sizeOf(keyBytes, value, headers);
    const isRefused = refused.has(output.name, { key: keyBytes, value, headers });
    if ((sizeBytes <= maxRequestSize || maxRequestSize === 0) && !isRefused) return;
    const { key } = record; // decoded here at the earliest
    const why = isRefused ? ', which the topic does not take' : '';
    throw new RecordTooLargeError(`sink ${this.name}, topic ${output.name}: a record of ${sizeBytes} bytes${why}`, {
      details: {
        node: this.name,
        topic: output.name,
        key: typeof key === 'string' ? `'${key.slice(0, SHOWN_KEY_MAX)}'` : kindOfValue(key),
        sizeBytes,
        maxRequestSize,
        source: this.scope.whereabouts(),
      },
      remedy: isRefused
        ? 'Make the record smaller, or raise max.message.bytes of the topic.'
        : 'Make the record smaller, or raise maxRequestSize, and max.message.bytes of the topic.',
    });
  }

  private outputFor(record: StreamRecord<unknown, unknown>): TopicOutput {
    const name = this.topic ?? this.extractedTopic(record);
    if (this.output?.name !== name) this.output = this.outputs.topic(name);
    return this.output;
  }

  private extractedTopic(record: StreamRecord<unknown, unknown>): string {
    let topic: unknown;
    try {
      topic = typeof this.node.topic === 'string' ? this.node.topic : this.node.topic(record, this.contextOf(record));
    } catch (thrown) {
      throw userError(thrown, this.name, this.scope);
    }
    if (typeof topic === 'string') return topic;
    throw new ProcessingError(`sink ${this.name}: its function names no topic, it answered ${typeof topic}`, {
      details: { node: this.name, ...this.scope.whereabouts() },
    });
  }

  private contextOf({ timestampMs, headers }: StreamRecord<unknown, unknown>): RecordContext {
    const { topic = null, partition = null, offset = null } = this.scope.metadata ?? {};
    return { topic, partition, offset, timestampMs, headers };
  }

  private chosenPartition(
    record: StreamRecord<unknown, unknown>,
    output: TopicOutput,
  ): number | ReadonlySet<number> | undefined {
    const { partitioner } = this.node;
    if (partitioner === undefined) return undefined;
    let chosen: number | readonly number[] | undefined;
    try {
      chosen = partitioner(output.name, record.key, record.value, output.partitions);
    } catch (thrown) {
      throw userError(thrown, this.name, this.scope);
    }
    if (chosen === undefined) return undefined;
    if (!Array.isArray(chosen)) return this.partitionOf(chosen as number, output);
    return new Set(chosen.map((partition: number) => this.partitionOf(partition, output)));
  }

  private partitionOf(partition: number, output: TopicOutput): number {
    if (Number.isInteger(partition) && partition >= 0 && partition < output.partitions) return partition;
    throw this.refused(`partition ${partition} of ${output.partitions}`, output);
  }

  private encoded(cell: Cell<unknown>, serde: Serde<unknown>, what: 'key' | 'value', output: TopicOutput) {
    try {
      return cell.encoded(serde);
    } catch (thrown) {
      if (!(thrown instanceof SerializationError)) throw userError(thrown, this.name, this.scope);
      throw new SerializationError(
        `sink ${this.name}, topic ${output.name}: the ${what} does not fit: ${thrown.message}`,
        {
          cause: thrown.cause,
          details: { ...thrown.details, node: this.name, sinkTopic: output.name, ...this.scope.whereabouts() },
        },
      );
    }
  }

  private refused(what: string, output: TopicOutput): ProcessingError {
    return new ProcessingError(`sink ${this.name} cannot write ${what} to topic ${output.name}`, {
      details: { node: this.name, sinkTopic: output.name, ...this.scope.whereabouts() },
    });
  }
}

function sizeOf(key: Encoded | null, value: Encoded | null, headers: Headers): number {
  let size = RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  for (const header of headers) size += HEADER_OVERHEAD_BYTES + header.key.length + (header.value?.length ?? 0);
  return size;
}
