import type { ByteKey } from '../model/byte-key.js';
import { BinaryHeap } from './binary-heap.js';

/** Where a key stands in a buffer. */
export interface Place {
  readonly timeMs: number;
  readonly key: ByteKey;
}

/** Places of which only the first is ever taken: by time, then by key as unsigned bytes. */
export class PlaceHeap extends BinaryHeap<Place> {
  constructor() {
    super((a, b) => a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.key < b.key));
  }
}
