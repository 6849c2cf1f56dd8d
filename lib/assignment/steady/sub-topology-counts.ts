import type { MemberState, PlacedTask } from '../cluster.js';

/** How many tasks of each sub-topology, and of all, members are given: what spreads those of each over all. */
export class SubTopologyCounts {
  private readonly members: readonly MemberState[];
  /** By sub-topology, then member index. */
  private readonly counts = new Map<number, number[]>();
  private readonly totals: number[];

  constructor(members: readonly MemberState[]) {
    this.members = members;
    this.totals = members.map(() => 0);
    for (const state of members) for (const task of state.active) this.add(task, state);
  }

  add({ subTopology }: PlacedTask, { index }: MemberState): void {
    const counts = this.of(subTopology);
    counts[index] = (counts[index] ?? 0) + 1;
    this.totals[index] = (this.totals[index] ?? 0) + 1;
  }

  /** Of the accepted members the one that has least of the task's sub-topology, then least at all, both by capacity. */
  roomiest({ subTopology }: PlacedTask, accepts: (index: number) => boolean): MemberState | undefined {
    const counts = this.of(subTopology);
    let best: MemberState | undefined;
    for (const state of this.members) {
      if (!accepts(state.index)) continue;
      if (best === undefined || this.compare(counts, state, best) < 0) best = state;
    }
    return best;
  }

  private compare(counts: readonly number[], a: MemberState, b: MemberState): number {
    const [left, right] = [a.member.capacity, b.member.capacity];
    const bySubTopology = (counts[a.index] ?? 0) * right - (counts[b.index] ?? 0) * left;
    if (bySubTopology !== 0) return bySubTopology;
    return (this.totals[a.index] ?? 0) * right - (this.totals[b.index] ?? 0) * left;
  }

  private of(subTopology: number): number[] {
    const known = this.counts.get(subTopology) ?? this.members.map(() => 0);
    this.counts.set(subTopology, known);
    return known;
  }
}
