/**
 * The memory that a member's copies may have: what its tasks leave (H4 of state-budget.ts).
 *
 * A copy is refused for the least that its snapshot says before that is read, and has to give way where it has outgrown what is left. What it
 * took is remembered: it is not begun anew before there is room for so much.
 */
import { StateTooLargeError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { StateBudget } from './state-budget.js';

export interface CopyRoomInit {
  readonly budget: Pick<StateBudget, 'budgetBytes' | 'leftForCopiesBytes'>;
  /** What the copies of this member have come to. */
  readonly copiedBytes: () => number;
}

/** What a copy is going to take. */
export interface CopyClaim {
  /** By task and store. */
  readonly key: string;
  readonly taskId: TaskId;
  readonly store: string;
  readonly bytes: number;
}

export class CopyRoom {
  private readonly init: CopyRoomInit;
  /** What copies take at least that are there as soon as their snapshots are read. */
  private readonly coming = new Map<string, number>();
  /** What those took that had to give way. */
  private readonly gone = new Map<string, number>();

  constructor(init: CopyRoomInit) {
    this.init = init;
  }

  /** Bytes that no copy takes; below 0: some have to go. */
  get leftBytes(): number {
    let bytes = this.init.budget.leftForCopiesBytes - this.init.copiedBytes();
    for (const one of this.coming.values()) bytes -= one;
    return bytes;
  }

  /** Whether a copy may be begun, as far as is known of it. */
  hasRoomFor(key: string): boolean {
    const neededBytes = this.gone.get(key);
    return neededBytes === undefined || this.leftBytes >= neededBytes;
  }

  /** A snapshot is about to be read. @throws {StateTooLargeError} STREAMS_STATE_TOO_LARGE if what it holds does not fit */
  claim({ key, taskId, store, bytes }: CopyClaim): void {
    this.coming.delete(key);
    const { leftBytes } = this;
    if (bytes <= leftBytes) {
      this.coming.set(key, bytes);
      return;
    }
    this.gone.set(key, bytes);
    throw new StateTooLargeError(
      `a copy of store ${store} of ${taskId} takes ${bytes} bytes at least: ${Math.max(0, leftBytes)} are left beside tasks and other copies`,
      { details: { taskId, store, estimatedBytes: bytes, leftBytes, budgetBytes: this.init.budget.budgetBytes } },
    );
  }

  /** It has begun, and is counted by what it has come to; or it has not. */
  arrived(key: string): void {
    this.coming.delete(key);
  }

  /** It had to give way. */
  gaveWay(key: string, bytes: number): void {
    this.gone.set(key, bytes);
  }

  /** Forgets what is not wanted any more. */
  keepOnly(wanted: { has(key: string): boolean }): void {
    for (const key of this.gone.keys()) if (!wanted.has(key)) this.gone.delete(key);
  }
}
