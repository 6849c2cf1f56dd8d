/**
 * Which tasks go to which of their caught-up copies, so that as many as possible do. A maximum matching by augmenting ways
 * (Kuhn): who gives up a number of tasks may give up any of them, who has room for a number may take any.
 *
 *   M1  no other choice lets more tasks go to copies
 *   M2  a task that has to go in any case (no group) and was matched stays matched, whatever comes after it
 */
import type { MemberState, PlacedTask } from '../cluster.js';

/** A task that could go, and where. */
export interface Proposal {
  readonly task: PlacedTask;
  /** Index of the member that would give it up; null: nobody holds it. */
  readonly group: number | null;
  /** Least lag of its copies there. */
  readonly lag: number;
  /** Members with room that have a caught-up copy, best first. */
  readonly to: readonly MemberState[];
}

/**
 * @param proposals in order of preference
 * @param surplus how many tasks each member gives up, by member index
 * @param room how many each may take
 */
export function matchCopies(
  proposals: readonly Proposal[],
  surplus: readonly number[],
  room: readonly number[],
): readonly { readonly task: PlacedTask; readonly to: MemberState }[] {
  const matching = new Matching(proposals, surplus, room);
  for (const proposal of proposals) matching.add(proposal);
  return matching.pairs();
}

class Matching {
  private readonly surplus: number[];
  private readonly room: readonly number[];
  private readonly byGroup = new Map<number, Proposal[]>();
  private readonly places = new Map<Proposal, MemberState>();
  /** By member index. */
  private readonly taken = new Map<number, Set<Proposal>>();

  constructor(proposals: readonly Proposal[], surplus: readonly number[], room: readonly number[]) {
    this.surplus = [...surplus];
    this.room = room;
    for (const proposal of proposals) {
      if (proposal.group === null) continue;
      const group = this.byGroup.get(proposal.group) ?? [];
      this.byGroup.set(proposal.group, group);
      group.push(proposal);
    }
  }

  add(proposal: Proposal): void {
    const { group } = proposal;
    if (this.places.has(proposal) || (group !== null && (this.surplus[group] ?? 0) === 0)) return;
    if (this.settle(proposal, new Set()) && group !== null) this.surplus[group] = (this.surplus[group] ?? 0) - 1;
  }

  pairs(): readonly { readonly task: PlacedTask; readonly to: MemberState }[] {
    return [...this.places].map(([{ task }, to]) => ({ task, to }));
  }

  /** Finds a place for a task, if need be by sending others on. Ends: each member is looked at once. */
  private settle(proposal: Proposal, seen: Set<number>): boolean {
    for (const state of proposal.to) {
      if (seen.has(state.index)) continue;
      seen.add(state.index);
      const taken = this.takenBy(state);
      if (taken.size < (this.room[state.index] ?? 0)) {
        this.put(proposal, state);
        return true;
      }
      for (const other of taken) {
        if (!this.sendOn(other, seen)) continue;
        taken.delete(other);
        this.put(proposal, state);
        return true;
      }
    }
    return false;
  }

  /** Another place for a task that has one, or another task of its owner in its stead. */
  private sendOn(other: Proposal, seen: Set<number>): boolean {
    if (this.settle(other, seen)) return true;
    const siblings = other.group === null ? [] : (this.byGroup.get(other.group) ?? []);
    for (const sibling of siblings) {
      if (this.places.has(sibling) || !this.settle(sibling, seen)) continue;
      this.places.delete(other);
      return true;
    }
    return false;
  }

  private put(proposal: Proposal, state: MemberState): void {
    this.places.set(proposal, state);
    this.takenBy(state).add(proposal);
  }

  private takenBy({ index }: MemberState): Set<Proposal> {
    const known = this.taken.get(index) ?? new Set();
    this.taken.set(index, known);
    return known;
  }
}
