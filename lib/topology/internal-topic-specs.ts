import { internalTopicName, type StreamsApp } from './app.js';
import type { ResolvedPartitions } from './resolve-partitions.js';

/** A topic that the application needs and owns, as the log is asked to create it. */
export interface InternalTopicSpec {
  /** On the broker. */
  readonly name: string;
  readonly partitions: number;
  /** Absent: the broker's default. */
  readonly replicationFactor?: number;
  /** By Kafka's names. */
  readonly config: Readonly<Record<string, string>>;
}

/** Kafka: `RepartitionTopicConfig`. Records go when they were processed (DeleteRecords), never by age. */
const REPARTITION_CONFIG = Object.freeze({
  'cleanup.policy': 'delete',
  'message.timestamp.type': 'CreateTime',
  'retention.ms': '-1',
  'segment.bytes': '52428800',
});

/** Kafka: `UnwindowedUnversionedChangelogTopicConfig`. */
const CHANGELOG_CONFIG = Object.freeze({ 'cleanup.policy': 'compact', 'message.timestamp.type': 'CreateTime' });

/**
 * All internal topics of an application with Kafka Streams' policies: repartition topics first, then changelogs.
 * A store's `changelogConfig` overrides single settings.
 */
export function internalTopicSpecs(app: StreamsApp, resolved: ResolvedPartitions): InternalTopicSpec[] {
  const { replicationFactor } = app.settings;
  const replication = replicationFactor > 0 ? { replicationFactor } : {};
  const repartition = [...resolved.repartitionTopics].map(([name, partitions]) => ({
    name,
    partitions,
    ...replication,
    config: REPARTITION_CONFIG,
  }));
  const overrides = new Map(
    [...app.topology.changelogs.values()].map(({ store, topic }) => [
      internalTopicName(app, topic),
      app.topology.stores.get(store)?.changelogConfig ?? {},
    ]),
  );
  const changelogs = [...resolved.changelogTopics].map(([name, partitions]) => ({
    name,
    partitions,
    ...replication,
    config: { ...CHANGELOG_CONFIG, ...overrides.get(name) },
  }));
  return [...repartition, ...changelogs];
}
