/**
 * Java's `TreeSet` as far as `describe()` needs it: elements go where comparisons on the way down the tree send them.
 *
 * Kafka Streams compares by sizes that still grow, so that what matters is the way through the tree as it is balanced, not the order
 * of all elements: a sorted list would place some of them elsewhere.
 */
interface TreeNode<T> {
  readonly item: T;
  isRed: boolean;
  parent: TreeNode<T> | null;
  readonly child: [TreeNode<T> | null, TreeNode<T> | null];
}

type Side = 0 | 1;

export class JavaTreeSet<T> {
  private readonly compare: (a: T, b: T) => number;
  private root: TreeNode<T> | null = null;

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  /** Adds an item, unless one that compares as equal is met on its way. */
  add(item: T): void {
    let parent: TreeNode<T> | null = null;
    let side: Side = 0;
    for (let at = this.root; at !== null; at = at.child[side]) {
      const order = this.compare(item, at.item);
      if (order === 0) return;
      parent = at;
      side = order < 0 ? 0 : 1;
    }
    const added: TreeNode<T> = { item, isRed: true, parent, child: [null, null] };
    if (parent === null) this.root = added;
    else parent.child[side] = added;
    this.balance(added);
  }

  /** All items, from left to right. */
  *[Symbol.iterator](): Generator<T> {
    yield* itemsBelow(this.root);
  }

  /** The usual repair of a red-black tree: recolour upwards, turn at most twice. */
  private balance(added: TreeNode<T>): void {
    let at = added;
    while (at.parent?.isRed === true && at.parent.parent !== null) {
      const grandparent: TreeNode<T> = at.parent.parent;
      const side: Side = grandparent.child[0] === at.parent ? 0 : 1;
      const uncle = grandparent.child[other(side)];
      if (uncle?.isRed === true) {
        at.parent.isRed = false;
        uncle.isRed = false;
        grandparent.isRed = true;
        at = grandparent;
        continue;
      }
      if (at.parent.child[side] !== at) {
        at = at.parent;
        this.turn(at, side);
      }
      if (at.parent !== null) at.parent.isRed = false;
      grandparent.isRed = true;
      this.turn(grandparent, other(side));
    }
    if (this.root !== null) this.root.isRed = false;
  }

  /** Turns a node down to a side; its child of the other side takes its place. */
  private turn(down: TreeNode<T>, side: Side): void {
    const up = down.child[other(side)];
    if (up === null) return;
    const { parent } = down;
    down.child[other(side)] = up.child[side];
    const moved = up.child[side];
    if (moved !== null) moved.parent = down;
    up.parent = parent;
    if (parent === null) this.root = up;
    else parent.child[parent.child[0] === down ? 0 : 1] = up;
    up.child[side] = down;
    down.parent = up;
  }
}

function other(side: Side): Side {
  return side === 0 ? 1 : 0;
}

function* itemsBelow<T>(node: TreeNode<T> | null): Generator<T> {
  if (node === null) return;
  yield* itemsBelow(node.child[0]);
  yield node.item;
  yield* itemsBelow(node.child[1]);
}
