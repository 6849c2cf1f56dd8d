/**
 * What faults have damaged so that no product could make it good: input deleted before it was read, a topic gone.
 *
 *   H1  a task that reads or restores what was harmed may stop with the code that the harm names, for good
 *   H2  unless the harm is certain, the task must stop so or be exact: there is no third
 *   H3  whatever is downstream of a sub-topology with a harmed task can not be exact either
 */
import type { ErrorCode } from '../../model/errors.js';
import { parseTaskId } from '../../model/task-id.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import { internalTopicName, type StreamsApp, topicName } from '../../topology/app.js';
import { subTopologyOf } from '../../topology/topology.js';
import type { Timeline } from './timeline.js';

export interface Harm {
  /** Kind of the fault. */
  readonly kind: string;
  /** Inputs or changelogs that were harmed. */
  readonly partitions: readonly TopicPartition[];
  /** With which the tasks that use them stop. */
  readonly code: ErrorCode;
  /** Whether results differ even if no task stops: what is lost left no trace. */
  readonly isCertain: boolean;
  /** Those whose tasks have to stop before they go on (loss-is-said.ts). Absent: none has to. */
  readonly mustBeSaid?: readonly TopicPartition[];
  /** When it was done, in virtual milliseconds. Absent: it does not matter. */
  readonly atMs?: number;
}

export class Harms {
  private readonly app: StreamsApp;
  private readonly list: Harm[] = [];
  private readonly stopped = new Set<string>();

  constructor(app: StreamsApp, timeline: Timeline) {
    this.app = app;
    timeline.listen(({ event, fields }) => {
      if (event !== 'task-failed' || this.list.length === 0) return;
      const taskId = String(fields.taskId);
      if (this.harmsOf(taskId).some(({ code }) => code === fields.code)) this.stopped.add(taskId);
    });
  }

  /** A fault has done damage. */
  add(harm: Harm): void {
    this.list.push(harm);
  }

  get all(): readonly Harm[] {
    return this.list;
  }

  /** Codes with which a task may stop. */
  get codes(): ReadonlySet<ErrorCode> {
    return new Set(this.list.map(({ code }) => code));
  }

  /** Harmed tasks that have said so by stopping. */
  get stoppedTasks(): ReadonlySet<string> {
    return this.stopped;
  }

  /** Inputs and changelogs that were harmed. */
  get partitions(): ReadonlySet<TopicPartitionKey> {
    return new Set(this.list.flatMap(({ partitions }) => partitions.map(topicPartitionKey)));
  }

  /** Sub-topologies whose results need not be exact (H2, H3). */
  excused(): ReadonlySet<number> {
    const { subTopologies } = this.app.topology;
    const excused = new Set([...this.stopped].map((taskId) => parseTaskId(taskId).subTopology));
    for (const harm of this.list)
      if (harm.isCertain) for (const { id } of subTopologies) if (this.isUsedBy(harm, id)) excused.add(id);
    for (let round = 0; round < subTopologies.length; round += 1)
      for (const part of subTopologies) {
        const isDownstream = subTopologies.some(
          ({ id, sinkTopics }) => excused.has(id) && sinkTopics.some((topic) => part.sourceTopics.includes(topic)),
        );
        if (isDownstream) excused.add(part.id);
      }
    return excused;
  }

  /** Topics, by name on the broker, whose content need not be exact. */
  excusedTopics(): ReadonlySet<string> {
    const { app } = this;
    const excused = this.excused();
    const parts = app.topology.subTopologies.filter(({ id }) => excused.has(id));
    return new Set(parts.flatMap(({ sinkTopics }) => sinkTopics.map((topic) => topicName(app, topic))));
  }

  /** Harms of what a task reads or restores. */
  harmsOf(taskId: string): readonly Harm[] {
    const { subTopology, partition } = parseTaskId(taskId);
    return this.list.filter((harm) => this.isUsedBy(harm, subTopology, partition));
  }

  private isUsedBy({ partitions }: Harm, subTopology: number, partition?: number): boolean {
    const topics = this.topicsOf(subTopology);
    return partitions.some((at) => topics.has(at.topic) && (partition ?? at.partition) === at.partition);
  }

  private topicsOf(subTopology: number): ReadonlySet<string> {
    const { app } = this;
    const part = subTopologyOf(app.topology, subTopology);
    const changelogs = (part?.stores ?? []).flatMap((store) => {
      const changelog = app.topology.changelogs.get(store);
      if (changelog === undefined) return [];
      return [changelog.internal ? internalTopicName(app, changelog.topic) : changelog.topic];
    });
    return new Set([...(part?.sourceTopics ?? []).map((topic) => topicName(app, topic)), ...changelogs]);
  }
}
