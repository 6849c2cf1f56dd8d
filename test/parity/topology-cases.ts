/** Runs one case of the family `topology`: sub-topologies, partition counts, tasks and internal topics from counts of topics. */
import { StreamsError } from '../../lib/model/errors.js';
import { defineApp, type StreamsApp, topicName } from '../../lib/topology/app.js';
import { copartitionGroupsOf } from '../../lib/topology/copartition-groups.js';
import { defaultPartition, murmur2 } from '../../lib/topology/default-partitioner.js';
import { type InternalTopicSpec, internalTopicSpecs } from '../../lib/topology/internal-topic-specs.js';
import { type ResolvedPartitions, resolvePartitions } from '../../lib/topology/resolve-partitions.js';
import type { SubTopology, Topology } from '../../lib/topology/topology.js';
import { buildTopology } from './build-topology.js';

export interface TopologyCase {
  readonly name: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly topology: unknown;
  readonly partitions: Readonly<Record<string, number>>;
  readonly topologyDescription?: string;
  readonly errorAt?: string;
  /** What Kafka Streams made of it. */
  readonly [answer: string]: unknown;
}

/** The recorded keys of the default partitioner: `p12` is the partition among 12. */
export interface PartitionerCases {
  readonly cases: readonly (Readonly<Record<`p${number}`, number>> & {
    readonly key?: string;
    readonly longKey?: string;
    readonly hash: number;
  })[];
}

/** Runs a case. @returns the differences; none if the answers are the same */
export function runTopologyCase(json: unknown): readonly string[] {
  const of = json as TopologyCase | PartitionerCases;
  return 'cases' in of ? partitionerDifferences(of as PartitionerCases) : topologyDifferences(of as TopologyCase);
}

function topologyDifferences(of: TopologyCase): readonly string[] {
  const wanted = {
    topologyDescription: of.topologyDescription,
    copartitionGroups: of.copartitionGroups,
    subtopologies: of.subtopologies,
    globalStores: Array.isArray(of.globalStores) ? [...of.globalStores].sort() : of.globalStores,
    tasks: of.tasks,
    repartitionTopicConfigs: of.repartitionTopicConfigs,
    errorAt: of.errorAt,
  };
  const got: Readonly<Record<string, unknown>> = answerOf(of);
  return Object.entries(wanted).flatMap(([part, answer]) => difference(part, answer, got[part]));
}

function answerOf(of: TopologyCase): Readonly<Record<string, unknown>> {
  let topology: Topology;
  try {
    topology = buildTopology(of);
  } catch (thrown) {
    if (!(thrown instanceof StreamsError) || thrown.kind !== 'invalid') throw thrown;
    return { errorAt: 'build' };
  }
  const app = defineApp({ applicationId: 'app', topology });
  const described = {
    topologyDescription: topology.describe(),
    copartitionGroups: copartitionGroupsOf(app).map((group) => group.map((topic) => topicName(app, topic)).sort()),
  };
  try {
    const resolved = resolvePartitions(app, new Map(Object.entries(of.partitions)));
    return { ...described, ...resolvedAnswer(app, resolved) };
  } catch (thrown) {
    if (!(thrown instanceof StreamsError) || thrown.kind !== 'invalid') throw thrown;
    return { ...described, errorAt: 'assign' };
  }
}

function resolvedAnswer(app: StreamsApp, resolved: ResolvedPartitions): Readonly<Record<string, unknown>> {
  const specs = internalTopicSpecs(app, resolved);
  const repartition = specs.filter(({ name }) => resolved.repartitionTopics.has(name));
  return {
    globalStores: [...app.topology.globalStores.values()].map(({ topic, store }) => `${topic} -> ${store}`).sort(),
    subtopologies: app.topology.subTopologies.map((part) => subTopologyAnswer(app, resolved, specs, part)),
    tasks: Object.fromEntries(
      resolved.tasks.map(({ taskId, inputs, changelogs, stateful }) => [
        taskId,
        { inputPartitions: inputs.map(named), changelogPartitions: changelogs.map(named), stateful },
      ]),
    ),
    repartitionTopicConfigs: repartition
      .map(({ name, partitions, config }) => ({ topic: name, partitions, config }))
      .sort((a, b) => (a.topic < b.topic ? -1 : 1)),
  };
}

function subTopologyAnswer(
  app: StreamsApp,
  resolved: ResolvedPartitions,
  specs: readonly InternalTopicSpec[],
  part: SubTopology,
) {
  const names = (topics: readonly string[]) => topics.map((topic) => topicName(app, topic)).sort();
  const repartition = names(part.sourceTopics).filter((topic) => resolved.repartitionTopics.has(topic));
  const logs = part.stores.flatMap((store) => app.topology.changelogs.get(store) ?? []);
  const changelogs = new Set(logs.map(({ topic }) => topicName(app, topic)));
  const reused = logs.flatMap(({ topic, internal }) => (internal ? [] : [topic]));
  return {
    id: part.id,
    sourceTopics: names(part.sourceTopics),
    sinkTopics: names(part.sinkTopics),
    stores: part.stores,
    repartitionSourceTopics: Object.fromEntries(
      repartition.map((topic) => [topic, resolved.repartitionTopics.get(topic)]),
    ),
    changelogTopics: Object.fromEntries([
      ...specs
        .filter(({ name }) => changelogs.has(name))
        .map(({ name, partitions, config }) => [name, { partitions, config }] as const),
      ...reused.map((name) => [name, { sourceTopicReused: true, partitions: resolved.taskCounts[part.id] }] as const),
    ]),
  };
}

function named(at: { readonly topic: string; readonly partition: number }): string {
  return `${at.topic}-${at.partition}`;
}

function partitionerDifferences({ cases }: PartitionerCases): readonly string[] {
  return cases.flatMap((of) => {
    const key = keyBytes(of);
    const counts = Object.keys(of).flatMap((name) => (/^p\d+$/.test(name) ? [name as `p${number}`] : []));
    const partitions = Object.fromEntries(
      counts.map((name) => [name, defaultPartition(key, null, Number(name.slice(1)))]),
    );
    return difference(of.key ?? `${of.longKey}`, of, { ...of, ...partitions, hash: murmur2(key) });
  });
}

function keyBytes({ key, longKey = '0' }: PartitionerCases['cases'][number]): Buffer {
  if (key !== undefined) return Buffer.from(key, 'utf8');
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(longKey));
  return bytes;
}

function difference(part: string, wanted: unknown, got: unknown): string[] {
  const [left, right] = [canonical(wanted), canonical(got)];
  return left === right ? [] : [`${part}: expected ${left}, got ${right}`];
}

/** JSON with sorted names: the order of names carries no meaning. */
function canonical(value: unknown): string {
  return `${JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )}`;
}
