/** A recorded case of Kafka Streams' behaviour, as JSON. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** One record given to the topology, or a step of the wall clock. */
export type CaseInput =
  | {
      readonly topic: string;
      readonly key: Json;
      readonly value: Json;
      readonly ts: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly advanceWallClockMs: number };

/** A record that the topology wrote, caused by input `i`. */
export interface CaseRecord {
  readonly key: Json;
  readonly value: Json;
  readonly ts: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly i: number;
}

export interface CaseEntry {
  readonly key: Json;
  readonly value: Json;
  readonly ts?: number;
}

/** A question to a versioned store after the last input, and its answer. */
export interface CaseQuery {
  readonly store: string;
  readonly key: Json;
  readonly asOf?: number;
  readonly result: Json;
}

/** A case of the family `processing`: a topology as data, what goes in, and all that Kafka Streams made of it. */
export interface ProcessingCase {
  readonly name: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly initialWallClockMs?: number;
  readonly topology: { readonly [name: string]: Json };
  readonly topologyDescription?: string;
  readonly inputs: readonly CaseInput[];
  readonly outputs?: readonly (CaseRecord & { readonly topic: string })[];
  readonly stores?: Readonly<Record<string, readonly CaseEntry[]>>;
  readonly repartitions?: Readonly<Record<string, readonly CaseRecord[]>>;
  readonly changelogs?: Readonly<Record<string, readonly CaseRecord[]>>;
  readonly opaqueInternalTopics?: Readonly<Record<string, number>>;
  readonly queries?: readonly CaseQuery[];
  readonly error?: string;
  /** `build`, `start`, or the index of the input. */
  readonly errorAt?: string | number;
}
