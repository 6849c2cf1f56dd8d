/**
 * An incarnation's hold on the lease of one task.
 *
 * Invariants
 *   H1  it is looked at with consistent reads, and after the producer was initialised: who finds it gone stops (docs/design.md §4)
 *   H2  an owner that was fenced takes a new epoch before it initialises again: a fenced producer is never re-created under the
 *       same epoch (traps 8)
 *   H3  it is released with the epoch that was taken last, so that a successor's lease is never touched
 */

import type { LeaseTable } from '../leases/lease-store.js';
import { isHeldAs, isNextOf } from '../leases/lease-transitions.js';
import type {
  Incarnation,
  Lease,
  LeaseEpoch,
  RecordedOffsets,
  RecordedPunctuation,
  TopicIds,
} from '../leases/records.js';
import { areSameTopicIds } from '../leases/topic-lives.js';
import { TaskMigratedError } from '../model/errors.js';

export class LeaseHold {
  readonly owner: Incarnation;
  private readonly table: LeaseTable;
  private current: Lease;
  /** Whether a new epoch is due before the next initialisation. */
  private isFenced = false;

  constructor(table: LeaseTable, owner: Incarnation, taken: Lease) {
    this.table = table;
    this.owner = owner;
    this.current = taken;
  }

  get epoch(): LeaseEpoch {
    return this.current.epoch;
  }

  /** The topics that the lease names by their ids; absent if none were recorded yet. */
  get topicIds(): TopicIds | undefined {
    return this.current.topicIds;
  }

  /** Records them, unless they are. @throws {TaskMigratedError} STREAMS_TASK_MIGRATED if the lease is not ours any more */
  async recordTopics(topicIds: TopicIds): Promise<void> {
    const { taskId, epoch } = this.current;
    if (areSameTopicIds(this.current.topicIds, topicIds)) return;
    const { applied, item } = await this.table.recordTopics({ taskId, owner: this.owner, epoch, topicIds });
    if (!applied) throw this.migrated(item);
    this.current = item;
  }

  /** Whether the lease is still ours, in the epoch that we took. */
  async isOurs(): Promise<boolean> {
    return this.holds(await this.table.readLease(this.current.taskId));
  }

  /** @throws {TaskMigratedError} STREAMS_TASK_MIGRATED if it is not ours any more */
  async assertOurs(): Promise<void> {
    const seen = await this.table.readLease(this.current.taskId);
    if (!this.holds(seen)) throw this.migrated(seen);
  }

  /**
   * Takes our own lease once more (H2).
   *
   * @throws {TaskMigratedError} STREAMS_TASK_MIGRATED if it is not ours any more
   */
  async takeNewEpoch(): Promise<void> {
    const { taskId } = this.current;
    this.isFenced = true;
    const { applied, item } = await this.table.takeLease({ taskId, owner: this.owner, expected: this.current });
    // A take whose answer was lost: nobody but us writes us into the item.
    if (!applied && !isNextOf(item, { epoch: this.current.epoch, owner: this.owner })) throw this.migrated(item);
    if (item !== null) this.current = item;
    this.isFenced = false;
  }

  /** Makes up for a new epoch that was due and could not be taken (H2). @throws as `takeNewEpoch` */
  async beReadyToInitialise(): Promise<void> {
    if (this.isFenced) await this.takeNewEpoch();
  }

  /**
   * Gives the task up, with its committed offsets and what it had scheduled.
   *
   * @param nowMs wall clock
   * @returns false if it was not ours any more
   */
  async release(
    nowMs: number,
    offsets: RecordedOffsets | null,
    punctuations: readonly RecordedPunctuation[] = [],
  ): Promise<boolean> {
    const { taskId, epoch } = this.current;
    const release = { taskId, owner: this.owner, epoch, offsets, punctuations, releasedAtMs: Math.floor(nowMs) };
    return (await this.table.releaseLease(release)).applied;
  }

  private holds(seen: Lease | null): boolean {
    return isHeldAs(seen, { epoch: this.current.epoch, owner: this.owner });
  }

  private migrated(seen: Lease | null): TaskMigratedError {
    const { taskId, epoch } = this.current;
    return new TaskMigratedError(`the lease of ${taskId} is not ours any more`, {
      details: { taskId, heldEpoch: epoch, seenEpoch: seen?.epoch ?? null, seenOwner: seen?.owner ?? null },
    });
  }
}
