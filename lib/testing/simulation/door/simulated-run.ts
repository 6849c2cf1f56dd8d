/** What a run came to, decoded. */

import type { Serde } from '../../../serde/serde.js';
import type { StateStore } from '../../../state/state-store.js';

/** A record of the log after a run. */
export interface SimulatedRecord<K, V> {
  readonly key: K;
  readonly value: V;
  readonly partition: number;
  readonly offset: number;
  readonly timestampMs: number;
}

/** The results of one run. */
export interface SimulatedResults<Outside> {
  /** What was outside of the processes: fakes of services and what they have noted. */
  readonly outside: Outside;
  /**
   * The committed records of a topic that the application writes, by partition and offset. Changelogs can be read too, by
   * their names on the broker. Without serdes those of the topology are used.
   *
   * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if there is no such topic, or the topology does not tell its serdes
   */
  outputs(topic: string): readonly SimulatedRecord<unknown, unknown>[];
  outputs<K, V>(topic: string, serdes: { key: Serde<K>; value: Serde<V> }): readonly SimulatedRecord<K, V>[];
  /**
   * The committed content of a store, by partition. Read only.
   *
   * @throws {QueryRefusedError} STREAMS_QUERY_REFUSED if the topology has no store of that name
   */
  stores<S extends StateStore>(name: string): readonly S[];
}

/** One run with faults, for a user's own check. */
export interface SimulatedRun<K, V, Outside> extends SimulatedResults<Outside> {
  readonly seed: number;
  /** The records that have arrived in a topic, by partition and offset. */
  inputs<T extends keyof K & keyof V & string>(topic: T): readonly SimulatedRecord<K[T] | null, V[T] | null>[];
  /** The same input in one process, in order, without faults. */
  readonly reference: SimulatedResults<Outside>;
}
