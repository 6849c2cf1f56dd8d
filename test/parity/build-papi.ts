/** Topologies of the Processor API, from data. */
import {
  long,
  type ProcessorSupplier,
  type Serde,
  type StoreSpec,
  string,
  type Topology,
  TopologyBuilder,
} from '../../lib/index.js';
import type { CaseType } from './case-functions.js';
import { type ProcessorRef, processorOf } from './case-processors.js';

export interface PapiNode {
  readonly op: string;
  readonly name: string;
  readonly topics?: readonly string[];
  readonly topic?: string;
  readonly source?: string;
  readonly parents?: readonly string[];
  readonly processor?: string | ProcessorRef;
  readonly stores?: readonly string[];
  readonly store?: string;
  readonly processors?: readonly string[];
  readonly key?: CaseType;
  readonly value?: CaseType;
}

export function buildPapi(nodes: readonly PapiNode[], stores: ReadonlyMap<string, StoreSpec>): Topology {
  const builder = new TopologyBuilder();
  for (const node of nodes) addNode(builder, node, stores);
  return builder.build();
}

function addNode(builder: TopologyBuilder, node: PapiNode, stores: ReadonlyMap<string, StoreSpec>): void {
  const { name, topics = [], topic = '', parents = [], processors = [] } = node;
  const serdes = { key: serdeOf(node.key), value: serdeOf(node.value) };
  switch (node.op) {
    case 'source':
      builder.addSource(name, topics, serdes);
      return;
    case 'processor':
      builder.addProcessor(name, processorOf(node.processor ?? '', node.stores ?? []), { parents });
      return;
    case 'store': {
      const store = stores.get(node.store ?? '');
      if (store === undefined) throw new Error(`the case has no store ${node.store}`);
      builder.addStateStore(store, ...processors);
      return;
    }
    case 'globalStore': {
      const store = stores.get(node.store ?? '');
      if (store === undefined) throw new Error(`the case has no store ${node.store}`);
      const { source = '', processor = '' } = node;
      const supplier = processorOf(processor, [store.name]) as ProcessorSupplier<unknown, unknown>;
      builder.addGlobalStore({ ...store, logged: false }, { topic, source, processor: name, ...serdes }, supplier);
      return;
    }
    case 'sink':
      builder.addSink(name, topic, { parents, ...serdes });
      return;
    default:
      throw new Error(`missing operator: ${node.op}`);
  }
}

function serdeOf(type: CaseType = 'string'): Serde<unknown> {
  return (type === 'long' ? long() : string()) as Serde<unknown>;
}
