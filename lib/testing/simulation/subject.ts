/** What is put into the simulation: an application, its topics, and how its outputs are compared with the reference. */
import type { StreamsApp } from '../../topology/app.js';

/**
 * How the records of an output topic are compared with those of a run of one process without faults, at exactly once:
 *   - `sequence`: per key the same values in the same order (what a key gets must not depend on how partitions interleave)
 *   - `multiset`: per key the same values, in any order
 *   - `last`: per key the same last value
 *   - `none`: not compared
 */
export type OutputComparison = 'sequence' | 'multiset' | 'last' | 'none';

export interface Subject {
  readonly app: StreamsApp;
  /** Source and sink topics with their partitions, names on the broker. */
  readonly topics: Readonly<Record<string, number>>;
  /** By name on the broker; a sink topic that is not named is compared as `multiset`. */
  readonly outputs: Readonly<Record<string, OutputComparison>>;
}
