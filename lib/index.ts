/** The public API of `millrace`: what an application is written with. The engines are behind the other entries. */
export type { GlobalKTable, GlobalStoreOptions, GlobalTableOptions } from './dsl/global-ktable.js';
export type {
  ForeignKey,
  ForeignKeyOfRecord,
  StreamTableJoin,
  StreamTableLeftJoin,
  TableJoin,
  TableLeftJoin,
  TableOuterJoin,
} from './dsl/joins/join-options.js';
export type { JoinWindowOptions } from './dsl/joins/join-windows.js';
export type {
  StreamJoinOptions,
  StreamStreamJoin,
  StreamStreamLeftJoin,
  StreamStreamOuterJoin,
} from './dsl/joins/stream-stream-options.js';
export type { BuildOptions, Optimization } from './dsl/optimization.js';
export type {
  AggregateOptions,
  AsyncCall,
  AsyncOptions,
  ExpiringOptions,
  GroupOptions,
  NamedOptions,
  ProcessOptions,
  RepartitionOptions,
  StoreOptions,
  StreamOptions,
  SuppressOptions,
  TableOptions,
  ToOptions,
  WindowedOptions,
} from './dsl/options.js';
export type {
  BranchedStream,
  CogroupedKStream,
  KGroupedStream,
  KGroupedTable,
  KStream,
  KTable,
  SessionWindowedCogroupedKStream,
  SessionWindowedKStream,
  TimeWindowedCogroupedKStream,
  TimeWindowedKStream,
  WindowedKStream,
} from './dsl/streams.js';
export { StreamsBuilder } from './dsl/streams-builder.js';
export {
  type BufferLimits,
  type Suppression,
  type TimeLimit,
  untilTimeLimit,
  untilWindowCloses,
  type WhenFull,
  type WindowClosing,
} from './dsl/suppression.js';
export {
  type CalendarOptions,
  type CalendarUnit,
  type CalendarWeekOptions,
  calendar,
  type Weekday,
} from './dsl/windows/calendar-windows.js';
export { session } from './dsl/windows/session-windows.js';
export { sliding } from './dsl/windows/sliding-windows.js';
export { hopping, tumbling, unlimited } from './dsl/windows/time-windows.js';
export type {
  EmitStrategy,
  FixedWindows,
  SessionWindows,
  SlidingWindows,
  TimeWindows,
  UnlimitedWindows,
} from './dsl/windows/windows.js';
export type { Awaitable } from './model/awaitable.js';
export { type ByteKey, byteKey, bytesOfKey } from './model/byte-key.js';
export { type Duration, durationMs } from './model/duration.js';
export * from './model/errors.js';
export type { Offset } from './model/offset.js';
export type { Header, Headers } from './model/record-set.js';
export { resolveSettings, type Settings, type SettingsInput, settingsFromText } from './model/settings.js';
export type { TaskId } from './model/task-id.js';
export type { TopicPartition } from './model/topic-partition.js';
export type { Window, Windowed } from './model/windowed.js';
export type {
  FixedKeyProcessor,
  FixedKeyProcessorContext,
  FixedKeyProcessorSupplier,
  FixedKeyRecord,
} from './processor/fixed-key.js';
export type { Processor, ProcessorSupplier } from './processor/processor.js';
export type {
  Cancellable,
  ProcessorContext,
  PunctuationType,
  Punctuator,
  RecordMetadata,
} from './processor/processor-context.js';
export { StreamRecord } from './processor/stream-record.js';
export type {
  ValueTransformer,
  ValueTransformerContext,
  ValueTransformerSupplier,
} from './processor/value-transformer.js';
export { bytes } from './serde/bytes-serde.js';
export { json } from './serde/json-serde.js';
export { list } from './serde/list-serde.js';
export { nullable } from './serde/nullable-serde.js';
export { double, int, long } from './serde/number-serdes.js';
export type { Serde, SerdeType } from './serde/serde.js';
export { boolean, float, nothing, short, uuid } from './serde/small-serdes.js';
export { string } from './serde/string-serde.js';
export { sessionWindowedSerde, timeWindowedSerde, type WindowedSerde } from './serde/windowed-serdes.js';
export type { ByteStore, KeyRange, StoredEntry, StoredValue } from './state/byte-store.js';
export type { WindowChangelogKey } from './state/changelog-keys.js';
export type {
  Entries,
  KeyValue,
  KeyValueStore,
  ReadOnlyKeyValueStore,
  ReadOnlySessionStore,
  ReadOnlyWindowStore,
  SessionStore,
  StateStore,
  TimestampedKeyValueStore,
  ValueAndTimestamp,
  VersionedKeyValueStore,
  VersionedRecord,
  VersionPut,
  WindowStore,
  WindowValue,
} from './state/state-store.js';
export { type AppInput, defineApp, type StreamsApp } from './topology/app.js';
export { type CustomStoreOptions, customStore } from './topology/custom-store.js';
export type {
  FailedRecord,
  FailedSource,
  FailureHandlers,
  FailureKind,
  FailureResponse,
} from './topology/failure-handlers.js';
export type { RestoreProgress, StreamsListeners, TaskState } from './topology/listeners.js';
export type { RecordContext, StreamPartitioner, TimestampExtractor, TopicNameExtractor } from './topology/node.js';
export type { OffsetReset } from './topology/offset-reset.js';
export type { CommonStoreOptions } from './topology/store-checks.js';
export type { StoreContext, StoreKind, StoreSpec } from './topology/store-spec.js';
export { type KeyValueStoreOptions, keyValueStore, timestampedKeyValueStore } from './topology/stores.js';
export {
  failOnInvalidTimestamp,
  logAndSkipOnInvalidTimestamp,
  usePartitionTimeOnInvalidTimestamp,
  wallclockTimestamp,
} from './topology/timestamp-extractors.js';
export type { SubTopology, Topology } from './topology/topology.js';
export {
  type Names,
  type ProcessorOptions,
  type ReadOnlyStoreOptions,
  type SinkOptions,
  type SourceOptions,
  TopologyBuilder,
} from './topology/topology-builder.js';
export type { UncaughtException, UncaughtExceptionHandler, UncaughtResponse } from './topology/uncaught-exceptions.js';
export {
  type SessionStoreOptions,
  sessionStore,
  timestampedWindowStore,
  type VersionedStoreOptions,
  versionedStore,
  type WindowStoreOptions,
  windowStore,
} from './topology/windowed-stores.js';
