/**
 * Whether a record may enter the topology, decided before it has any effect: its key and value must be readable and its
 * timestamp not negative. What happens to an unreadable one is the handler's: fail, go on without it, or write it to a
 * dead-letter topic in the same transaction. Kafka: `RecordDeserializer`, `DeserializationExceptionHandler`; headers of dead
 * letters: KIP-1034.
 */
import { DeserializationError, ProcessingError, StreamsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import { isErrorOf } from '../model/thrown.js';
import type { TopicPartition } from '../model/topic-partition.js';
import type { RecordMetadata } from '../processor/processor-context.js';
import { StreamRecord } from '../processor/stream-record.js';
import { Cell } from '../serde/cell.js';
import { Waiting } from '../serde/lookups.js';
import { READ_OWN_BYTES } from '../serde/own-bytes.js';
import type { Serde } from '../serde/serde.js';
import type { SourceNode, TimestampExtractor } from '../topology/node.js';
import { causeOfDeath } from './dead-letters.js';
import type { FailurePolicy } from './failure-policy.js';
import type { TaskScope } from './task-scope.js';
import { userError } from './user-errors.js';

/** The record that a timestamp extractor sees. */
export class ExtractedRecord extends StreamRecord<unknown, unknown> {
  readonly metadata: RecordMetadata;

  constructor(record: StreamRecord<unknown, unknown>, metadata: RecordMetadata) {
    super(record.keyCell, record.valueCell, record.timestampMs, record.headers);
    this.metadata = metadata;
  }
}

/** What a gate needs of its task. */
export interface RecordGateServices {
  readonly failures: FailurePolicy;
  readonly scope: TaskScope;
  /** Undefined: records go by their own timestamps. */
  readonly extractor: TimestampExtractor | undefined;
  /** Whether the application has written the records itself, to a topic of its own; default false. */
  readonly isInternal?: boolean;
}

/** Lets the records of one input in. */
export class RecordGate {
  private readonly input: TopicPartition;
  readonly source: SourceNode;
  private readonly failures: FailurePolicy;
  private readonly scope: TaskScope;
  private readonly extractor: TimestampExtractor | undefined;
  private readonly isInternal: boolean;

  constructor(input: TopicPartition, source: SourceNode, services: RecordGateServices) {
    const { failures, scope, extractor, isInternal = false } = services;
    this.input = input;
    this.isInternal = isInternal;
    this.source = source;
    this.failures = failures;
    this.scope = scope;
    this.extractor = extractor;
  }

  /** Whether the serdes have to look things up before records are admitted. */
  get asks(): boolean {
    return this.source.keySerde.lookups !== undefined || this.source.valueSerde.lookups !== undefined;
  }

  /** Looks up what the records of a set need before they are admitted; undefined: nothing. */
  lookUp(set: RecordSet): Promise<void> | undefined {
    return lookUpRecords(this.source, set);
  }

  /**
   * Record `index` of a fetched set with the timestamp that counts, or null if it is dropped.
   *
   * @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED by handler `fail` · {ProcessingError}
   *   STREAMS_PROCESSING_FAILED if the timestamp extractor throws or answers no whole number
   */
  admit(set: RecordSet, index: number, partitionTimeMs: number): StreamRecord<unknown, unknown> | null {
    const { keySerde, valueSerde } = this.source;
    let record: StreamRecord<unknown, unknown>;
    try {
      const key = readableCell(keySerde, set.bytes, set.keyStarts[index] as number, set.keyEnds[index] as number);
      const value = readableCell(
        valueSerde,
        set.bytes,
        set.valueStarts[index] as number,
        set.valueEnds[index] as number,
      );
      record = new StreamRecord(key, value, set.timestamps[index] as number, set.headersOf(index));
    } catch (thrown) {
      this.refuse(thrown, set, index);
      return null;
    }
    if (this.extractor !== undefined) record = this.extract(record, this.metadataOf(set, index), partitionTimeMs);
    if (record.timestampMs >= 0) return record;
    this.scope.dropped.add('negative-timestamp', this.metadataOf(set, index));
    this.scope.dirty = true;
    return null;
  }

  private extract(
    record: StreamRecord<unknown, unknown>,
    metadata: RecordMetadata,
    partitionTimeMs: number,
  ): StreamRecord<unknown, unknown> {
    const details = { node: this.source.name, ...this.scope.whereabouts(), ...metadata };
    let timestampMs: number;
    try {
      timestampMs =
        this.extractor?.(new ExtractedRecord(record, metadata), partitionTimeMs, this.scope.wallClockMs) ?? Number.NaN;
    } catch (thrown) {
      if (isErrorOf(StreamsError, thrown)) throw thrown;
      throw new ProcessingError(`${userError(thrown, this.source.name, this.scope).message} (timestamp extractor)`, {
        cause: thrown,
        details,
      });
    }
    if (!Number.isSafeInteger(timestampMs)) {
      throw new ProcessingError(`the timestamp extractor of ${this.source.name} answered ${timestampMs}`, {
        details,
        remedy: 'Let the timestamp extractor answer whole milliseconds; a negative number drops the record.',
      });
    }
    return timestampMs === record.timestampMs ? record : record.withTimestamp(timestampMs);
  }

  private refuse(thrown: unknown, set: RecordSet, index: number): void {
    const metadata = this.metadataOf(set, index);
    const { topic, partition, offset } = metadata;
    const error = new DeserializationError(`${topic}-${partition}, offset ${offset}: ${causeOfDeath(thrown).message}`, {
      cause: thrown,
      details: { node: this.source.name, taskId: this.scope.taskId, ...metadata },
      ...(this.isInternal ? { remedy: READ_OWN_BYTES } : {}),
    });
    this.failures.deserialization(error, this.source.name, {
      ...metadata,
      timestampMs: set.timestamps[index] as number,
      headers: set.headersOf(index),
      key: set.key(index),
      value: set.value(index),
      isHeldBack: false,
    });
  }

  private metadataOf(set: RecordSet, index: number): RecordMetadata {
    return { topic: this.input.topic, partition: this.input.partition, offset: set.offsets[index] as Offset };
  }
}

/** A cell that will not throw when it is read: the serde vouches for the bytes, or they are read now. */
export function readableCell(serde: Serde<unknown>, bytes: Buffer, start: number, end: number): Cell<unknown> {
  const cell = Cell.read(serde, bytes, start, end);
  if (start < 0) return cell;
  if (serde.accepts === undefined) void cell.value;
  else if (!serde.accepts(bytes, start, end)) {
    throw new DeserializationError(`${end - start} bytes are no ${serde.format ?? 'value of the serde'}`);
  }
  return cell;
}

/** Looks up what the records of a set need before their serdes read them; undefined: nothing. */
export function lookUpRecords({ keySerde, valueSerde }: SourceNode, set: RecordSet): Promise<void> | undefined {
  if (keySerde.lookups === undefined && valueSerde.lookups === undefined) return undefined;
  const waiting = new Waiting();
  for (let index = 0; index < set.size; index += 1) {
    const [keyStart, valueStart] = [set.keyStarts[index] as number, set.valueStarts[index] as number];
    if (keyStart >= 0) waiting.add(keySerde.lookups?.forBytes(set.bytes, keyStart, set.keyEnds[index] as number));
    if (valueStart < 0) continue;
    waiting.add(valueSerde.lookups?.forBytes(set.bytes, valueStart, set.valueEnds[index] as number));
  }
  return waiting.all();
}
