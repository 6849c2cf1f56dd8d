/**
 * By which functions the topics are partitioned that an application writes and reads again: records are found where they were sent, so
 * with another function keys would come to tasks that do not hold their state. Functions are told apart by their names. Pure.
 */
import { PartitionerChangedError } from '../model/errors.js';
import { type StreamsApp, topicName } from './app.js';
import type { StreamPartitioner } from './node.js';

/** What stands for murmur2 of the key, and for what the engine itself puts in its place. */
const DEFAULT_NAME = 'default';
/** What stands for a function that has no name. */
const UNNAMED = 'unnamed';

/** By topic on the broker; a topic that is not named has the default partitioner. */
export type PartitionerNames = Readonly<Record<string, string>>;

const ofEngine = new WeakSet<StreamPartitioner>();

/** Notes a partitioner as the engine's own: it is none that users change. */
export function enginePartitioner(partitioner: StreamPartitioner): StreamPartitioner {
  ofEngine.add(partitioner);
  return partitioner;
}

/** Those of users, of repartition topics and of other topics that the topology both writes and reads. */
export function partitionerNames(app: StreamsApp): PartitionerNames {
  const nodes = [...app.topology.nodes.values()];
  const read = new Set(nodes.flatMap((node) => (node.kind === 'source' ? node.topics : [])));
  const names: Record<string, string> = {};
  for (const node of nodes) {
    if (node.kind !== 'sink' || typeof node.topic !== 'string' || !read.has(node.topic)) continue;
    const { partitioner } = node;
    if (partitioner === undefined || ofEngine.has(partitioner)) continue;
    names[topicName(app, node.topic)] = partitioner.name === '' ? UNNAMED : partitioner.name;
  }
  return names;
}

/**
 * Holds an application to the partitioners that it began with. Kafka Streams does not notice.
 *
 * @param recorded with the plan; absent: nobody has recorded any
 * @throws {PartitionerChangedError} STREAMS_PARTITIONER_CHANGED naming the topic and both functions
 */
export function refuseOtherPartitioners(app: StreamsApp, recorded: PartitionerNames | undefined): void {
  if (recorded === undefined) return;
  const now = partitionerNames(app);
  const written = new Set(
    [...app.topology.nodes.values()].flatMap((node) =>
      node.kind === 'sink' && typeof node.topic === 'string' ? [topicName(app, node.topic)] : [],
    ),
  );
  for (const topic of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const before = recorded[topic] ?? DEFAULT_NAME;
    const name = now[topic] ?? DEFAULT_NAME;
    if (before === name || !written.has(topic)) continue;
    throw new PartitionerChangedError(`topic '${topic}' was partitioned by '${before}' and is to be by '${name}'`, {
      details: { topic, recorded: before, partitioner: name },
    });
  }
}
