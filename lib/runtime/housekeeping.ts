/**
 * What a running task does besides processing, between commits and each at its own pace: confirmed positions, snapshots,
 * committed offsets that must not expire, repartition topics that must not grow, topics that must be the same still.
 *
 * None of it can fail the task, except that it may find the lease gone or a topic created again; a service that is away is logged and tried again later.
 */
import { asStreamsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../model/topic-partition.js';
import { internalTopicName } from '../topology/app.js';
import { TaskSnapshots } from './snapshot.js';
import { confirmPositions, type TaskSession } from './task-session.js';
import { checkTopicIds } from './topic-ids.js';

/** Committed offsets are committed again this many times within the broker's retention of them. */
const KEEPS_PER_RETENTION = 4;

export class Housekeeping {
  private readonly session: TaskSession;
  private readonly snapshots: TaskSnapshots;
  private readonly startedAtMs: number;
  private confirmedAtMs: number;
  private purgedAtMs: number;
  private topicsCheckedAtMs: number;
  /** Null until the first commit of the session. */
  private keptAtMs: number | null = null;
  private commitsAtConfirm = -1;
  private readonly purgedTo = new Map<TopicPartitionKey, Offset>();

  constructor(session: TaskSession) {
    this.session = session;
    this.snapshots = new TaskSnapshots(session);
    this.startedAtMs = this.monotonicMs();
    this.confirmedAtMs = this.startedAtMs;
    this.purgedAtMs = this.startedAtMs;
    this.topicsCheckedAtMs = this.startedAtMs;
  }

  /** Whether the next commit has to carry the offsets of all inputs: the first of a session, and every quarter of the retention. */
  get mustKeepOffsets(): boolean {
    return this.keptAtMs === null || this.mustKeepOffsetsNow;
  }

  /** Whether that commit is due even if nothing else is. */
  get mustKeepOffsetsNow(): boolean {
    const { offsetsRetentionMs } = this.session.run.app.settings;
    return this.monotonicMs() - (this.keptAtMs ?? this.startedAtMs) >= offsetsRetentionMs / KEEPS_PER_RETENTION;
  }

  offsetsWereKept(): void {
    this.keptAtMs = this.monotonicMs();
  }

  /** One turn between commits. @throws {TaskMigratedError} STREAMS_TASK_MIGRATED · {TopicRecreatedError} STREAMS_TOPIC_RECREATED */
  async turn(): Promise<void> {
    const nowMs = this.monotonicMs();
    const { sessionTimeoutMs } = this.session.run.app.settings;
    if (nowMs - this.topicsCheckedAtMs >= sessionTimeoutMs) {
      this.topicsCheckedAtMs = nowMs;
      const { run, topicIds } = this.session;
      await this.quietly('topics-unknown', () => checkTopicIds(run.ports.log, run.task, topicIds));
    }
    if (nowMs - this.confirmedAtMs >= this.session.run.app.settings.heartbeatIntervalMs) {
      this.confirmedAtMs = nowMs;
      await this.confirm();
    }
    if (nowMs - this.purgedAtMs >= this.session.run.app.settings.repartitionPurgeIntervalMs) {
      this.purgedAtMs = nowMs;
      await this.quietly('purge-failed', () => this.purge());
    }
  }

  /** The last turn of a session. @throws {TaskMigratedError} STREAMS_TASK_MIGRATED */
  async finish(): Promise<void> {
    await this.quietly('purge-failed', () => this.purge());
    await this.confirm();
  }

  /** Waits for snapshots that are being written. Never throws. */
  settled(): Promise<void> {
    return this.snapshots.settled();
  }

  private async confirm(): Promise<void> {
    const { status } = this.session.run;
    if (status.commits === this.commitsAtConfirm) return;
    const { commits } = status;
    await this.quietly('positions-unknown', async () => {
      this.reportSize();
      await confirmPositions(this.session);
      this.commitsAtConfirm = commits;
      this.snapshots.turn();
    });
  }

  private reportSize(): void {
    const { run, allStores } = this.session;
    if (allStores.size === 0) return;
    const bytes = [...allStores.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    run.restores?.budget.hold(run.task.taskId, bytes);
    run.ports.host.metrics.gauge('state-bytes', bytes, { task: run.task.taskId });
  }

  /** Deletes what all consumers (this task is the only one) have committed from the repartition topics that it reads. */
  private async purge(): Promise<void> {
    const { run, committed } = this.session;
    const before = new Map<TopicPartitionKey, Offset>();
    for (const [key, { nextOffset }] of committed) {
      const isRepartition = this.isRepartition(parseTopicPartitionKey(key).topic);
      if (isRepartition && nextOffset > (this.purgedTo.get(key) ?? 0)) before.set(key, nextOffset);
    }
    if (before.size === 0) return;
    await run.ports.log.deleteRecords(before);
    for (const [key, offset] of before) this.purgedTo.set(key, offset);
  }

  private isRepartition(topic: string): boolean {
    const { app } = this.session.run;
    for (const name of app.topology.repartitionTopics.keys()) if (internalTopicName(app, name) === topic) return true;
    return false;
  }

  private async quietly(event: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (error.kind !== 'transient') throw error;
      this.session.run.logger.warn(event, { code: error.code, message: error.message });
    }
  }

  private monotonicMs(): number {
    return this.session.run.ports.host.clock.monotonic();
  }
}
