/**
 * Items of which only the first is ever taken. Which of several equal ones comes first depends on when which of them was added:
 * as in Java's `PriorityQueue`, so that what Kafka Streams keeps in one comes out in its order.
 */
export class BinaryHeap<T> {
  private readonly isBefore: (a: T, b: T) => boolean;
  private readonly items: T[] = [];

  /** @param isBefore strict: not of equal ones */
  constructor(isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore;
  }

  get size(): number {
    return this.items.length;
  }

  get first(): T | null {
    return this.items[0] ?? null;
  }

  /** All items as they lie; added in this order to another heap they lie there in the same way. */
  get all(): readonly T[] {
    return this.items;
  }

  add(item: T): void {
    let at = this.items.length;
    this.items.push(item);
    while (at > 0) {
      const above = (at - 1) >>> 1;
      const parent = this.items[above] as T;
      if (!this.isBefore(item, parent)) break;
      this.items[at] = parent;
      at = above;
    }
    this.items[at] = item;
  }

  takeFirst(): T | null {
    const { first } = this;
    const last = this.items.pop();
    if (first === null || last === undefined || this.items.length === 0) return first;
    let at = 0;
    for (;;) {
      const child = this.lesserChild(at);
      if (child === null || !this.isBefore(this.items[child] as T, last)) break;
      this.items[at] = this.items[child] as T;
      at = child;
    }
    this.items[at] = last;
    return first;
  }

  private lesserChild(at: number): number | null {
    const left = 2 * at + 1;
    if (left >= this.items.length) return null;
    const right = this.items[left + 1];
    return right !== undefined && this.isBefore(right, this.items[left] as T) ? left + 1 : left;
  }
}
