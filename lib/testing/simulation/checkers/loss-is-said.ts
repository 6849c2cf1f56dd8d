/**
 * A loss that leaves traces is never silent: a task whose input or changelog was created again, with what it has lost of it, stops
 * with the code of that before it goes on for long. Of an input that was filled beyond what it had read it gets no record at all.
 *
 * The bound: it looks at the ids of its topics every session time-out, one look may fail, and a commit that had begun before may
 * take as long as a transaction. A task that had committed no offset when its changelog was created again begins anew, and has lost
 * nothing: at least once, its first records may have been committed without. A task of which two topics were created again, or one twice, or whose lease was deleted, is left alone:
 * the one may excuse the other, and who deletes a lease accepts what is there.
 */

import type { FetchResult } from '../../../log/log.js';
import { greatest } from '../../../model/lists.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { TaskSpec } from '../../../topology/resolve-partitions.js';
import type { Harm } from '../harms.js';
import type { Effect } from '../simulated-ports.js';
import type { CheckedRun, Checker } from './checker.js';

export const lossIsSaid: Checker = {
  name: 'loss-is-said',
  watch(run) {
    const { cloud, witness } = run;
    const { transactions } = witness;
    const begunAtMs = new Map<TopicPartitionKey, number>();
    const movedAtMs = new Map<TopicPartitionKey, number>();
    const readAtMs = new Map<TopicPartitionKey, number>();
    const deleted = new Set<string>();
    transactions.listen(({ offsets }) => {
      for (const [key, { nextOffset }] of offsets)
        if (nextOffset > 0 && !begunAtMs.has(key)) begunAtMs.set(key, cloud.time.nowMs);
      if (cloud.harms.all.length === 0) return;
      for (const [key, { nextOffset }] of offsets)
        if (nextOffset !== transactions.committedOffsets.get(key)?.nextOffset) movedAtMs.set(key, cloud.time.nowMs);
    });
    const fetched = (effect: Effect) => {
      if (cloud.harms.all.length === 0 || effect.process.runs !== 'task' || !effect.ok) return;
      for (const result of effect.answer as readonly FetchResult[])
        if (result.records.size > 0) readAtMs.set(topicPartitionKey(result), cloud.time.nowMs);
    };
    cloud.listen(fetched, ['fetch']);
    cloud.timeline.listen(({ who, event, fields }) => {
      if (who !== 'fault' || event !== 'row-deleted') return;
      const lease = fields.lease as { readonly taskId: string } | undefined;
      if (lease !== undefined) deleted.add(lease.taskId);
    });
    return {
      async ended() {
        for (const harm of cloud.harms.all) checkHarm(run, harm, { begunAtMs, movedAtMs, readAtMs, deleted });
      },
    };
  },
};

interface Seen {
  /** When an offset of an input beyond its start was first committed, in virtual milliseconds. */
  readonly begunAtMs: ReadonlyMap<TopicPartitionKey, number>;
  /** When the committed offset of an input moved last, in virtual milliseconds. */
  readonly movedAtMs: ReadonlyMap<TopicPartitionKey, number>;
  /** When a task function was last answered records of a partition. */
  readonly readAtMs: ReadonlyMap<TopicPartitionKey, number>;
  /** Tasks whose leases were deleted by hand. */
  readonly deleted: ReadonlySet<string>;
}

function checkHarm(
  { cloud, witness, wrong }: CheckedRun,
  { kind, mustBeSaid = [], atMs = 0 }: Harm,
  { begunAtMs, movedAtMs, readAtMs, deleted }: Seen,
): void {
  const { sessionTimeoutMs, transactionTimeoutMs } = cloud.app.settings;
  const boundMs = 2 * sessionTimeoutMs + transactionTimeoutMs;
  const keys = new Set(mustBeSaid.map(topicPartitionKey));
  for (const task of witness.map.tasks) {
    const { taskId, inputs } = task;
    const createdAgain = cloud.harms.harmsOf(taskId).filter((harm) => harm.mustBeSaid !== undefined);
    if (!uses(task, keys) || createdAgain.length > 1 || deleted.has(taskId)) continue;
    for (const key of inputs.map(topicPartitionKey))
      if (keys.has(key) && (readAtMs.get(key) ?? 0) > atMs) wrong(`task ${taskId} reads ${key} on after ${kind}`);
    if (cloud.harms.stoppedTasks.has(taskId)) continue;
    const hadBegun = inputs.some((input) => (begunAtMs.get(topicPartitionKey(input)) ?? Infinity) <= atMs);
    if (!hadBegun && !inputs.some((input) => keys.has(topicPartitionKey(input)))) continue;
    const lastMs = greatest(
      0,
      inputs.map((input) => movedAtMs.get(topicPartitionKey(input)) ?? 0),
    );
    const forMs = lastMs - atMs;
    if (forMs > boundMs) wrong(`task ${taskId} goes on for ${forMs} ms after ${kind} as if it had lost nothing`);
  }
}

function uses({ inputs, changelogs }: TaskSpec, keys: ReadonlySet<TopicPartitionKey>): boolean {
  return [...inputs, ...changelogs].some((at) => keys.has(topicPartitionKey(at)));
}
