/**
 * A binary heap: the least element comes out first.
 *
 * Equal elements come out in the order in which Java's `PriorityQueue` gives them for the same calls: where Kafka Streams
 * leaves a choice to that, so do we.
 */
export class Heap<T> {
  private readonly items: T[] = [];
  private readonly compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  push(item: T): void {
    let at = this.items.length;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      const parent = this.items[above];
      if (parent === undefined || this.compare(item, parent) >= 0) break;
      this.items[at] = parent;
      at = above;
    }
    this.items[at] = item;
  }

  /** Takes out the least; undefined: the heap is empty. */
  pop(): T | undefined {
    const first = this.items[0];
    const last = this.items.pop();
    if (last !== undefined && this.items.length > 0) this.sink(last);
    return first;
  }

  /** Sets an item in at the top and lets it down to its place. */
  private sink(item: T): void {
    let at = 0;
    for (;;) {
      const left = this.items[2 * at + 1];
      const right = this.items[2 * at + 2];
      if (left === undefined) break; // a leaf
      const isRight = right !== undefined && this.compare(left, right) > 0;
      const child = isRight ? right : left;
      if (this.compare(item, child) <= 0) break;
      this.items[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    this.items[at] = item;
  }
}
