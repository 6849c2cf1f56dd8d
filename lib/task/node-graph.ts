import { InternalError } from '../model/errors.js';
import { type StreamsApp, topicName } from '../topology/app.js';
import type { SourceNode } from '../topology/node.js';
import type { SubTopology } from '../topology/topology.js';
import type { Receiver } from './node.js';
import type { TaskServices } from './node-context.js';
import type { OutputCollector } from './output-collector.js';
import { RunningProcessor } from './processor-node.js';
import { RunningSink } from './sink-node.js';

/** A source of the graph: where the records of its topics go. */
export interface RunningSource {
  readonly node: SourceNode;
  readonly children: readonly Receiver[];
}

/** The nodes of a sub-topology, each bound to its children: nothing is looked up while records flow. */
export interface NodeGraph {
  /** By topic name on the broker. */
  readonly sources: ReadonlyMap<string, RunningSource>;
  /** Parents before children. */
  readonly processors: readonly RunningProcessor[];
}

/** Makes the nodes of one task. */
export function buildNodeGraph(
  app: StreamsApp,
  part: SubTopology,
  services: TaskServices,
  outputs: OutputCollector,
): NodeGraph {
  const { topology } = app;
  const receivers = new Map<string, Receiver>();
  const sources = new Map<string, RunningSource>();
  const processors: RunningProcessor[] = [];
  const childrenOf = (name: string) => (topology.children.get(name) ?? []).map((child) => known(receivers, child));
  // Children first, so that each node finds its children made.
  for (const name of [...part.nodes].reverse()) {
    const node = known(topology.nodes, name);
    if (node.kind === 'sink') {
      const topic = typeof node.topic === 'string' ? topicName(app, node.topic) : null;
      receivers.set(name, new RunningSink(node, topic, outputs, services));
    } else if (node.kind === 'processor') {
      const processor = new RunningProcessor(node, services);
      processor.context.bind(childrenOf(name));
      receivers.set(name, processor);
      processors.unshift(processor);
    } else {
      for (const topic of node.topics) sources.set(topicName(app, topic), { node, children: childrenOf(name) });
    }
  }
  return { sources, processors };
}

function known<V>(map: ReadonlyMap<string, V>, name: string): V {
  const value = map.get(name);
  if (value === undefined)
    throw new InternalError(`node ${name} is not where the topology says`, { details: { name } });
  return value;
}
