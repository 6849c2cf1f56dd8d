/**
 * Whoever writes has opened its session in the order that is the proof of exactly once (S1 to S4 of runtime/open-session.ts):
 * after its producer was initialised it has looked at the lease, then read the committed offsets, then the high watermarks of
 * its changelogs; a stale owner would find itself out, and what was read before the fence may be rewound.
 */
import type { ProducerOptions, TransactionalProducer } from '../../../log/log.js';
import type { TaskId } from '../../../model/task-id.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import { transactionalId } from '../../../runtime/task-run.js';
import type { TaskSpec } from '../../../topology/resolve-partitions.js';
import type { Effect } from '../simulated-ports.js';
import type { SubjectMap } from '../subject-map.js';
import { producerKey } from '../transactions.js';
import type { Checker } from './checker.js';

interface Opening {
  readonly task: TaskSpec;
  hasSeenLease: boolean;
  hasReadOffsets: boolean;
  readonly ends: Set<TopicPartitionKey>;
}

export const sessionsOpenInOrder: Checker = {
  name: 'sessions-open-in-order',
  watch({ cloud, witness, wrong }) {
    const openings = new Openings(witness.map);
    cloud.listen((effect) => {
      if (effect.producer !== null) {
        if (!effect.method.startsWith('send')) return;
        const what = openings.firstSend(producerKey(effect.producer));
        if (what !== null) wrong(`${effect.process.name} ${what}`);
      } else if (effect.ok) openings.hear(effect, effect.answer);
    });
    return {};
  },
};

class Openings {
  private readonly tasks: ReadonlyMap<string, TaskSpec>;
  private readonly readers: ReadonlyMap<TopicPartitionKey, TaskId>;
  /** By process and task: the one that was begun last. */
  private readonly newest = new Map<string, Opening>();
  /** By producer, until it has sent something. */
  private readonly unproved = new Map<string, Opening>();

  constructor({ tasks, app }: SubjectMap) {
    this.tasks = new Map(tasks.map((task) => [transactionalId(app, task.taskId), task]));
    this.readers = new Map(
      tasks.flatMap(({ taskId, inputs, changelogs }) =>
        [...inputs, ...changelogs].map((at) => [topicPartitionKey(at), taskId] as const),
      ),
    );
  }

  hear({ port, method, args, process }: Effect, answer: unknown): void {
    const of = (taskId: TaskId | undefined) => this.newest.get(`${process.name} ${taskId}`);
    if (port === 'leases' && method === 'readLease') {
      const opening = of(args[0] as TaskId);
      if (opening !== undefined) opening.hasSeenLease = true;
    } else if (port !== 'log') return;
    else if (method === 'initProducer') this.begun(process.name, args[0] as ProducerOptions, answer);
    else if (method === 'committedOffsets')
      for (const at of args[1] as readonly TopicPartition[]) {
        const opening = of(this.readers.get(topicPartitionKey(at)));
        if (opening?.hasSeenLease === true) opening.hasReadOffsets = true;
      }
    else if (method === 'listOffsets' && args[1] === 'highWatermark')
      for (const key of (args[0] as readonly TopicPartition[]).map(topicPartitionKey)) {
        const opening = of(this.readers.get(key));
        if (opening?.hasReadOffsets === true) opening.ends.add(key);
      }
  }

  /** @returns what a producer that sends has left out before, in words; null: nothing */
  firstSend(producer: string): string | null {
    const opening = this.unproved.get(producer);
    this.unproved.delete(producer);
    if (opening === undefined) return null;
    const { task, hasSeenLease, hasReadOffsets, ends } = opening;
    const writes = `writes for ${task.taskId}, and has not`;
    if (!hasSeenLease) return `${writes} looked at the lease since its producer was initialised`;
    if (!hasReadOffsets) return `${writes} read the committed offsets since then`;
    const left = task.changelogs.find((changelog) => changelog.internal && !ends.has(topicPartitionKey(changelog)));
    return left === undefined ? null : `${writes} asked for the high watermark of ${left.topic} since then`;
  }

  private begun(process: string, { transactionalId: id }: ProducerOptions, answer: unknown): void {
    const task = this.tasks.get(id);
    if (task === undefined) return;
    const { producerId, epoch } = answer as TransactionalProducer;
    const opening = { task, hasSeenLease: false, hasReadOffsets: false, ends: new Set<TopicPartitionKey>() };
    this.newest.set(`${process} ${task.taskId}`, opening);
    this.unproved.set(producerKey({ transactionalId: id, producerId, epoch }), opening);
  }
}
