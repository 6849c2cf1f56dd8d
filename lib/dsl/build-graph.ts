/** From the operators of a builder to a topology: optimised as far as it is wanted, then written node by node. */
import { TopologyError } from '../model/errors.js';
import type { Topology } from '../topology/topology.js';
import { TopologyBuilder } from '../topology/topology-builder.js';
import { GraphPlan } from './graph-plan.js';
import { mergeRepartitions } from './merge-repartitions.js';
import { isGeneratedName } from './names.js';
import { type BuildOptions, wantedOptimizations } from './optimization.js';
import type { StreamsGraph } from './streams-graph.js';

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY. Kafka: `buildAndOptimizeTopology` */
export function buildGraph(graph: StreamsGraph, options: BuildOptions): Topology {
  const wanted = wantedOptimizations(options);
  const plan = new GraphPlan(graph.added, graph.nodes);
  if (wanted.has('merge.repartition.topics')) mergeRepartitions(plan);
  const builder = new TopologyBuilder();
  plan.write(builder, {
    reuseSourceTopics: wanted.has('reuse.ktable.source.topics'),
    singleStoreSelfJoins: wanted.has('single.store.self.join'),
  });
  const topology = builder.build();
  if (options.ensureExplicitInternalResourceNaming === true) refuseGeneratedNames(topology);
  return topology;
}

function refuseGeneratedNames({ stores, repartitionTopics }: Topology): void {
  const unnamed = [...stores.keys(), ...repartitionTopics.keys()].filter(isGeneratedName);
  if (unnamed.length === 0) return;
  throw new TopologyError(`these have no names of yours: ${unnamed.join(', ')}`, {
    details: { unnamed },
    remedy: 'Give the stores (`store`) and the operators that make the topics (`name`) names.',
  });
}
