import type { StreamsApp } from '../../topology/app.js';

/** Kafka's test driver gives its one task this number, whatever the sub-topologies are. */
const ONLY_TASK = 0;

/** The application with one sub-topology, of Kafka's number, in which all are. */
export function inOneTask(app: StreamsApp): StreamsApp {
  const { subTopologies, nodes } = app.topology;
  if (subTopologies.every(({ id }) => id === ONLY_TASK)) return app;
  const members = new Set(subTopologies.flatMap((part) => part.nodes));
  const whole = {
    id: ONLY_TASK,
    nodes: [...nodes.keys()].filter((name) => members.has(name)),
    sourceTopics: subTopologies.flatMap((part) => part.sourceTopics),
    sinkTopics: [...new Set(subTopologies.flatMap((part) => part.sinkTopics))],
    stores: subTopologies.flatMap((part) => part.stores),
  };
  return { ...app, topology: { ...app.topology, subTopologies: [whole] } };
}
