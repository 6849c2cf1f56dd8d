/**
 * What may be made better of a topology than its operators say, one by one. Kafka: `topology.optimization` (KIP-295, KIP-862).
 *
 * A choice of when a topology is built, and part of its persistent format: topics, stores and names follow from it.
 */
import { TopologyError } from '../model/errors.js';

/**
 * One of them.
 *
 * - `reuse.ktable.source.topics`: a table that is read from a topic is restored from that topic, without a changelog of its own
 * - `merge.repartition.topics`: repartition topics after one change of key become one topic
 * - `single.store.self.join`: a stream joined with itself is kept once
 */
export type Optimization = 'reuse.ktable.source.topics' | 'merge.repartition.topics' | 'single.store.self.join';

export interface BuildOptions {
  /** `none` (default), `all`, or those that are wanted. */
  readonly optimization?: 'none' | 'all' | readonly Optimization[];
  /**
   * Whether every store and topic that the application owns has to be named by you, so that no operator added later can rename it;
   * default false. Kafka: `ensure.explicit.internal.resource.naming` (KIP-1111).
   */
  readonly ensureExplicitInternalResourceNaming?: boolean;
}

const ALL: readonly Optimization[] = [
  'reuse.ktable.source.topics',
  'merge.repartition.topics',
  'single.store.self.join',
];

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what is no optimisation. Kafka: `verifyTopologyOptimizationConfigs` */
export function wantedOptimizations({ optimization = 'none' }: BuildOptions = {}): ReadonlySet<Optimization> {
  if (optimization === 'none') return new Set();
  if (optimization === 'all') return new Set(ALL);
  const wanted: readonly unknown[] = Array.isArray(optimization) ? optimization : [optimization];
  const unknown = wanted.filter((each) => !(ALL as readonly unknown[]).includes(each));
  if (unknown.length === 0) return new Set(wanted as readonly Optimization[]);
  throw new TopologyError(`there is no optimization '${unknown.map(String).join("', '")}'`, {
    details: { optimization, known: ALL },
    remedy: `Give 'none', 'all', or a list of ${ALL.join(', ')}.`,
  });
}
