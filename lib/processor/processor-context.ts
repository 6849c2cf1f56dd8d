import type { Awaitable } from '../model/awaitable.js';
import type { Duration } from '../model/duration.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { StateStore } from '../state/state-store.js';
import type { StreamRecord } from './stream-record.js';

/** Where the record being processed came from; absent in a punctuation. Kafka: `RecordMetadata`. */
export interface RecordMetadata {
  readonly topic: string;
  readonly partition: number;
  readonly offset: Offset;
}

/** Which clock drives a punctuation. Kafka: `PunctuationType`. */
export type PunctuationType = 'streamTime' | 'wallClockTime';

/**
 * Called with what its clock shows, in milliseconds since the epoch: the stream time of the task, or the wall clock. It may be later than the
 * time at which the call was due; what was missed meanwhile is not made up for. Kafka: `Punctuator`.
 */
export type Punctuator = (timestampMs: number) => Awaitable<void>;

export interface Cancellable {
  cancel(): void;
}

/** What a processor may ask of its task. Kafka: `processor.api.ProcessorContext`. */
export interface ProcessorContext<KOut = never, VOut = never> {
  readonly applicationId: string;
  readonly taskId: TaskId;

  /**
   * Hands a record to all children, or to the one named. The children have finished with it when the returned promise
   * resolves, or on return if it returns nothing. Records forwarded without waiting keep their order.
   *
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if there is no such child · {ProcessingError} STREAMS_PROCESSING_FAILED if the call of the
   *   processor or punctuator that would forward has ended (Kafka: "Current node is unknown")
   */
  forward(record: StreamRecord<KOut, VOut>, childName?: string): Awaitable<void>;

  /**
   * A store connected to this processor.
   *
   * @throws {UnconnectedStoreError} STREAMS_UNCONNECTED_STORE if it is not connected, or there is none of that name
   */
  getStateStore<S extends StateStore>(name: string): S;

  /**
   * Calls `punctuator` each time the clock has moved on by `interval`. Kafka: `schedule`. By stream time it is first due at once, after the
   * record or the punctuation that schedules it; by the wall clock after one interval.
   *
   * @throws {InvalidSettingError} STREAMS_INVALID_SETTING for an interval under 1 ms, or a clock that there is not
   */
  schedule(interval: Duration, type: PunctuationType, punctuator: Punctuator): Cancellable;

  /** Greatest timestamp the task has seen; −1 before the first record, as in Kafka Streams. */
  currentStreamTimeMs(): number;
  /** The wall clock as the task was last told it. */
  currentSystemTimeMs(): number;
  /** The record being processed; undefined in a punctuation. */
  recordMetadata(): RecordMetadata | undefined;
}
