import type { Serde } from '../serde/serde.js';
import { internalTopicName, type StreamsApp, topicName } from '../topology/app.js';

/** The serdes of a topic's records. */
export interface TopicSerdes {
  readonly key: Serde<unknown>;
  readonly value: Serde<unknown>;
}

/** The serdes that a topology uses for each topic it names, by name on the broker: those of sources before those of sinks. */
export function serdesByTopic(app: StreamsApp): ReadonlyMap<string, TopicSerdes> {
  const { topology } = app;
  const serdes = new Map<string, TopicSerdes>();
  for (const { store, topic } of topology.changelogs.values()) {
    const spec = topology.stores.get(store);
    if (spec === undefined) continue;
    const key = spec.changelogKeySerde ?? spec.keySerde;
    serdes.set(internalTopicName(app, topic), { key, value: spec.valueSerde });
  }
  for (const node of topology.nodes.values()) {
    if (node.kind === 'sink' && typeof node.topic === 'string') {
      serdes.set(topicName(app, node.topic), { key: node.keySerde, value: node.valueSerde });
    }
  }
  for (const node of topology.nodes.values()) {
    if (node.kind !== 'source') continue;
    for (const topic of node.topics) {
      serdes.set(topicName(app, topic), { key: node.keySerde, value: node.valueSerde });
    }
  }
  return serdes;
}
