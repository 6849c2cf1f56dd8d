import { GREATEST_TIME_MS } from '../state/packed-numbers.js';
import { internalTopicName, type StreamsApp } from './app.js';
import type { ResolvedPartitions } from './resolve-partitions.js';
import type { StoreSpec } from './store-spec.js';

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

/** What a changelog keeps beyond its store's retention. Kafka: `windowstore.changelog.additional.retention.ms`, at its default. */
const ADDITIONAL_RETENTION_MS = 86_400_000;

/** Kafka's greatest `long`: what the sum becomes for windows that never end. */
const FOR_EVER_MS = '9223372036854775807';

/** Kafka: `WindowedChangelogTopicConfig`, `VersionedChangelogTopicConfig`. */
function changelogConfig({ kind, retentionMs = 0 }: StoreSpec): Readonly<Record<string, string>> {
  const keptMs = retentionMs < GREATEST_TIME_MS ? String(retentionMs + ADDITIONAL_RETENTION_MS) : FOR_EVER_MS;
  switch (kind) {
    case 'window':
    case 'timestampedWindow':
    case 'session':
      return { ...CHANGELOG_CONFIG, 'cleanup.policy': 'compact,delete', 'retention.ms': keptMs };
    case 'versioned':
      return { ...CHANGELOG_CONFIG, 'min.compaction.lag.ms': keptMs };
    case 'keyValue':
    case 'timestampedKeyValue':
    case 'nonJoined':
    case 'waiting':
    case 'suppressed':
      return CHANGELOG_CONFIG;
  }
}

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
  const configs = new Map(
    [...app.topology.changelogs.values()].map(({ store, topic }) => [
      internalTopicName(app, topic),
      configOf(app.topology.stores.get(store)),
    ]),
  );
  const changelogs = [...resolved.changelogTopics].map(([name, partitions]) => ({
    name,
    partitions,
    ...replication,
    config: configs.get(name) ?? CHANGELOG_CONFIG,
  }));
  return [...repartition, ...changelogs];
}

function configOf(spec: StoreSpec | undefined): Readonly<Record<string, string>> {
  return spec === undefined ? CHANGELOG_CONFIG : { ...changelogConfig(spec), ...spec.changelogConfig };
}
