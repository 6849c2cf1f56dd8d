import type { Headers } from '../../model/record-set.js';

export interface TestDriverOptions {
  /** What the wall clock shows at first, in milliseconds since the epoch; default 0. */
  readonly wallClockMs?: number;
  /**
   * Partitions of each topic, or by topic, as it is named on the broker (those not named: 1). A repartition topic has what the
   * topology gives it. Absent: one each, also of repartition topics that are given more: Kafka's driver has no others.
   */
  readonly partitions?: number | Readonly<Record<string, number>>;
  /** Topics that there are, for sources with a pattern: each reads those that match. Those that `partitions` names are there as well. */
  readonly topics?: readonly string[];
  /**
   * One task for the whole topology, as Kafka's driver has; default false: each sub-topology has its own, as where it is deployed. Sub-topologies
   * then share stream time, and of records of one time that wait in several topics that one is next which Kafka's driver would take.
   * Not with `partitions`.
   */
  readonly oneTask?: boolean;
  /** Records and punctuations that a task processes before it commits; default 1. {@link TopologyTestDriver.commit} commits the rest. */
  readonly recordsPerCommit?: number;
}

/** A record given to a topology. */
export interface TestInput<K, V> {
  readonly key: K | null;
  readonly value: V | null;
  /** Milliseconds since the epoch; default: the driver's wall clock. */
  readonly timestampMs?: number;
  readonly headers?: Headers;
  /** Default: that of the default partitioner, by the key, or by the value of a record without one. */
  readonly partition?: number;
}

/** A record that a topology wrote. Kafka: `TestRecord`. */
export interface TestRecord<K, V> {
  readonly key: K;
  readonly value: V;
  readonly timestampMs: number;
  readonly headers: Headers;
  readonly partition: number;
}

/** A record as bytes. */
export type RawTestRecord = TestRecord<Uint8Array | null, Uint8Array | null>;

/** An entry of a store as bytes. */
export interface RawEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Of the record that wrote it, in milliseconds. */
  readonly timestampMs: number;
}

/** Who starts anew, and from what. */
export interface RestartOptions {
  /** Id of the task (`0_2`); absent: the whole member, global stores included. */
  readonly task?: string;
  /** `snapshot` (default): the newest snapshot and the changelog after it, as far as there is one · `changelog`: that alone. */
  readonly from?: 'snapshot' | 'changelog';
}
