/**
 * Stores in the memory of this process that no run of their task holds: what a run has left (a warm invocation, the same run after
 * an error, a task that became a standby here), and copies (copies.ts). One home for all of them, so that a task that starts here
 * finds its stores whichever way they came, and one that ends here leaves them to be followed.
 *
 * Invariants
 *   K1  a kept store has no overlay; its image holds committed writes alone, and all of those below `nextOffset`
 *   K2  `nextOffset` was confirmed: while the lease was ours, or by reading the log up to it
 *   K3  who takes a store owns it: a store is never in two hands. Who follows the changelog of one that stays here asks `has` before
 *       each write, with nothing to wait for in between
 *   K4  one that was kept in the midst of a restore may lack keys that were written again beyond `nextOffset` (F5 of follower.ts): who
 *       takes it reads on to the end of the log, as from any other source
 *   K5  stores of tasks that are copied here are not dropped for want of room
 */
import type { StorePosition } from '../leases/records.js';
import { type Offset, offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { ColdReads } from '../snapshots/cold-snapshot.js';
import type { TransactionalStore } from '../state/byte-store.js';

/** Stores kept at most, besides copies; the one kept longest goes first. */
const KEPT_STORES_MAX = 256;

export interface KeptStore {
  readonly taskId: TaskId;
  readonly store: TransactionalStore;
  /** Id of the changelog topic that the store was built from. */
  readonly topicId: string;
  /** First changelog offset not applied. Moves while it is followed here. */
  nextOffset: Offset;
  /** Wall clock at which `nextOffset` was last known to be the end, in milliseconds. */
  atEndMs: number;
  /**
   * Where its changelog ended (exclusive), as last seen by who follows it, or by a restore that was interrupted before (K4). Absent: it
   * had reached the end, and was not followed since.
   */
  endOffset?: Offset;
  /** Where the newest snapshot of it stood, as far as was known. */
  readonly snapshotOffset: Offset;
}

/** A global store, with where it stands in each partition of its topic (K1 to K3 hold for each). */
export interface KeptGlobalStore {
  readonly store: TransactionalStore;
  /** Id of the topic that the store was built from. */
  readonly topicId: string;
  readonly partitions: ReadonlyMap<number, Pick<KeptStore, 'nextOffset' | 'atEndMs'>>;
}

/** One per process (a Lambda execution environment, a member in a simulation). */
export class KeptStores {
  private readonly byName = new Map<string, KeptStore>();
  /** By store: as many as the topology has. */
  private readonly globals = new Map<string, KeptGlobalStore>();
  private copied: ReadonlySet<TaskId> = new Set();
  private cold: ColdReads | null = null;

  keep(kept: KeptStore): void {
    const name = keyOf(kept.taskId, kept.store.name);
    this.byName.delete(name);
    this.byName.set(name, kept);
    this.makeRoom();
  }

  /** Names the tasks that are copied here (K5), instead of those named before. */
  protect(taskIds: ReadonlySet<TaskId>): void {
    this.copied = taskIds;
    this.makeRoom();
  }

  /** A store that stays here; null if there is none. */
  find(taskId: TaskId, store: string): KeptStore | null {
    return this.byName.get(keyOf(taskId, store)) ?? null;
  }

  /** Whether this very store is still here (K3). */
  has(kept: KeptStore): boolean {
    return this.byName.get(keyOf(kept.taskId, kept.store.name)) === kept;
  }

  /** Hands a store out; null if there is none. */
  take(taskId: TaskId, store: string): KeptStore | null {
    const name = keyOf(taskId, store);
    const kept = this.byName.get(name) ?? null;
    this.byName.delete(name);
    return kept;
  }

  /** Where a store stands that is kept; null if there is none. */
  positionOf(taskId: TaskId, store: string): Offset | null {
    return this.byName.get(keyOf(taskId, store))?.nextOffset ?? null;
  }

  /** What all stores of this process that lie in snapshots share. @param cacheBytes as told first */
  coldReads(cacheBytes: number): ColdReads {
    this.cold ??= new ColdReads(cacheBytes);
    return this.cold;
  }

  keepGlobal(kept: KeptGlobalStore): void {
    this.globals.set(kept.store.name, kept);
  }

  /** Hands a global store out; null if there is none. */
  takeGlobal(store: string): KeptGlobalStore | null {
    const kept = this.globals.get(store) ?? null;
    this.globals.delete(store);
    return kept;
  }

  /** All that are kept, those of global stores aside. */
  all(): readonly KeptStore[] {
    return [...this.byName.values()];
  }

  /** What a claim and each heartbeat report of them; of one that nobody follows the end is not known any more. */
  positions(): readonly StorePosition[] {
    return this.all().map(({ taskId, store, nextOffset, endOffset = nextOffset }) => ({
      taskId,
      store: store.name,
      nextOffset,
      endOffset: offset(Math.max(endOffset, nextOffset)),
    }));
  }

  private makeRoom(): void {
    let tooMany = [...this.byName.values()].filter(({ taskId }) => !this.copied.has(taskId)).length - KEPT_STORES_MAX;
    for (const [name, { taskId }] of this.byName) {
      if (tooMany <= 0) return;
      if (this.copied.has(taskId)) continue;
      this.byName.delete(name);
      tooMany -= 1;
    }
  }
}

function keyOf(taskId: TaskId, store: string): string {
  return `${taskId}/${store}`;
}
