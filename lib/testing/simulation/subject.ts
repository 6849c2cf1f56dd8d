/** What is put into the simulation: an application, its topics, and how its outputs are compared with the reference. */
import type { Host } from '../../host/host.js';
import type { Settings } from '../../model/settings.js';
import type { StreamsApp } from '../../topology/app.js';
import type { ScenarioInput } from './scenario.js';
import type { ComparedParts } from './seen-value.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { Timeline } from './timeline.js';
import type { VirtualTime } from './virtual-time.js';

/**
 * How the records of an output topic are compared with those of the reference (reference.ts), at exactly once:
 *   - `sequence`: per key the same values in the same order (what a key gets must not depend on how partitions interleave)
 *   - `multiset`: per key the same values, in any order
 *   - `last`: per key the same last value
 *   - `none`: not compared
 *
 * Where a cache may leave updates out, what is left of them is compared; at least once, records may be repeated, and none may
 * be missing (output-comparison.ts).
 */
export type OutputComparison = 'sequence' | 'multiset' | 'last' | 'none';

export interface Subject {
  readonly app: StreamsApp;
  /** Makes the application of a new execution environment, of the same topology. Absent: all share `app`. */
  readonly createApp?: (
    process: SimulatedProcess,
    cloud: { readonly time: VirtualTime; readonly timeline: Timeline; readonly host: Host },
  ) => StreamsApp;
  /** Begins a reference: answers what makes the application of each of its tasks, whose memory is its own. Absent: all share `app`. */
  readonly beginReference?: () => () => StreamsApp;
  /** Source and sink topics with their partitions, names on the broker. */
  readonly topics: Readonly<Record<string, number>>;
  /** By name on the broker; a sink topic that is not named is compared as `multiset`. */
  readonly outputs: Readonly<Record<string, OutputComparison>>;
  /** By output topic: what is compared of each record besides its value. Absent: nothing. */
  readonly comparedParts?: Readonly<Record<string, ComparedParts>>;
  /** Output topics whose values number the records of each key (longs 1, 2, 3 …): a duplicate or a gap shows in them. */
  readonly counting?: readonly string[];
  /** Stores whose content depends on more than the input, on timers for example: not compared with the reference. */
  readonly incomparableStores?: readonly string[];
  /** Stores in which records wait that are compared without where those came from: offsets of repartition topics are no input. */
  readonly storesWithoutOrigins?: readonly string[];
  /** Whether the application falls asleep when there is no input: `idleTimeoutMs` is not 0, and no timer keeps it awake. */
  readonly sleeps?: boolean;
  /** A second opinion on the outputs, worked out without any code of the product. Absent: there is none. */
  readonly oracle?: (seen: SeenOutputs) => readonly string[];
}

/** What an oracle judges. */
export interface SeenOutputs {
  /** All input, in the order in which it was appended. */
  readonly inputs: readonly ScenarioInput[];
  readonly settings: Settings;
  /** The values of each key of a topic, in order, as a reader of committed records sees them. Null keys are left out. */
  read(topic: string): ReadonlyMap<string, readonly (Uint8Array | null)[]>;
}
