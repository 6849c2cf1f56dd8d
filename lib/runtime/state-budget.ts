/**
 * How much state a member may hold, and what of it is taken. No IO, no time.
 *
 * Invariants
 *   H1  a task is refused if what its stores are known to take does not fit beside the stores of the tasks that run; what is known is
 *       the least that a snapshot says, then what was measured while the store was filled. It is never refused for a guess
 *   H2  what was measured when a task was refused is remembered: it is not read again while it can not fit
 *   H3  a task that runs is never ended for what it takes: whoever watches is told before the budget is used up
 *   H4  copies of other members' tasks have what tasks leave: they are no reason to refuse a task, and give way to it
 */
import type { Logger, Metrics } from '../host/host.js';
import type { RefusedTask } from '../leases/records.js';
import { StateTooLargeError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { Manifest } from '../snapshots/manifest.js';

/** Where the budget is the function's memory: what of it state may take. The rest is for code, records in motion and snapshots. */
export const STATE_PART_OF_MEMORY = 0.6;
/** Part of the budget up to which stores that may lie in their snapshots are in memory (`storeMode` auto). */
const ROOM_PART = 0.7;
/** Part of the budget above which it is said that it is nearly used up, */
const NEAR_PART = 0.8;
/** and below which that counts as over. */
const NEAR_AGAIN_PART = 0.7;

export interface StateBudgetInit {
  /** Null: any number of bytes. */
  readonly budgetBytes: number | null;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a store of a task takes. */
export interface StateClaim {
  readonly taskId: TaskId;
  readonly store: string;
  /** Of all stores of the task that are there so far, this one included. */
  readonly bytes: number;
  /** `snapshot` what its snapshot holds at least · `measured` what it had come to. */
  readonly basis: RefusedTask['basis'];
}

export class StateBudget {
  private readonly init: StateBudgetInit;
  private readonly heldBytes = new Map<TaskId, number>();
  private readonly refused = new Map<TaskId, RefusedTask>();
  private isNear = false;

  constructor(init: StateBudgetInit) {
    this.init = init;
  }

  /** Null: any number of bytes. */
  get budgetBytes(): number | null {
    return this.init.budgetBytes;
  }

  /** Whether so many bytes more fit into the part of the budget that stores which may lie in their snapshots have. */
  hasRoom(bytes: number): boolean {
    const { budgetBytes } = this.init;
    return budgetBytes === null || this.totalBytes() + bytes <= budgetBytes * ROOM_PART;
  }

  /** Tasks that did not fit when they were tried last. */
  report(): readonly RefusedTask[] {
    return [...this.refused.values()];
  }

  /** @throws {StateTooLargeError} STREAMS_STATE_TOO_LARGE if the task is known not to fit (H2) */
  admit(taskId: TaskId): void {
    const before = this.refused.get(taskId);
    if (before !== undefined) this.check({ ...before, bytes: before.estimatedBytes });
  }

  /**
   * @param remembers whether the task is not read again while it can not fit (H2): not where the next attempt goes on in a snapshot
   * @throws {StateTooLargeError} STREAMS_STATE_TOO_LARGE if it does not fit beside the other tasks (H1)
   */
  check({ taskId, store, bytes, basis }: StateClaim, remembers = true): void {
    const { budgetBytes } = this.init;
    const otherBytes = this.totalBytes() - (this.heldBytes.get(taskId) ?? 0);
    if (budgetBytes === null || bytes + otherBytes <= budgetBytes) {
      this.heldBytes.set(taskId, bytes); // beside which the next is judged
      return;
    }
    this.heldBytes.delete(taskId);
    const refused = { taskId, store, estimatedBytes: bytes, otherBytes, budgetBytes, basis };
    if (remembers) this.refused.set(taskId, refused);
    throw new StateTooLargeError(
      `store ${store} of ${taskId} takes ${bytes} bytes at least, beside ${otherBytes} of other tasks: ${budgetBytes} are allowed`,
      { details: refused },
    );
  }

  /** Bytes that tasks leave to copies (H4); below 0 where tasks have outgrown the budget. Infinity: there is no budget. */
  get leftForCopiesBytes(): number {
    const { budgetBytes } = this.init;
    return budgetBytes === null ? Number.POSITIVE_INFINITY : budgetBytes - this.totalBytes();
  }

  /** A task holds so much now. */
  hold(taskId: TaskId, bytes: number): void {
    this.heldBytes.set(taskId, bytes);
    this.refused.delete(taskId);
    this.watch();
  }

  /** A task has ended, or is not asked for any more. */
  drop(taskId: TaskId): void {
    this.heldBytes.delete(taskId);
    this.watch();
  }

  /** Forgets refusals of tasks that the member is not to run any more. */
  keepOnly(wanted: ReadonlySet<TaskId>): void {
    for (const taskId of [...this.refused.keys()]) if (!wanted.has(taskId)) this.refused.delete(taskId);
  }

  private totalBytes(): number {
    let total = 0;
    for (const bytes of this.heldBytes.values()) total += bytes;
    return total;
  }

  /** H3. */
  private watch(): void {
    const { budgetBytes, logger, metrics } = this.init;
    if (budgetBytes === null) return;
    const heldBytes = this.totalBytes();
    const part = heldBytes / budgetBytes;
    metrics.gauge('state-budget-used-percent', Math.round(part * 100));
    if (part >= NEAR_PART && !this.isNear) {
      logger.warn('state-near-limit', {
        heldBytes,
        budgetBytes,
        message: 'give the function more memory or the application more members before its state outgrows them',
      });
      this.isNear = true;
    }
    if (part < NEAR_AGAIN_PART) this.isNear = false;
  }
}

/** The least that a snapshot's entries take once they are loaded: its bytes, compressed as they are, and what each entry costs. */
export function leastStateBytes(manifest: Manifest, entryOverheadBytes: number): number {
  const base = manifest.segments.filter(({ level }) => level === 'base');
  return base.reduce((sum, { sizeBytes, entries }) => sum + sizeBytes + entries * entryOverheadBytes, 0);
}
