/**
 * Where active tasks are meant to be, lags aside: balanced by number and capacity, with as few moves as that allows.
 *
 *   1  seats for each member (seats.ts)
 *   2  a task stays with its owner as long as that has a seat for it
 *   3  of those that have to leave, and those without an owner, as many as possible go to caught-up copies (match-copies.ts)
 *   4  then to the copies that lack least; then each owner gives up those of the sub-topologies of which it has most, and they
 *      go to who has least of theirs
 */
import type { MemberState, PlacedTask } from '../cluster.js';
import type { Copies } from './copies.js';
import { matchCopies, type Proposal } from './match-copies.js';
import { shareSeats } from './seats.js';
import { SubTopologyCounts } from './sub-topology-counts.js';

/** Adds tasks of one kind, stateful or not, to what members are meant to run. */
export function aimByCount(tasks: readonly PlacedTask[], members: readonly MemberState[], copies: Copies): void {
  if (members.length > 0) new Aim(tasks, members, copies).place();
}

/**
 * The member that a task stays with where there is a seat: its owner, unless that lacks too much while another one is caught
 * up and has to take over.
 */
export function holderOf(task: PlacedTask, copies: Copies): MemberState | undefined {
  const owner = copies.owner(task);
  if (owner === undefined || !task.task.stateful || copies.isCaughtUp(owner, task)) return owner;
  return copies.of(task).some(({ state }) => copies.isCaughtUp(state, task)) ? undefined : owner;
}

class Aim {
  private readonly tasks: readonly PlacedTask[];
  private readonly members: readonly MemberState[];
  private readonly copies: Copies;
  private readonly counts: SubTopologyCounts;
  /** By member index. */
  private readonly held: PlacedTask[][];
  private readonly room: number[];
  /** Tasks that each owner still has to give up; those it gives up for sure are no longer in `held`. */
  private readonly surplus: number[];
  private readonly orphans = new Set<PlacedTask>();

  constructor(tasks: readonly PlacedTask[], members: readonly MemberState[], copies: Copies) {
    this.tasks = tasks;
    this.members = members;
    this.copies = copies;
    this.counts = new SubTopologyCounts(members);
    this.held = members.map(() => []);
    for (const task of tasks) {
      const holder = holderOf(task, copies);
      if (holder === undefined) this.orphans.add(task);
      else this.held[holder.index]?.push(task);
    }
    const seats = this.seats();
    this.room = members.map(({ index }) => Math.max(0, (seats[index] ?? 0) - this.heldBy(index).length));
    this.surplus = members.map(({ index }) => Math.max(0, this.heldBy(index).length - (seats[index] ?? 0)));
  }

  place(): void {
    for (const { task, to } of matchCopies(this.caughtUp(), this.surplus, this.room)) this.move(task, to);
    for (const { task, to } of this.partial()) if (this.mayMove(task, to)) this.move(task, to);
    for (const state of this.members) {
      const given = this.giveUp(state);
      for (const task of this.heldBy(state.index)) this.take(task, state);
      for (const task of given) this.orphans.add(task);
    }
    const left = [...this.orphans].sort((a, b) => a.index - b.index);
    for (const task of left) {
      const state = this.counts.roomiest(task, (index) => this.roomOf(index) > 0);
      if (state !== undefined) this.move(task, state);
    }
  }

  private seats(): readonly number[] {
    const caughtUp = this.members.map(() => 0);
    const behind = this.members.map(() => 0);
    for (const task of this.orphans) {
      for (const { state } of task.task.stateful ? this.copies.of(task) : []) {
        const counts = this.copies.isCaughtUp(state, task) ? caughtUp : behind;
        counts[state.index] = (counts[state.index] ?? 0) + 1;
      }
    }
    return shareSeats(
      this.tasks.length,
      this.members.map((state) => ({
        capacity: state.member.capacity,
        held: this.heldBy(state.index).length,
        copies: caughtUp[state.index] ?? 0,
        copiesBehind: behind[state.index] ?? 0,
        heldOfAll: state.member.previousActive.length,
        taken: state.active.size,
      })),
    );
  }

  private caughtUpOf(task: PlacedTask): readonly { readonly state: MemberState; readonly lag: number }[] {
    return task.task.stateful ? this.copies.of(task).filter(({ state }) => this.copies.isCaughtUp(state, task)) : [];
  }

  /** Moves to caught-up copies that may be made: orphans first, who have to move in any case; then what lacks least. */
  private caughtUp(): readonly Proposal[] {
    const from = (task: PlacedTask, group: number | null): readonly Proposal[] => {
      const to = this.caughtUpOf(task).filter(({ state }) => this.roomOf(state.index) > 0 && state.index !== group);
      const least = to[0];
      return least === undefined ? [] : [{ task, group, lag: least.lag, to: to.map(({ state }) => state) }];
    };
    const byLag = (a: Proposal, b: Proposal): number => a.lag - b.lag || a.task.index - b.task.index;
    const orphans = [...this.orphans].flatMap((task) => from(task, null));
    const others = this.leavable().flatMap(([task, index]) => from(task, index));
    return [...orphans.sort(byLag), ...others.sort(byLag)];
  }

  /** Moves to copies that are on their way, least lag first. */
  private partial(): readonly { readonly task: PlacedTask; readonly to: MemberState }[] {
    const tasks = [...this.orphans, ...this.leavable().map(([task]) => task)].filter(({ task }) => task.stateful);
    return tasks
      .flatMap((task) => this.copies.of(task).map(({ state, lag }) => ({ task, to: state, lag })))
      .sort((a, b) => compare(a.lag, b.lag) || a.task.index - b.task.index || a.to.index - b.to.index);
  }

  private mayMove(task: PlacedTask, to: MemberState): boolean {
    if (this.roomOf(to.index) === 0) return false;
    if (this.orphans.has(task)) return true;
    const holder = holderOf(task, this.copies);
    return holder !== undefined && (this.surplus[holder.index] ?? 0) > 0 && this.heldBy(holder.index).includes(task);
  }

  /** Tasks of owners that have to give some up. */
  private leavable(): readonly (readonly [PlacedTask, number])[] {
    return this.members.flatMap(({ index }) =>
      (this.surplus[index] ?? 0) > 0 ? this.heldBy(index).map((task) => [task, index] as const) : [],
    );
  }

  /** What an owner gives up whatever becomes of it: from the sub-topologies of which it has most, high partitions first. */
  private giveUp({ index }: MemberState): readonly PlacedTask[] {
    const kept = this.heldBy(index);
    const given: PlacedTask[] = [];
    for (let left = this.surplus[index] ?? 0; left > 0; left--) {
      const counts = new Map<number, number>();
      for (const { subTopology } of kept) counts.set(subTopology, (counts.get(subTopology) ?? 0) + 1);
      let give = 0;
      let most = 0;
      for (const [at, { subTopology }] of kept.entries()) {
        const count = counts.get(subTopology) ?? 0;
        if (count < most) continue;
        most = count;
        give = at; // the last of equals
      }
      const [task] = kept.splice(give, 1);
      if (task !== undefined) given.push(task);
    }
    this.surplus[index] = 0;
    return given;
  }

  /** To a member with room. */
  private move(task: PlacedTask, to: MemberState): void {
    if (!this.orphans.delete(task)) {
      const from = holderOf(task, this.copies);
      const held = from === undefined ? [] : this.heldBy(from.index);
      const at = held.indexOf(task);
      if (from === undefined || at < 0) return;
      held.splice(at, 1);
      this.surplus[from.index] = (this.surplus[from.index] ?? 0) - 1;
    }
    this.room[to.index] = this.roomOf(to.index) - 1;
    this.take(task, to);
  }

  private take(task: PlacedTask, to: MemberState): void {
    to.active.add(task);
    this.counts.add(task, to);
  }

  private heldBy(index: number): PlacedTask[] {
    return this.held[index] ?? [];
  }

  private roomOf(index: number): number {
    return this.room[index] ?? 0;
  }
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
