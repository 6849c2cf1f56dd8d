/**
 * Stores that outlive a run of their task in the memory of this process: a warm invocation, or the same run after an error.
 *
 * Invariants
 *   K1  a kept store has no overlay; its image holds committed writes alone, and all of those below `nextOffset`
 *   K2  `nextOffset` was confirmed: while the lease was ours, or by reading the log up to it
 *   K3  who takes a store owns it: a store is never in two hands
 *   K4  one that was kept in the midst of a restore may lack keys that were written again beyond `nextOffset` (F5 of follower.ts): who
 *       takes it reads on to the end of the log, as from any other source
 */
import type { StorePosition } from '../leases/records.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { TransactionalStore } from '../state/byte-store.js';

/** Stores kept at most; the one kept longest goes first. */
const KEPT_STORES_MAX = 256;

export interface KeptStore {
  readonly taskId: TaskId;
  readonly store: TransactionalStore;
  /** Id of the changelog topic that the store was built from. */
  readonly topicId: string;
  readonly nextOffset: Offset;
  /** Wall clock at which `nextOffset` was last known to be the end, in milliseconds. */
  readonly atEndMs: number;
  /** Where the newest snapshot of it stood, as far as was known. */
  readonly snapshotOffset: Offset;
  /** Where its changelog ended, of a restore that was interrupted before (K4). Absent: it had reached the end. */
  readonly endOffset?: Offset;
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

  keep(kept: KeptStore): void {
    const name = keyOf(kept.taskId, kept.store.name);
    this.byName.delete(name);
    this.byName.set(name, kept);
    for (const oldest of this.byName.keys()) {
      if (this.byName.size <= KEPT_STORES_MAX) break;
      this.byName.delete(oldest);
    }
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

  keepGlobal(kept: KeptGlobalStore): void {
    this.globals.set(kept.store.name, kept);
  }

  /** Hands a global store out; null if there is none. */
  takeGlobal(store: string): KeptGlobalStore | null {
    const kept = this.globals.get(store) ?? null;
    this.globals.delete(store);
    return kept;
  }

  /** What a claim reports of them; their end is not known any more. */
  positions(): readonly StorePosition[] {
    return [...this.byName.values()].map(({ taskId, store, nextOffset, endOffset }) => ({
      taskId,
      store: store.name,
      nextOffset,
      endOffset: endOffset ?? nextOffset,
    }));
  }
}

function keyOf(taskId: TaskId, store: string): string {
  return `${taskId}/${store}`;
}
