/**
 * A loss that leaves traces is never silent: a task whose input or changelog was created again, with what it has lost of it, stops
 * with the code of that before it goes on for long.
 *
 * The bound: it looks at the ids of its topics every session time-out, one look may fail, and a commit that had begun before may
 * take as long as a transaction. A task that is damaged in two ways, or whose lease was deleted, is left alone: the one may excuse the
 * other, and who deletes a lease accepts what is there.
 */
import { type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { TaskSpec } from '../../../topology/resolve-partitions.js';
import type { Harm } from '../harms.js';
import type { CheckedRun, Checker } from './checker.js';

export const lossIsSaid: Checker = {
  name: 'loss-is-said',
  watch(run) {
    const { cloud, witness } = run;
    const { transactions } = witness;
    const movedAtMs = new Map<TopicPartitionKey, number>();
    const deleted = new Set<string>();
    transactions.listen(({ offsets }) => {
      if (cloud.harms.all.length === 0) return;
      for (const [key, { nextOffset }] of offsets)
        if (nextOffset !== transactions.committedOffsets.get(key)?.nextOffset) movedAtMs.set(key, cloud.time.nowMs);
    });
    cloud.timeline.listen(({ who, event, fields }) => {
      if (who !== 'fault' || event !== 'row-deleted') return;
      const lease = fields.lease as { readonly taskId: string } | undefined;
      if (lease !== undefined) deleted.add(lease.taskId);
    });
    return {
      async ended() {
        for (const harm of cloud.harms.all) checkHarm(run, harm, movedAtMs, deleted);
      },
    };
  },
};

function checkHarm(
  { cloud, witness, wrong }: CheckedRun,
  { kind, mustBeSaid = [], atMs = 0 }: Harm,
  movedAtMs: ReadonlyMap<TopicPartitionKey, number>,
  deleted: ReadonlySet<string>,
): void {
  const { sessionTimeoutMs, transactionTimeoutMs } = cloud.app.settings;
  const boundMs = 2 * sessionTimeoutMs + transactionTimeoutMs;
  const keys = new Set(mustBeSaid.map(topicPartitionKey));
  for (const task of witness.map.tasks) {
    const { taskId, inputs } = task;
    if (!uses(task, keys) || cloud.harms.stoppedTasks.has(taskId)) continue;
    if (cloud.harms.harmsOf(taskId).length > 1 || deleted.has(taskId)) continue;
    const lastMs = Math.max(0, ...inputs.map((input) => movedAtMs.get(topicPartitionKey(input)) ?? 0));
    const forMs = lastMs - atMs;
    if (forMs > boundMs) wrong(`task ${taskId} goes on for ${forMs} ms after ${kind} as if it had lost nothing`);
  }
}

function uses({ inputs, changelogs }: TaskSpec, keys: ReadonlySet<TopicPartitionKey>): boolean {
  return [...inputs, ...changelogs].some((at) => keys.has(topicPartitionKey(at)));
}
