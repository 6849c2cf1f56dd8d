import { keptOnDemand } from './kept-on-demand.js';
import { PREFIX } from './names.js';
import type { ExpiringOptions, NamedOptions, StoreOptions } from './options.js';
import { mergeableRepartitionNode, repartitionNames } from './repartition.js';
import type { KTable } from './streams.js';
import type { StreamParts, Wiring } from './wiring.js';

/** A stream's latest value by key. Kafka: `KStreamImpl.toTable`. */
export function toTable<K, V>(
  wiring: Wiring,
  stream: StreamParts<K, V>,
  options: NamedOptions & StoreOptions & ExpiringOptions,
): KTable<K, V> {
  const { graph } = wiring;
  const { key, value } = stream;
  const name = graph.names.orGenerated(options.name, PREFIX.toTable);
  const store = options.store ?? graph.names.store(PREFIX.toTable);
  const parent = stream.keyChanged
    ? graph.add(mergeableRepartitionNode(stream.node, repartitionNames(graph, name), { name, key, value }))
    : stream.node;
  return keptOnDemand(wiring, { name, parents: [parent], store, key, value, options });
}
