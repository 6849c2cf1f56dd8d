/** `millrace/local`: the whole system in one process, on the embedded log. */
export type { DrainReport, LeavingTask } from '../cli/reports/drain.js';
export type { KafkaLog } from '../log/kafka/kafka-log.js';
export type {
  CommittedOffset,
  FetchOptions,
  FetchRequest,
  FetchResult,
  Log,
  TopicSpec,
  TransactionalProducer,
} from '../log/log.js';
export { type Offset, offset } from '../model/offset.js';
export type { LogRecord, RecordSet } from '../model/record-set.js';
export { RecordSetBuilder } from '../model/record-set-builder.js';
export { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
export type { InputRecord, InputSerdes } from './append-records.js';
export { createKafkaLog, type LocalKafkaLogOptions } from './local-kafka-log.js';
export type { LocalProcessesInit, MemberProcesses } from './local-processes.js';
export type { LocalMember, LocalState } from './local-state.js';
export { LocalStreams, type LocalStreamsOptions } from './local-streams.js';
export type { LocalTopic } from './prepare-topics.js';
export type { OutputRecord } from './read-records.js';
export type { StateListener, StreamsState } from './streams-state.js';
