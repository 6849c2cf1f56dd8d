/** Stores with a layout, driven as an engine drives them: what every commit made, kept for replays. */
import type { StoredEntry, StoreWrite } from '../../lib/state/byte-store.js';
import { MemoryStore } from '../../lib/state/memory-store.js';
import type { StateStore } from '../../lib/state/state-store.js';
import type { StoreProgress } from '../../lib/state/store-progress.js';
import type { StoreSpec } from '../../lib/topology/store-spec.js';

/** The image after a commit, and how much of the changelog it holds. */
interface Cut {
  readonly snapshot: readonly StoredEntry[];
  readonly nextOffset: number;
}

export class DrivenStore<S extends StateStore> {
  readonly store: S;
  /** Writes that came too late, so far. */
  expired = 0;
  readonly changelog: StoreWrite[] = [];
  private readonly spec: StoreSpec;
  private readonly bytes: MemoryStore;
  private readonly cuts: Cut[] = [{ snapshot: [], nextOffset: 0 }];
  private committed: StoreProgress;
  private readonly recordExpired = () => {
    this.expired += 1;
  };
  private sealed: (readonly StoreWrite[])[] = [];

  constructor(spec: StoreSpec) {
    this.spec = spec;
    this.bytes = new MemoryStore(spec.name, spec.layout ?? null);
    this.committed = this.bytes.progress;
    this.store = this.open(this.bytes);
  }

  /** Ends a transaction whose outcome is open. */
  seal(): void {
    this.sealed.push(this.bytes.seal());
  }

  /** Commits the oldest open transaction, if there is one. */
  commit(): void {
    const writes = this.sealed.shift();
    if (writes === undefined) return;
    this.changelog.push(...writes);
    this.bytes.commit();
    if (this.sealed.length === 0) this.committed = this.bytes.progress;
    this.cuts.push({ snapshot: [...this.bytes.committed()], nextOffset: this.changelog.length });
  }

  /** Ends and commits everything. */
  commitAll(): void {
    this.seal();
    while (this.sealed.length > 0) this.commit();
  }

  rollback(): void {
    this.sealed = [];
    this.bytes.rollback();
  }

  /** Number of entries in the committed image. */
  get imageSize(): number {
    return [...this.bytes.committed()].length;
  }

  /**
   * The store as it is restored from each snapshot and the changelog after it, the empty one first: the whole log. `kept` chooses
   * which records of the log are still there.
   */
  restored(kept: (log: readonly StoreWrite[]) => readonly StoreWrite[] = (log) => log): readonly S[] {
    return this.cuts.map(({ snapshot, nextOffset }) => {
      const bytes = new MemoryStore(this.spec.name, this.spec.layout ?? null);
      for (const entry of snapshot) bytes.load(entry);
      for (const write of kept(this.changelog.slice(nextOffset))) bytes.restore(write);
      bytes.resume(this.committed);
      return this.open(bytes);
    });
  }

  private open(bytes: MemoryStore): S {
    return this.spec.open(bytes, { timestampMs: () => 0, recordExpired: this.recordExpired }) as S;
  }
}

/** What a model was at the end of each open transaction, and what it was when the last one was committed. */
export class Levels<M> {
  now: M;
  private sealed: M[] = [];
  private committed: M;

  constructor(empty: M) {
    this.now = empty;
    this.committed = empty;
  }

  /** Plays the step if it is one of transactions. @returns whether it was */
  play(step: string, real: DrivenStore<StateStore>): boolean {
    if (step === 'seal') {
      real.seal();
      this.sealed.push(this.now);
    } else if (step === 'commit') {
      real.commit();
      this.committed = this.sealed.shift() ?? this.committed;
    } else if (step === 'rollback') {
      real.rollback();
      this.sealed = [];
      this.now = this.committed;
    } else return false;
    return true;
  }
}

/** All that an iterable gives. */
export async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A log of which the cleaner has left the last record of each key, and no tombstone. */
export function compacted(log: readonly StoreWrite[]): readonly StoreWrite[] {
  const last = new Map(log.map((write, offset) => [write.key, offset]));
  return log.filter((write, offset) => last.get(write.key) === offset && write.value !== null);
}
