/**
 * How far apart members are by the tags asked for. KIP-708.
 *
 * A value that two copies share, although there are members of another value, is a loss. A tag whose values are all taken says
 * nothing about further copies.
 */
import type { MemberState } from '../cluster.js';

/** What one more copy on a member would bring: less shared first, then more values. */
interface Gain {
  readonly shared: number;
  readonly added: number;
}

const NONE: Gain = { shared: 0, added: 0 };

export class TagSpread {
  private readonly members: readonly MemberState[];
  private readonly names: readonly string[];
  /** How many values of each tag there are. */
  private readonly values: ReadonlyMap<string, number>;

  constructor(members: readonly MemberState[], names: readonly string[]) {
    this.members = members;
    this.names = names;
    this.values = new Map(names.map((name) => [name, valuesOf(members, name).size]));
  }

  /** Whether any tags are asked for at all. */
  get isAsked(): boolean {
    return this.names.length > 0;
  }

  /** How many values of tags the members lack, of those that so many could have. */
  lossOf(states: readonly MemberState[]): number {
    return this.names.reduce((sum, name) => {
      const tagged = states.filter(({ member }) => member.tags[name] !== undefined).length;
      return sum + Math.min(tagged, this.values.get(name) ?? 0) - valuesOf(states, name).size;
    }, 0);
  }

  /** Of the candidates that are not there yet the one that is furthest apart; of equals the better one, or the first. */
  bestNext(
    on: readonly MemberState[],
    candidates: readonly MemberState[],
    isBetter: (a: MemberState, b: MemberState) => boolean = () => false,
  ): MemberState | undefined {
    let best: MemberState | undefined;
    let most = NONE;
    for (const state of candidates) {
      if (on.includes(state)) continue;
      const gain = this.gain(on, state);
      const order = best === undefined ? -1 : compare(gain, most);
      if (order > 0 || (order === 0 && best !== undefined && !isBetter(state, best))) continue;
      most = gain;
      best = state;
    }
    return best;
  }

  /** Whether no member at all would be further apart than this one. */
  isBest(on: readonly MemberState[], state: MemberState): boolean {
    if (!this.isAsked) return true;
    const gain = this.gain(on, state);
    return !this.members.some((other) => !on.includes(other) && compare(this.gain(on, other), gain) < 0);
  }

  private gain(on: readonly MemberState[], { member }: MemberState): Gain {
    if (!this.isAsked) return NONE;
    let shared = 0;
    let added = 0;
    for (const name of this.names) {
      const value = member.tags[name];
      if (value === undefined) continue;
      const taken = valuesOf(on, name);
      if (!taken.has(value)) added += 1;
      else if (taken.size < (this.values.get(name) ?? 0)) shared += 1;
    }
    return { shared, added };
  }
}

function valuesOf(states: readonly MemberState[], name: string): ReadonlySet<string> {
  return new Set(states.flatMap(({ member }) => member.tags[name] ?? []));
}

function compare(a: Gain, b: Gain): number {
  return a.shared - b.shared || b.added - a.added;
}
