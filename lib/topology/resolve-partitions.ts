/**
 * From partition counts to tasks. Kafka: `RepartitionTopics`, `CopartitionedTopicsEnforcer`, `PartitionGrouper`, `ChangelogTopics`.
 *
 * Pure: counts of existing topics in, counts of internal topics and the list of tasks out. Topics are names on the broker here.
 */
import { MissingSourceTopicError, NotCopartitionedError, TopologyError } from '../model/errors.js';
import { greatest } from '../model/lists.js';
import { type TaskId, taskId } from '../model/task-id.js';
import type { TopicPartition } from '../model/topic-partition.js';
import { internalTopicName, type StreamsApp, topicName } from './app.js';
import { copartitionGroupsOf } from './copartition-groups.js';
import { compareNames } from './node-groups.js';
import type { SubTopology } from './topology.js';

/** Part of an application that resolving needs. */
export type ResolvableApp = Pick<StreamsApp, 'applicationId' | 'topology'>;

/** The changelog partition of one store of one task. */
export interface TaskChangelog extends TopicPartition {
  readonly store: string;
  /** False where a source topic serves as changelog. */
  readonly internal: boolean;
}

/** One task: what it reads and what its stores are restored from. */
export interface TaskSpec {
  readonly taskId: TaskId;
  readonly subTopology: number;
  readonly partition: number;
  /** By topic name. */
  readonly inputs: readonly TopicPartition[];
  /** By topic name. */
  readonly changelogs: readonly TaskChangelog[];
  /** Whether the task has a changelog: the assignor's meaning of the word. */
  readonly stateful: boolean;
}

/** Topics are names on the broker. */
export interface ResolvedPartitions {
  readonly repartitionTopics: ReadonlyMap<string, number>;
  /** Internal changelog topics. */
  readonly changelogTopics: ReadonlyMap<string, number>;
  /** Number of tasks by sub-topology id; 0 where a global store has the number. */
  readonly taskCounts: readonly number[];
  /** By sub-topology, then partition. */
  readonly tasks: readonly TaskSpec[];
}

/**
 * Computes partition counts and tasks. A source with a pattern reads the topics that it was matched with (`matchTopics`); while it has none
 * there are no tasks for it, and no internal topics that only it leads to.
 *
 * @param existing partition counts of the source topics, by name on the broker; more topics do no harm
 * @throws {MissingSourceTopicError} STREAMS_MISSING_SOURCE_TOPIC with all names · {NotCopartitionedError}
 *   STREAMS_NOT_COPARTITIONED with topics and counts · {TopologyError} STREAMS_INVALID_TOPOLOGY if a count cannot be told
 */
export function resolvePartitions(app: ResolvableApp, existing: ReadonlyMap<string, number>): ResolvedPartitions {
  const counts = sourceCounts(app, existing);
  countRepartitionTopics(app, counts);
  enforceCopartitions(app, counts);
  const tasks = app.topology.subTopologies.map((part) => tasksOf(app, part, counts));
  return {
    repartitionTopics: new Map(
      [...app.topology.repartitionTopics.keys()]
        .filter((name) => counts.has(name))
        .map((name) => [internalTopicName(app, name), countOf(app, name, counts)]),
    ),
    changelogTopics: new Map(
      tasks.flatMap((list) =>
        list
          .flatMap(({ changelogs }) => changelogs.filter(({ internal }) => internal))
          .map(({ topic }) => [topic, list.length]),
      ),
    ),
    taskCounts: taskCountsOf(app, tasks),
    tasks: tasks.flat(),
  };
}

function taskCountsOf({ topology }: ResolvableApp, tasks: readonly (readonly TaskSpec[])[]): number[] {
  const counts = new Array<number>(topology.subTopologies.length + topology.globalStores.size).fill(0);
  for (const [index, { id }] of topology.subTopologies.entries()) counts[id] = tasks[index]?.length ?? 0;
  return counts;
}

/** Counts by the topology's own topic names. */
type Counts = Map<string, number>;

function sourceCounts(app: ResolvableApp, existing: ReadonlyMap<string, number>): Counts {
  const { subTopologies, repartitionTopics } = app.topology;
  const external = new Set(
    subTopologies.flatMap((part) => part.sourceTopics).filter((topic) => !repartitionTopics.has(topic)),
  );
  const missing = [...external].filter((topic) => existing.get(topic) === undefined).sort(compareNames);
  if (missing.length > 0) {
    throw new MissingSourceTopicError(`source topics do not exist: ${missing.join(', ')}`, {
      details: { topics: missing },
    });
  }
  return new Map([...external].map((topic) => [topic, existing.get(topic) as number]));
}

/**
 * Explicit counts, and for the others the greatest count upstream. Counts flow along chains of repartition topics: each round
 * raises what it can, and since no count can pass the greatest one given, the rounds end.
 */
function countRepartitionTopics(app: ResolvableApp, counts: Counts): void {
  const { repartitionTopics, subTopologies } = app.topology;
  for (const { name, partitions } of repartitionTopics.values())
    if (partitions !== undefined) counts.set(name, partitions);
  const open = [...repartitionTopics.values()].filter(({ partitions }) => partitions === undefined);
  let changed = true;
  for (let round = 0; changed && round <= repartitionTopics.size; round += 1) {
    changed = false;
    for (const { name } of open) {
      const count = greatestUpstream(name, subTopologies, counts);
      if (count === (counts.get(name) ?? 0)) continue;
      counts.set(name, count);
      changed = true;
    }
  }
  const unknown = open.filter(({ name }) => counts.get(name) === undefined).map(({ name }) => name);
  if (unknown.length > 0 && !waitsForTopics(app)) {
    throw new TopologyError(`no source topic tells how many partitions these topics need: ${unknown.join(', ')}`, {
      details: { topics: unknown },
      remedy: 'Give the number of partitions, or let a topic that exists lead to the repartition topic.',
    });
  }
}

/** Whether a source has a pattern that no topic matches yet: what lies behind it is not there before one does. */
function waitsForTopics({ topology }: ResolvableApp): boolean {
  return [...topology.nodes.values()].some(
    (node) => node.kind === 'source' && node.pattern !== undefined && node.topics.length === 0,
  );
}

function greatestUpstream(topic: string, subTopologies: readonly SubTopology[], counts: Counts): number {
  const upstream = subTopologies.filter(({ sinkTopics }) => sinkTopics.includes(topic));
  const sources = upstream.flatMap(({ sourceTopics }) => sourceTopics);
  return greatest(
    0,
    sources.map((source) => counts.get(source) ?? 0),
  );
}

/**
 * Unlike Kafka Streams this goes on until nothing moves any more, so that a topic of two groups does not leave one of them with two counts.
 * What moves grows, to a count that is there: one round for each group is enough.
 */
function enforceCopartitions(app: ResolvableApp, counts: Counts): void {
  const groups = [...copartitionGroupsOf(app), ...app.topology.copartitionedUnasked];
  for (let round = 0; round < groups.length; round += 1) {
    const before = new Map(counts);
    for (const group of groups) enforceCopartition(app, group, counts);
    if ([...counts].every(([topic, count]) => before.get(topic) === count)) return;
  }
}

/**
 * One count for a group: that of its external topics; if all are repartition topics, the explicit one, else the greatest.
 * Unlike Kafka Streams 4.1 this is also checked where a topology has no repartition topic at all.
 */
function enforceCopartition(app: ResolvableApp, group: readonly string[], counts: Counts): void {
  const { repartitionTopics } = app.topology;
  const fixed = group.filter((topic) => !repartitionTopics.has(topic));
  const explicit = group.filter((topic) => repartitionTopics.get(topic)?.partitions !== undefined);
  const deciding = [...fixed, ...explicit];
  const wanted = deciding.map((topic) => counts.get(topic) as number);
  if (wanted.some((count) => count !== wanted[0])) throw notCopartitioned(app, deciding, counts);
  const known = group.flatMap((topic) => counts.get(topic) ?? []);
  if (known.length === 0) return; // nothing leads there yet
  const count = wanted[0] ?? greatest(0, known);
  for (const topic of group) counts.set(topic, count);
}

function notCopartitioned(app: ResolvableApp, topics: readonly string[], counts: Counts): NotCopartitionedError {
  const partitions = Object.fromEntries(topics.map((topic) => [topicName(app, topic), counts.get(topic)]));
  const named = Object.entries(partitions).map(([topic, count]) => `${topic} has ${count}`);
  return new NotCopartitionedError(`joined topics need one number of partitions: ${named.join(', ')}`, {
    details: { partitions },
  });
}

function countOf(app: ResolvableApp, topic: string, counts: Counts): number {
  const count = counts.get(topic);
  if (count === undefined)
    throw new TopologyError(`topic '${topicName(app, topic)}' has no partition count`, { details: { topic } });
  return count;
}

function tasksOf(app: ResolvableApp, part: SubTopology, counts: Counts): TaskSpec[] {
  const sources = part.sourceTopics.flatMap((topic) => {
    const count = counts.get(topic);
    return count === undefined ? [] : [{ topic: topicName(app, topic), count }];
  });
  sources.sort((a, b) => compareNames(a.topic, b.topic));
  const length = greatest(
    0,
    sources.map(({ count }) => count),
  );
  return Array.from({ length }, (_, partition) => {
    const inputs = sources.filter(({ count }) => partition < count).map(({ topic }) => ({ topic, partition }));
    const changelogs = changelogsOf(app, part, partition);
    return {
      taskId: taskId(part.id, partition),
      subTopology: part.id,
      partition,
      inputs,
      changelogs,
      stateful: changelogs.length > 0,
    };
  });
}

function changelogsOf(app: ResolvableApp, part: SubTopology, partition: number): TaskChangelog[] {
  const logs = part.stores.flatMap((store) => app.topology.changelogs.get(store) ?? []);
  return logs
    .map(({ store, topic, internal }) => ({
      store,
      topic: internal ? internalTopicName(app, topic) : topic,
      partition,
      internal,
    }))
    .sort((a, b) => compareNames(a.topic, b.topic));
}
