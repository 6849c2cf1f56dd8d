/** What a store has come to besides its entries; both numbers only grow. */
export interface StoreProgress {
  /** Greatest time of a key written so far, in milliseconds; −1 at first. */
  readonly streamTimeMs: number;
  /** Number of the last duplicate; 0 at first. */
  readonly sequence: number;
}

export const NO_PROGRESS: StoreProgress = Object.freeze({ streamTimeMs: -1, sequence: 0 });

/** The further of two. */
export function furthest(a: StoreProgress, b: StoreProgress): StoreProgress {
  if (a.streamTimeMs >= b.streamTimeMs && a.sequence >= b.sequence) return a;
  return {
    streamTimeMs: Math.max(a.streamTimeMs, b.streamTimeMs),
    sequence: Math.max(a.sequence, b.sequence),
  };
}
