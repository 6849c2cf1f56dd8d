import type { ByteKey } from '../model/byte-key.js';

/** Where a key stands in a buffer. */
export interface Place {
  readonly timeMs: number;
  readonly key: ByteKey;
}

/** Places of which only the first is ever taken: by time, then by key as unsigned bytes. A binary heap. */
export class PlaceHeap {
  private readonly places: Place[] = [];

  get size(): number {
    return this.places.length;
  }

  get first(): Place | null {
    return this.places[0] ?? null;
  }

  add(place: Place): void {
    let at = this.places.length;
    this.places.push(place);
    while (at > 0) {
      const above = (at - 1) >>> 1;
      const parent = this.places[above] as Place;
      if (!isBefore(place, parent)) break;
      this.places[at] = parent;
      at = above;
    }
    this.places[at] = place;
  }

  takeFirst(): Place | null {
    const { first } = this;
    const last = this.places.pop();
    if (first === null || last === undefined || this.places.length === 0) return first;
    let at = 0;
    for (;;) {
      const child = this.lesserChild(at);
      if (child === null || !isBefore(this.places[child] as Place, last)) break;
      this.places[at] = this.places[child] as Place;
      at = child;
    }
    this.places[at] = last;
    return first;
  }

  private lesserChild(at: number): number | null {
    const left = 2 * at + 1;
    if (left >= this.places.length) return null;
    const right = this.places[left + 1];
    return right !== undefined && isBefore(right, this.places[left] as Place) ? left + 1 : left;
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.key < b.key);
}
