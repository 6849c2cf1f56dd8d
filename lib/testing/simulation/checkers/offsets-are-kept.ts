/**
 * A task that runs commits the offsets of all its inputs again before they expire, of idle ones as well: every quarter of
 * `offsetsRetentionMs` (design.md §4), and no later than a living session may stand still after that. A session commits nothing before its
 * stores are restored, however long they are held back; where it begins then is what it has read after its fence.
 */

import type { ProducerOptions } from '../../../log/log.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import { transactionalId } from '../../../runtime/task-run.js';
import type { Effect } from '../simulated-ports.js';
import type { SimulatedProcess } from '../simulated-process.js';
import type { CheckedRun, Checker, WatchedRun } from './checker.js';
import { SAMPLE_INTERVAL_MS } from './checker.js';
import { TASK_ENDS } from './only-movers-pause.js';

/** A part of the retention: KEEPS_PER_RETENTION of runtime/housekeeping.ts. */
const KEPT_PART = 1 / 4;
/** A commit takes a few calls, some with the longest latency. */
const WORK_MS = 1_000;

export const offsetsAreKept: Checker = {
  name: 'offsets-are-kept',
  watch(run) {
    const watching = new Watching(run);
    return watching;
  },
};

interface Session {
  readonly process: SimulatedProcess;
  /** Virtual milliseconds since which its stores are restored; null: they are not. */
  sinceMs: number | null;
}

class Watching implements WatchedRun {
  private readonly run: CheckedRun;
  private readonly boundMs: number;
  /** By transactional id, of tasks that still run: their newest session. */
  private readonly sessions = new Map<string, Session>();
  private readonly committedAtMs = new Map<TopicPartitionKey, number>();

  constructor(run: CheckedRun) {
    const { cloud, witness } = run;
    this.run = run;
    const { offsetsRetentionMs, sessionTimeoutMs, transactionTimeoutMs } = cloud.app.settings;
    // A session that stands still for longer than a session time-out ends; a transaction that is open for longer is ended.
    this.boundMs =
      offsetsRetentionMs * KEPT_PART + sessionTimeoutMs + transactionTimeoutMs + WORK_MS + 2 * SAMPLE_INTERVAL_MS;
    witness.transactions.listen(({ offsets }) => {
      for (const key of offsets.keys()) this.committedAtMs.set(key, cloud.time.nowMs);
    });
    const stateless = witness.map.tasks.filter(({ changelogs }) => changelogs.length === 0);
    const restoresNothing = new Set(stateless.map(({ taskId }) => transactionalId(cloud.app, taskId)));
    const opened = ({ args, process, ok }: Effect) => {
      if (!ok) return;
      const id = (args[0] as ProducerOptions).transactionalId;
      this.sessions.set(id, { process, sinceMs: restoresNothing.has(id) ? cloud.time.nowMs : null });
    };
    cloud.listen(opened, ['initProducer']);
    cloud.timeline.listen(({ who, event, fields }) => {
      const id = `${cloud.app.applicationId}-${String(fields.taskId)}`;
      const session = this.sessions.get(id);
      if (TASK_ENDS.has(event)) this.sessions.delete(id);
      else if (event === 'task-restored' && session?.process.name === who) session.sinceMs = cloud.time.nowMs;
    });
  }

  async sample(): Promise<void> {
    const { cloud, witness, wrong } = this.run;
    const { nowMs } = cloud.time;
    for (const { taskId, inputs } of witness.map.tasks) {
      const { process, sinceMs = null } = this.sessions.get(transactionalId(cloud.app, taskId)) ?? {};
      if (process?.isDead !== false || sinceMs === null || nowMs - sinceMs <= this.boundMs) continue;
      for (const key of inputs.map(topicPartitionKey)) {
        const forMs = nowMs - Math.max(sinceMs, this.committedAtMs.get(key) ?? 0);
        if (forMs <= this.boundMs) continue;
        wrong(
          `${taskId} has not committed ${key} again for ${Math.round(forMs)} ms, and ${this.boundMs} ms are the most`,
        );
        this.sessions.delete(transactionalId(cloud.app, taskId)); // said once
      }
    }
  }
}
