/**
 * Standbys on members that differ from the active and from one another in the tags asked for. KIP-708, Kafka:
 * `ClientTagAwareStandbyTaskAssignor`.
 *
 * A tag whose values are all taken (two zones, active and one standby) no longer counts for further standbys; those that find
 * no member apart go to the least loaded, after all others. Tags that were not asked for do not count; Kafka Streams looks at
 * them when it evens out loads afterwards, which would keep standbys from moving by tags that name a single member.
 */
import type { MemberState, PlacedTask } from '../cluster.js';
import { orderOfGrownTable } from './hash-order.js';
import { LeastLoaded } from './least-loaded.js';
import { placeByLoad, type StandbyPlacing } from './standbys.js';

/** Standbys apart by the tags of these names. */
export function standbysByTags(names: readonly string[]): StandbyPlacing {
  return {
    place: (cluster, replicas) => {
      const groups = new Groups(cluster.members, names);
      const missing = new Map<PlacedTask, number>();
      const activeOf = new Map(
        cluster.members.flatMap((state) => [...state.active].map((task) => [task, state] as const)),
      );
      for (const task of cluster.stateful) {
        const active = activeOf.get(task);
        const placed = active === undefined ? 0 : placeApart(task, active, replicas, groups, names);
        if (placed < replicas) missing.set(task, replicas - placed);
      }
      const members = new LeastLoaded(cluster.members);
      for (const task of orderOfGrownTable(cluster.stateful)) placeByLoad(task, missing.get(task) ?? 0, members);
    },
    mayEven: (from, to) =>
      names.every((name) => tagOf(from, name) === undefined || tagOf(from, name) === tagOf(to, name)),
    mayMove: (cluster, task, from, to) => {
      const others = cluster.members.filter((state) => state !== from && state !== to && state.has(task));
      return distinctTags([...others, to], names) >= distinctTags([...others, from], names);
    },
  };
}

/** @returns how many found a member apart from all before */
function placeApart(
  task: PlacedTask,
  active: MemberState,
  replicas: number,
  groups: Groups,
  names: readonly string[],
): number {
  const used = new Set<string>();
  const taken: MemberState[] = [];
  let last = active;
  while (taken.length < replicas) {
    for (const name of names) {
      const value = tagOf(last, name);
      if (value === undefined) continue;
      const values = groups.valuesOf(name);
      if (values.size <= taken.length + 1) for (const one of values) used.delete(entryOf(name, one));
      else used.add(entryOf(name, value));
    }
    const next = groups.take(used, (state) => !state.has(task));
    if (next === undefined) break;
    next.standby.add(task);
    taken.push(next);
    last = next;
  }
  for (const state of taken) groups.put(state);
  return taken.length;
}

/** Members by the tags asked for, least loaded first in each group: whole groups are passed over at once. */
class Groups {
  private readonly names: readonly string[];
  private readonly groups = new Map<string, { readonly entries: readonly string[]; readonly members: LeastLoaded }>();
  private readonly values: ReadonlyMap<string, Set<string>>;

  constructor(members: readonly MemberState[], names: readonly string[]) {
    this.names = names;
    this.values = new Map(names.map((name) => [name, new Set<string>()]));
    for (const state of members) {
      for (const name of names) {
        const value = tagOf(state, name);
        if (value !== undefined) this.values.get(name)?.add(value);
      }
      this.put(state);
    }
  }

  /** The values of a tag on any member. */
  valuesOf(name: string): ReadonlySet<string> {
    return this.values.get(name) ?? new Set();
  }

  /** Takes out the least loaded member that is accepted and has none of the tags used. */
  take(used: ReadonlySet<string>, accepts: (state: MemberState) => boolean): MemberState | undefined {
    let least: MemberState | undefined;
    for (const { entries, members } of this.groups.values()) {
      if (entries.some((entry) => used.has(entry))) continue;
      const state = members.take(accepts);
      if (state === undefined) continue;
      const isLess = least === undefined || (state.load - least.load || state.index - least.index) < 0;
      const more = isLess ? least : state;
      if (isLess) least = state;
      if (more !== undefined) this.put(more);
    }
    return least;
  }

  put(state: MemberState): void {
    const entries = entriesOf(state, this.names);
    const key = JSON.stringify(entries);
    const group = this.groups.get(key) ?? { entries, members: new LeastLoaded([]) };
    this.groups.set(key, group);
    group.members.put(state);
  }
}

function distinctTags(states: readonly MemberState[], names: readonly string[]): number {
  return new Set(states.flatMap((state) => entriesOf(state, names))).size;
}

function entriesOf(state: MemberState, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = tagOf(state, name);
    return value === undefined ? [] : [entryOf(name, value)];
  });
}

function tagOf(state: MemberState, name: string): string | undefined {
  return state.member.tags[name];
}

function entryOf(name: string, value: string): string {
  return JSON.stringify([name, value]);
}
