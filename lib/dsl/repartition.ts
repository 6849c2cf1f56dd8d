/** The nodes around a repartition topic: a filter and a sink here, a source in the next sub-topology. */
import type { Serde } from '../serde/serde.js';
import type { StreamPartitioner } from '../topology/node.js';
import { isGeneratedStreamName, PREFIX, repartitionTopicOf } from './names.js';
import { dropNullKeys, passThrough } from './operators/stateless.js';
import type { GraphNode, Repartitioned, StreamsGraph } from './streams-graph.js';

export interface RepartitionRequest<K, V> {
  /** What the topic is named after: the user's name, a store or the operator. */
  readonly name: string;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  readonly partitions?: number | undefined;
  readonly partitioner?: StreamPartitioner | undefined;
}

/** Names of the three nodes; numbers are taken whether or not they are used, so that a name given later renames nothing. */
export interface RepartitionNames {
  readonly topic: string;
  readonly filter: string;
  readonly sink: string;
  readonly source: string;
}

export function repartitionNames(graph: StreamsGraph, name: string): RepartitionNames {
  const topic = repartitionTopicOf(name);
  const sink = graph.names.node(PREFIX.sink);
  const filter = graph.names.node(PREFIX.filter);
  const source = graph.names.node(PREFIX.source);
  if (isGeneratedStreamName(name)) return { topic, sink, filter, source };
  return namesAfter(topic);
}

function namesAfter(topic: string): RepartitionNames {
  return { topic, sink: `${topic}-sink`, filter: `${topic}-filter`, source: `${topic}-source` };
}

/** A repartition topic that operators needed, which may become one with others: see {@link repartitionNode}. */
export function mergeableRepartitionNode<K, V>(
  parent: GraphNode,
  names: RepartitionNames,
  request: RepartitionRequest<K, V>,
): GraphNode {
  const { key, value } = request as RepartitionRequest<unknown, unknown>;
  return { ...repartitionNode(parent, names, request), repartitions: { topic: names.topic, key, value } };
}

/** The one repartition topic in the place of several: its nodes are named after the first one's topic. */
export function mergedRepartition(parent: GraphNode, { topic, key, value }: Repartitioned): GraphNode {
  return repartitionNode(parent, namesAfter(topic), { name: topic, key, value });
}

/** Not yet added to the graph: a grouped stream adds one node for several aggregations. */
export function repartitionNode<K, V>(
  parent: GraphNode,
  names: RepartitionNames,
  request: RepartitionRequest<K, V>,
): GraphNode {
  const { key, value, partitions, partitioner } = request;
  return {
    name: names.source,
    parents: [parent],
    source: names.source,
    write(builder, parents, { keepsNullKeys }) {
      builder
        .addRepartitionTopic(names.topic, partitions)
        .addProcessor(names.filter, keepsNullKeys ? passThrough<K, V>() : dropNullKeys<K, V>(), { parents })
        .addSink(names.sink, names.topic, {
          parents: names.filter,
          key,
          value,
          ...(partitioner === undefined ? {} : { partitioner }),
        })
        .addSource(names.source, names.topic, { key, value });
    },
  };
}
