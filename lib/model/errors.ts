/**
 * The one family of errors.
 *
 * `code` is public and stable; `kind` tells the engine what to do; `remedy` tells a person what to do; `cause` keeps the
 * original; `details` holds ids and offsets. Messages may change. Every code is described in docs/errors.md, and a test
 * holds the two lists together.
 */

import { isErrorOf, messageOf } from './thrown.js';

/**
 * What the engine does about an error:
 * `fenced` stop, commit nothing, leave the lease alone · `transient` retry within the deadline, then hand back ·
 * `corrupted` drop the state and restore it · `invalid` refuse to start and say why · `internal` end the invocation at once.
 */
export type ErrorKind = 'fenced' | 'transient' | 'corrupted' | 'invalid' | 'internal';

export interface ErrorContext {
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Replaces the class's remedy where this place knows a better one. */
  readonly remedy?: string;
}

interface ErrorSpec {
  readonly kind: ErrorKind;
  readonly remedy: string;
}

/** Every code, with what the engine and a person do about it. */
export const ERRORS = {
  STREAMS_INVALID_OFFSET: {
    kind: 'invalid',
    remedy: 'Offsets are whole numbers from 0 to 2^53 − 1; look at the details for where the number came from.',
  },
  STREAMS_INVALID_TASK_ID: { kind: 'invalid', remedy: "A task id is '<sub-topology>_<partition>', such as 0_3." },
  STREAMS_INVALID_SETTING: {
    kind: 'invalid',
    remedy: 'Correct the setting that the message names; docs/settings.md lists names, units and ranges.',
  },
  STREAMS_INVALID_TOPOLOGY: { kind: 'invalid', remedy: 'Correct the operator, node or store that the message names.' },
  STREAMS_MISSING_SOURCE_TOPIC: {
    kind: 'invalid',
    remedy: 'Create the source topics that the message names, then start again.',
  },
  STREAMS_PARTITION_COUNT_CHANGED: {
    kind: 'invalid',
    remedy: 'Keep partition counts as they were recorded; changing them is a migration.',
  },
  STREAMS_PARTITIONER_CHANGED: {
    kind: 'invalid',
    remedy:
      'Go on with the partitioner that the topic began with, under its name, or give the application another id: its state is where the old one has sent its keys.',
  },
  STREAMS_NOT_COPARTITIONED: {
    kind: 'invalid',
    remedy: 'Give the topics the same number of partitions, or repartition one side.',
  },
  STREAMS_INTERNAL_TOPIC_MISMATCH: {
    kind: 'invalid',
    remedy: 'Give the internal topic the settings in the message, or delete it if its content may go.',
  },
  STREAMS_INVALID_ASSIGNMENT: {
    kind: 'invalid',
    remedy:
      'Correct the assignor: the message says which rule its placement broke, or what it has thrown. The old plan stays in force.',
  },
  STREAMS_INVALID_PAYLOAD: {
    kind: 'invalid',
    remedy: 'Send a payload of the form in docs/architecture.md, or let the scheduler invoke the function.',
  },
  STREAMS_INVALID_FOLDER: {
    kind: 'invalid',
    remedy: 'Point the setting at a folder that this process may read and write, and no other process uses.',
  },
  STREAMS_DESERIALIZATION_FAILED: {
    kind: 'invalid',
    remedy:
      "Correct the record or the serde, or set deserializationExceptionHandler to 'continue' or a dead-letter topic.",
  },
  STREAMS_SERIALIZATION_FAILED: {
    kind: 'invalid',
    remedy: 'The value does not fit the serde that the message names: correct one of the two.',
  },
  STREAMS_PROCESSING_FAILED: {
    kind: 'invalid',
    remedy: 'Correct the user code that threw; nothing of its batch was committed.',
  },
  STREAMS_SUPPRESSION_FULL: {
    kind: 'invalid',
    remedy:
      'Raise maxRecords or maxBytes of the suppression, or let it give out early; nothing of the batch was committed.',
  },
  STREAMS_SIMULATION_FAILED: {
    kind: 'invalid',
    remedy: 'Correct what the message names, then run the seed in it again; docs/testing.md says how to read it.',
  },
  STREAMS_APPLICATION_AT_REST: {
    kind: 'invalid',
    remedy:
      'Correct what the message names, then deploy again under another `deployment`, or have the scheduler resume.',
  },
  STREAMS_UNCONNECTED_STORE: { kind: 'invalid', remedy: 'Connect the store to the processor that asks for it.' },
  STREAMS_INVALID_STATE_STORE: {
    kind: 'invalid',
    remedy: 'Use the store only while its task runs, and only in the ways its kind allows.',
  },
  STREAMS_QUERY_REFUSED: { kind: 'invalid', remedy: 'Ask for a store and key that the topology has.' },
  STREAMS_COMMAND_REFUSED: { kind: 'invalid', remedy: 'Correct the command: `millrace help` lists what there is.' },
  STREAMS_RECORD_TOO_LARGE: {
    kind: 'invalid',
    remedy: 'Make the record or entry smaller, or raise max.message.bytes on the topic.',
  },
  STREAMS_INVALID_RECORD: {
    kind: 'invalid',
    remedy: 'Give every record of a compacted topic a key, and every record a timestamp in whole milliseconds.',
  },
  STREAMS_CORRUPT_RECORD: {
    kind: 'transient',
    remedy:
      'The bytes are read again. If it stays, the log itself is damaged at the offset in the details: repair it from a replica.',
  },
  STREAMS_UNSUPPORTED_RECORD_FORMAT: {
    kind: 'invalid',
    remedy: 'Write the topic again with a client of Kafka 0.11 or newer, with a codec and timestamps that Kafka has.',
  },
  STREAMS_UNKNOWN_TOPIC: { kind: 'transient', remedy: 'Create the topic, or correct its name.' },
  STREAMS_OFFSET_OUT_OF_RANGE: {
    kind: 'corrupted',
    remedy: 'The log no longer has the offset: see the details for its start and end, and the reset policy.',
  },
  STREAMS_LOST_OFFSETS: {
    kind: 'invalid',
    remedy:
      'The input that comes next, or where it stood, is gone. Set the offsets of the inputs by hand to where the task is to go on, or reset the application.',
  },
  STREAMS_LOST_STATE: {
    kind: 'invalid',
    remedy:
      'To count anew: delete the changelog and set the offsets of all inputs of the task by hand. To go on with what the new changelog holds: delete the lease of the task.',
  },
  STREAMS_TOPIC_RECREATED: {
    kind: 'corrupted',
    remedy: 'None needed: what was built from the old topic is dropped. A task that has lost something by it says so.',
  },
  STREAMS_TASK_MIGRATED: {
    kind: 'fenced',
    remedy: 'None needed: the new owner continues from the last committed offsets.',
  },
  STREAMS_PRODUCER_FENCED: {
    kind: 'fenced',
    remedy: 'None needed: a newer producer of the same transactional id has taken over.',
  },
  STREAMS_UNKNOWN_OUTCOME: {
    kind: 'transient',
    remedy: 'None needed: the task initialises again and reads what was committed.',
  },
  STREAMS_TRANSACTION_STATE: {
    kind: 'internal',
    remedy: 'The transactional producer was used out of order; report it with the details.',
  },
  STREAMS_SNAPSHOT_CORRUPTED: { kind: 'corrupted', remedy: 'None needed: the previous snapshot or the log is used.' },
  STREAMS_MALFORMED_ITEM: {
    kind: 'invalid',
    remedy: 'Correct or delete the item in the details: this library has not written it so.',
  },
  STREAMS_RESTORE_STALLED: {
    kind: 'transient',
    remedy: 'Look for an open transaction or a truncated changelog at the position in the details.',
  },
  STREAMS_STATE_TOO_LARGE: {
    kind: 'invalid',
    remedy:
      'Give the function more memory or raise maxStateBytesPerMember, let a member hold fewer tasks, or give the topic more partitions.',
  },
  STREAMS_UNAVAILABLE: { kind: 'transient', remedy: 'The service in the message was slow or away; it is tried again.' },
  STREAMS_ABORTED: { kind: 'transient', remedy: 'None needed: the caller gave the operation up.' },
  STREAMS_INTERNAL: { kind: 'internal', remedy: 'A rule of the engine was broken; report it with the details.' },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;
/** All codes, for the test that holds docs/errors.md complete. */
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** Base of every error that this library throws on purpose. Kafka: `StreamsException`. */
export class StreamsError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.kind = ERRORS[code].kind;
    this.remedy = context.remedy ?? ERRORS[code].remedy;
    this.details = context.details ?? {};
  }
}

function errorClass(code: ErrorCode) {
  return class extends StreamsError {
    constructor(message: string, context?: ErrorContext) {
      super(code, message, context);
    }
  };
}

export class InvalidOffsetError extends errorClass('STREAMS_INVALID_OFFSET') {}
export class InvalidTaskIdError extends errorClass('STREAMS_INVALID_TASK_ID') {}
/** Kafka: `ConfigException`. */
export class InvalidSettingError extends errorClass('STREAMS_INVALID_SETTING') {}
/** Kafka: `TopologyException`. */
export class TopologyError extends errorClass('STREAMS_INVALID_TOPOLOGY') {}
/** Kafka: `MissingSourceTopicException`. */
export class MissingSourceTopicError extends errorClass('STREAMS_MISSING_SOURCE_TOPIC') {}
export class PartitionCountChangedError extends errorClass('STREAMS_PARTITION_COUNT_CHANGED') {}
/** Another function would send keys to tasks that do not hold their state; details: `topic`, `recorded`, `partitioner`. */
export class PartitionerChangedError extends errorClass('STREAMS_PARTITIONER_CHANGED') {}
export class NotCopartitionedError extends errorClass('STREAMS_NOT_COPARTITIONED') {}
/** Kafka: `MisconfiguredInternalTopicException`. */
export class InternalTopicMismatchError extends errorClass('STREAMS_INTERNAL_TOPIC_MISMATCH') {}
export class InvalidAssignmentError extends errorClass('STREAMS_INVALID_ASSIGNMENT') {}
export class InvalidPayloadError extends errorClass('STREAMS_INVALID_PAYLOAD') {}
export class InvalidFolderError extends errorClass('STREAMS_INVALID_FOLDER') {}
/** Kafka: `SerializationException` while reading. */
export class DeserializationError extends errorClass('STREAMS_DESERIALIZATION_FAILED') {}
/** Kafka: `SerializationException` while writing. */
export class SerializationError extends errorClass('STREAMS_SERIALIZATION_FAILED') {}
/** Kafka: `FailedProcessingException`. */
export class ProcessingError extends errorClass('STREAMS_PROCESSING_FAILED') {}
/** A suppression that may give nothing out early has no room left; details: `records`, `sizeBytes` and their limits. */
export class SuppressionFullError extends errorClass('STREAMS_SUPPRESSION_FULL') {}
/**
 * A simulated run broke a rule or a user's own check, or came to a standstill; details: `seed`, `checker`, `part` (what is left of
 * the seed's faults, inputs and members) and, not enumerable, `timeline`.
 */
export class SimulationFailedError extends errorClass('STREAMS_SIMULATION_FAILED') {}
/** The handler of uncaught exceptions has answered `shutdownApplication`; details: `memberId`, `taskId` and `code` of the error. */
export class ApplicationAtRestError extends errorClass('STREAMS_APPLICATION_AT_REST') {}
export class UnconnectedStoreError extends errorClass('STREAMS_UNCONNECTED_STORE') {}
/** Kafka: `InvalidStateStoreException`. */
export class InvalidStateStoreError extends errorClass('STREAMS_INVALID_STATE_STORE') {}
export class QueryRefusedError extends errorClass('STREAMS_QUERY_REFUSED') {}
/** A command of the command line asks for something that there is not, or that it may not do. */
export class CommandRefusedError extends errorClass('STREAMS_COMMAND_REFUSED') {}
/** Kafka: `RecordTooLargeException`. */
export class RecordTooLargeError extends errorClass('STREAMS_RECORD_TOO_LARGE') {
  /** Which records of the set that was sent the topic does not take, by index; empty: that is not known. */
  readonly refused: readonly number[];

  constructor(message: string, context: ErrorContext & { readonly refused?: readonly number[] } = {}) {
    super(message, context);
    this.refused = context.refused ?? [];
  }
}
/** Kafka: `InvalidRecordException`: a record that its topic does not take. */
export class InvalidRecordError extends errorClass('STREAMS_INVALID_RECORD') {}
/** Bytes of the log that are no records, or not the ones that their checksum was made of. Kafka: `CorruptRecordException`. */
export class CorruptRecordError extends errorClass('STREAMS_CORRUPT_RECORD') {}
/** Records that are whole, in a form that this library does not read. Kafka: `UnsupportedForMessageFormatException`. */
export class UnsupportedRecordFormatError extends errorClass('STREAMS_UNSUPPORTED_RECORD_FORMAT') {}
/** Kafka: `UnknownTopicOrPartitionException`. */
export class UnknownTopicError extends errorClass('STREAMS_UNKNOWN_TOPIC') {}
/** Kafka: `OffsetOutOfRangeException`; details: `requestedOffset`, `logStartOffset`, `endOffset`. */
export class OffsetOutOfRangeError extends errorClass('STREAMS_OFFSET_OUT_OF_RANGE') {}
export class LostOffsetsError extends errorClass('STREAMS_LOST_OFFSETS') {}
/** The changelog of a task that goes on from its committed offsets is another topic; details: `recordedTopicId`, `topicId`. */
export class LostStateError extends errorClass('STREAMS_LOST_STATE') {}
/** A read named a topic by an id that its name no longer has. Kafka: `UnknownTopicIdException` (KIP-516). */
export class TopicRecreatedError extends errorClass('STREAMS_TOPIC_RECREATED') {}
/** Kafka: `TaskMigratedException`: the lease is no longer ours. */
export class TaskMigratedError extends errorClass('STREAMS_TASK_MIGRATED') {}
/** Kafka: `ProducerFencedException`, `InvalidProducerEpochException`. */
export class ProducerFencedError extends errorClass('STREAMS_PRODUCER_FENCED') {}
/** A send or commit of which nobody knows whether it took effect. */
export class UnknownOutcomeError extends errorClass('STREAMS_UNKNOWN_OUTCOME') {}
export class TransactionStateError extends errorClass('STREAMS_TRANSACTION_STATE') {}
export class SnapshotCorruptedError extends errorClass('STREAMS_SNAPSHOT_CORRUPTED') {}
/** An item of the tables of members, leases or plans that can not be read; details: `table`, `attribute`, `item`. */
export class MalformedItemError extends errorClass('STREAMS_MALFORMED_ITEM') {}
export class RestoreStalledError extends errorClass('STREAMS_RESTORE_STALLED') {}
/** The stores of a task do not fit into the memory of its member; details: `taskId`, `store`, `estimatedBytes`, `otherBytes`, `budgetBytes` and `basis`. */
export class StateTooLargeError extends errorClass('STREAMS_STATE_TOO_LARGE') {}
export class UnavailableError extends errorClass('STREAMS_UNAVAILABLE') {}
/** The caller's `AbortSignal` fired. */
export class AbortedError extends errorClass('STREAMS_ABORTED') {}
export class InternalError extends errorClass('STREAMS_INTERNAL') {}

/** Any thrown thing as one of ours: an unknown one is `internal`, on purpose. */
export function asStreamsError(thrown: unknown): StreamsError {
  if (isErrorOf(StreamsError, thrown)) return thrown;
  return new InternalError(messageOf(thrown), { cause: thrown });
}
