import type { Plan } from '../leases/records.js';
import type { TopicAdmin } from '../log/log.js';
import { deadLetterTopics } from '../model/dead-letter-topics.js';
import { PartitionCountChangedError, UnknownTopicError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import { type StreamsApp, topicName } from '../topology/app.js';
import { refuseOtherPartitioners } from '../topology/partitioner-names.js';
import { resolvePartitions, type TaskSpec } from '../topology/resolve-partitions.js';
import { matchAllTopics, matchTopics } from '../topology/topic-patterns.js';

/** The tasks of an application, and the partition counts of the topics that they touch. */
export interface TaskDirectory {
  /** As it reads among the topics that there are. */
  readonly app: StreamsApp;
  readonly tasks: ReadonlyMap<TaskId, TaskSpec>;
  /** By name on the broker. */
  readonly partitionCounts: ReadonlyMap<string, number>;
  /** By name on the broker: which life of a topic this is. */
  readonly topicIds: ReadonlyMap<string, string>;
}

/**
 * Looks the topics up and works out the tasks.
 *
 * Sources with a pattern read those topics that the plan has recorded: all members then know the same tasks with the same inputs, and a
 * topic that is new has to wait for the scheduler. Before the first plan, and for queries, they are matched with all topics.
 *
 * @param plan what was recorded with it, counts and partitioners: a difference stops the application; null: nothing was yet
 * @throws {PartitionCountChangedError} STREAMS_PARTITION_COUNT_CHANGED · {MissingSourceTopicError} STREAMS_MISSING_SOURCE_TOPIC ·
 *   {PartitionerChangedError} STREAMS_PARTITIONER_CHANGED ·
 *   {UnknownTopicError} STREAMS_UNKNOWN_TOPIC if an internal topic has not been created yet
 */
export async function loadTaskDirectory(
  written: StreamsApp,
  log: TopicAdmin,
  plan: Pick<Plan, 'partitions' | 'partitioners'> | null,
): Promise<TaskDirectory> {
  refuseOtherPartitioners(written, plan?.partitioners);
  const recorded = plan?.partitions ?? {};
  const planned = await readAsPlanned(written, log, recorded);
  const described = await log.describeTopics(await namesOfTopics(planned, log));
  const app = matchTopics(planned, described.keys()); // without those that are gone since
  const partitionCounts = new Map([...described].map(([name, { partitions }]) => [name, partitions]));
  refuseChanges(recorded, partitionCounts);
  const resolved = resolvePartitions(app, partitionCounts);
  refuseMissing([...resolved.repartitionTopics.keys(), ...resolved.changelogTopics.keys()], partitionCounts);
  return {
    app,
    tasks: new Map(resolved.tasks.map((task) => [task.taskId, task])),
    partitionCounts,
    topicIds: new Map([...described].map(([name, { topicId }]) => [name, topicId])),
  };
}

async function readAsPlanned(
  app: StreamsApp,
  log: TopicAdmin,
  recorded: Readonly<Record<string, number>>,
): Promise<StreamsApp> {
  const names = Object.keys(recorded);
  return names.length > 0 ? matchTopics(app, names) : matchAllTopics(app, log);
}

/** Every topic that the topology names; all topics of the broker if a sink chooses its topic record by record. */
async function namesOfTopics(app: StreamsApp, log: TopicAdmin): Promise<readonly string[]> {
  const { topology, settings } = app;
  const nodes = [...topology.nodes.values()];
  if (nodes.some((node) => node.kind === 'sink' && typeof node.topic === 'function')) return log.listTopics();
  const written = new Set<string>();
  for (const node of nodes) {
    if (node.kind === 'source') for (const topic of node.topics) written.add(topic);
    if (node.kind === 'sink' && typeof node.topic === 'string') written.add(node.topic);
  }
  for (const { topic } of topology.changelogs.values()) written.add(topic);
  const names = new Set([...written].map((name) => topicName(app, name)));
  for (const topic of deadLetterTopics(settings).keys()) names.add(topic);
  return [...names];
}

function refuseChanges(recorded: Readonly<Record<string, number>>, now: ReadonlyMap<string, number>): void {
  for (const [topic, before] of Object.entries(recorded)) {
    const count = now.get(topic);
    if (count === undefined || count === before) continue;
    throw new PartitionCountChangedError(`topic '${topic}' had ${before} partitions and now has ${count}`, {
      details: { topic, recordedPartitions: before, partitions: count },
    });
  }
}

function refuseMissing(internal: readonly string[], now: ReadonlyMap<string, number>): void {
  const missing = internal.filter((name) => !now.has(name));
  if (missing.length === 0) return;
  throw new UnknownTopicError(`internal topics do not exist yet: ${missing.join(', ')}`, {
    details: { topics: missing },
    remedy: 'None needed: the scheduler creates them with its first plan.',
  });
}
