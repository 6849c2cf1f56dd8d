/** What a subject is made of: its tasks, who reads and writes which topic, and what the rules of its outputs depend on. */
import { appendAll } from '../../model/lists.js';
import type { Settings } from '../../model/settings.js';
import type { TaskId } from '../../model/task-id.js';
import { type StreamsApp, topicName } from '../../topology/app.js';
import { internalTopicSpecs } from '../../topology/internal-topic-specs.js';
import { type ResolvedPartitions, resolvePartitions, type TaskSpec } from '../../topology/resolve-partitions.js';
import { matchTopics } from '../../topology/topic-patterns.js';
import type { SubTopology } from '../../topology/topology.js';
import type { Subject } from './subject.js';

export class SubjectMap {
  readonly app: StreamsApp;
  readonly tasks: readonly TaskSpec[];
  /** Partition counts of all topics, by name on the broker. */
  readonly partitionCounts: ReadonlyMap<string, number>;
  /** Topics that the application owns, by name on the broker. */
  readonly internalTopics: readonly string[];
  /** Names on the broker of all topics that are read, those of global stores included. */
  readonly inputTopics: ReadonlySet<string>;
  private readonly byId: ReadonlyMap<TaskId, TaskSpec>;

  constructor({ app: written, topics }: Pick<Subject, 'app' | 'topics'>) {
    const app = matchTopics(written, Object.keys(topics));
    const resolved: ResolvedPartitions = resolvePartitions(app, new Map(Object.entries(topics)));
    this.app = app;
    this.tasks = resolved.tasks;
    this.byId = new Map(resolved.tasks.map((task) => [task.taskId, task]));
    this.partitionCounts = new Map([
      ...Object.entries(topics),
      ...resolved.repartitionTopics,
      ...resolved.changelogTopics,
    ]);
    this.inputTopics = new Set([
      ...resolved.tasks.flatMap(({ inputs }) => inputs.map(({ topic }) => topic)),
      ...[...app.topology.globalStores.values()].map(({ topic }) => topic),
    ]);
    this.internalTopics = internalTopicSpecs(app, resolved).map(({ name }) => name);
  }

  task(taskId: TaskId): TaskSpec | undefined {
    return this.byId.get(taskId);
  }

  /** Names on the broker of the topics that a sub-topology reads. */
  sourcesOf({ sourceTopics }: SubTopology): readonly string[] {
    return sourceTopics.map((topic) => topicName(this.app, topic));
  }

  /** Names on the broker of the topics that a sub-topology writes for others. */
  sinksOf({ sinkTopics }: SubTopology): readonly string[] {
    return sinkTopics.map((topic) => topicName(this.app, topic));
  }

  /** Whether what a topic gets depends on a store (any processor may read a global one): repeated input then makes other records than those that it repeats. */
  isStateful(topic: string): boolean {
    return this.app.topology.globalStores.size > 0 || this.upstreamOf(topic).some(({ stores }) => stores.length > 0);
  }

  /** Whether updates on the way to a topic may be left out, only the last of a commit being sent. */
  isCoalesced(topic: string, { statestoreCacheMaxBytes }: Settings): boolean {
    const { stores } = this.app.topology;
    if (statestoreCacheMaxBytes === 0) return false;
    return this.upstreamOf(topic).some((part) => part.stores.some((name) => stores.get(name)?.cached === true));
  }

  /** The sub-topologies that write to a topic, and all before them. */
  private upstreamOf(topic: string): readonly SubTopology[] {
    const found = new Set<SubTopology>();
    const wanted = [topic];
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      for (const part of this.app.topology.subTopologies) {
        if (found.has(part) || !this.sinksOf(part).includes(next)) continue;
        found.add(part);
        appendAll(wanted, this.sourcesOf(part));
      }
    }
    return [...found];
  }
}
