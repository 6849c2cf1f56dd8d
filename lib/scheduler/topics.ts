/**
 * Topics as a tick needs them: sources must be there, counts must be as recorded, internal topics must fit. Pure.
 *
 *   K1  a source topic whose partition count differs from the recorded one stops the application before anything is touched
 *   K2  an internal topic that exists is used only with the partition count and cleanup policy that the topology wants;
 *       other settings are the operator's
 *   K3  an internal topic that was there and is gone is not made again in silence: its content was state
 *   K4  dead-letter topics that the settings name must be there before the first record can need it
 *   K5  a topic that the application writes and reads keeps the partitioner that was recorded for it
 * Kafka: `InternalTopicManager`.
 */
import type { Plan } from '../leases/records.js';
import type { TopicDescription } from '../log/log.js';
import { deadLetterTopics } from '../model/dead-letter-topics.js';
import {
  InternalTopicMismatchError,
  InvalidSettingError,
  MissingSourceTopicError,
  PartitionCountChangedError,
} from '../model/errors.js';
import { internalTopicName, type StreamsApp, topicName } from '../topology/app.js';
import { type InternalTopicSpec, internalTopicSpecs } from '../topology/internal-topic-specs.js';
import { type PartitionerNames, partitionerNames, refuseOtherPartitioners } from '../topology/partitioner-names.js';
import { type ResolvedPartitions, resolvePartitions } from '../topology/resolve-partitions.js';
import type { CreateInternalTopic } from './actions.js';
import type { ApplicationState } from './state.js';

const CLEANUP_POLICY = 'cleanup.policy';

/** What the topology is on these topics. */
export interface Resolution {
  readonly resolved: ResolvedPartitions;
  readonly create: readonly CreateInternalTopic[];
  /** Counts to record with a plan: of all sources and internal topics. */
  readonly partitions: Readonly<Record<string, number>>;
  /** Partitioners to record with a plan. */
  readonly partitioners: PartitionerNames;
}

/**
 * Names on the broker of all topics that the application reads or owns, and of its dead-letter topics, sorted. Of sources with a pattern:
 * those that they were matched with.
 */
export function topicsOf(app: StreamsApp): readonly string[] {
  const others = [...globalTopicsOf(app), ...deadLetterTopics(app.settings).keys()];
  const names = [...sourceTopicsOf(app), ...internalTopicsOf(app), ...others];
  return [...new Set(names)].sort();
}

/**
 * Checks topics and resolves tasks.
 *
 * @throws {PartitionCountChangedError} STREAMS_PARTITION_COUNT_CHANGED (K1) · {MissingSourceTopicError}
 *   STREAMS_MISSING_SOURCE_TOPIC · {NotCopartitionedError} STREAMS_NOT_COPARTITIONED · {InternalTopicMismatchError}
 *   STREAMS_INTERNAL_TOPIC_MISMATCH (K2, K3) · {InvalidSettingError} STREAMS_INVALID_SETTING (K4) · {PartitionerChangedError}
 *   STREAMS_PARTITIONER_CHANGED (K5)
 */
export function resolveTopics(state: Pick<ApplicationState, 'app' | 'topics' | 'plan' | 'nowMs'>): Resolution {
  const { app, topics, plan } = state;
  refuseOtherPartitioners(app, plan?.partitioners);
  const internal = new Set(internalTopicsOf(app));
  const sources = sourceTopicsOf(app).filter((topic) => !internal.has(topic));
  for (const topic of sources) checkRecorded(topic, topics.get(topic), plan);
  const counts = new Map([...topics].map(([topic, { partitions }]) => [topic, partitions]));
  const resolved = resolvePartitions(app, counts);
  checkGlobalTopics(app, topics);
  checkDeadLetters(app, topics);
  const specs = internalTopicSpecs(app, resolved);
  for (const spec of specs) {
    const found = topics.get(spec.name);
    if (found === undefined) checkNotLost(spec, plan, state);
    else checkInternalTopic(spec, found);
  }
  return {
    resolved,
    create: specs.filter(({ name }) => !topics.has(name)).map((spec) => ({ type: 'CreateInternalTopic', spec })),
    partitions: Object.fromEntries(
      [
        ...sources.map((topic) => [topic, counts.get(topic) ?? 0] as const),
        ...specs.map(({ name, partitions }) => [name, partitions] as const),
      ].sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    partitioners: partitionerNames(app),
  };
}

/**
 * Holds an internal topic against what is wanted (K2).
 *
 * @throws {InternalTopicMismatchError} STREAMS_INTERNAL_TOPIC_MISMATCH naming topic, setting, wanted and found
 */
export function checkInternalTopic(spec: InternalTopicSpec, found: TopicDescription): void {
  if (found.partitions !== spec.partitions) throw mismatch(spec.name, 'partitions', spec.partitions, found.partitions);
  const wanted = spec.config[CLEANUP_POLICY] ?? 'delete';
  const policy = found.config[CLEANUP_POLICY] ?? 'delete';
  if (policies(wanted) !== policies(policy)) throw mismatch(spec.name, CLEANUP_POLICY, wanted, policy);
}

function checkRecorded(topic: string, found: TopicDescription | undefined, plan: Plan | null): void {
  const recorded = plan?.partitions[topic];
  if (recorded === undefined || found === undefined || recorded === found.partitions) return;
  throw new PartitionCountChangedError(
    `topic '${topic}' has ${found.partitions} partitions, ${recorded} were recorded when the application started`,
    { details: { topic, recorded, found: found.partitions } },
  );
}

/** They may grow: no task depends on the number of their partitions, and members read those that there are. */
function checkGlobalTopics(app: StreamsApp, topics: ReadonlyMap<string, TopicDescription>): void {
  const missing = globalTopicsOf(app).filter((topic) => !topics.has(topic));
  if (missing.length === 0) return;
  throw new MissingSourceTopicError(`topics of global stores do not exist: ${missing.join(', ')}`, {
    details: { topics: missing },
  });
}

function checkDeadLetters(app: StreamsApp, topics: ReadonlyMap<string, TopicDescription>): void {
  for (const [topic, name] of deadLetterTopics(app.settings)) {
    if (topics.has(topic)) continue;
    throw new InvalidSettingError(`${name}: the dead-letter topic '${topic}' does not exist`, {
      details: { name, topic },
      remedy: 'Create the topic that the message names, then start again.',
    });
  }
}

/** A topic made a moment ago may not be known everywhere yet; one that an older plan has recorded is lost. */
function checkNotLost(
  spec: InternalTopicSpec,
  plan: Plan | null,
  state: Pick<ApplicationState, 'app' | 'nowMs'>,
): void {
  if (plan?.partitions[spec.name] === undefined) return;
  if (state.nowMs - plan.createdAtMs < state.app.settings.sessionTimeoutMs) return;
  throw new InternalTopicMismatchError(
    `internal topic '${spec.name}' is gone, wanted: ${spec.partitions} partitions, found: no topic`,
    {
      details: { topic: spec.name, wanted: spec.partitions, found: null, planNumber: plan.number },
      remedy: 'Restore the topic, or reset the application: what the topic held was state.',
    },
  );
}

function mismatch(topic: string, setting: string, wanted: unknown, found: unknown): InternalTopicMismatchError {
  return new InternalTopicMismatchError(
    `internal topic '${topic}' does not fit: ${setting} wanted: ${wanted}, found: ${found}`,
    { details: { topic, setting, wanted, found } },
  );
}

/** `compact,delete` and `delete, compact` are one policy. */
function policies(text: string): string {
  return text
    .split(',')
    .map((policy) => policy.trim())
    .sort()
    .join(',');
}

function sourceTopicsOf(app: StreamsApp): readonly string[] {
  return [...new Set(app.topology.subTopologies.flatMap((part) => part.sourceTopics))].map((topic) =>
    topicName(app, topic),
  );
}

function globalTopicsOf({ topology }: StreamsApp): readonly string[] {
  return [...topology.globalStores.values()].map(({ topic }) => topic);
}

function internalTopicsOf(app: StreamsApp): readonly string[] {
  const changelogs = [...app.topology.changelogs.values()].filter(({ internal }) => internal);
  return [...app.topology.repartitionTopics.keys(), ...changelogs.map(({ topic }) => topic)].map((topic) =>
    internalTopicName(app, topic),
  );
}
