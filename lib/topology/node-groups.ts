/** Which nodes belong together: those joined by an edge or a shared store. Kafka: `QuickUnion`, `makeNodeGroups`. */
export class NodeGroups {
  private readonly parents = new Map<string, string>();

  add(node: string): void {
    this.parents.set(node, node);
  }

  unite(first: string, second: string): void {
    this.parents.set(this.rootOf(first), this.rootOf(second));
  }

  /**
   * The groups, numbered as Kafka Streams 4.1 numbers sub-topologies: in the order in which their first source was added, then
   * in that of other nodes. Within a group names come in that order too.
   */
  numbered(sources: ReadonlySet<string>): string[][] {
    const groups = new Map<string, string[]>();
    const added = [...this.parents.keys()];
    for (const node of [...added.filter((name) => sources.has(name)), ...added.filter((name) => !sources.has(name))]) {
      const root = this.rootOf(node);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, [node]);
      else group.push(node);
    }
    return [...groups.values()];
  }

  private rootOf(node: string): string {
    let root = node;
    for (let above = this.parents.get(root); above !== undefined && above !== root; above = this.parents.get(root)) {
      root = above;
    }
    this.parents.set(node, root);
    return root;
  }
}

/** Java's `String.compareTo`: by UTF-16 code units. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
