/**
 * A state of the protocol's model: the tables and the log as they are, and what every process and scheduler that is under way
 * knows, which may be old. Values are immutable; successors share what has not changed.
 */
import type { SlotItem } from '../../leases/member-transitions.js';
import type { Incarnation, Lease, Member, Plan } from '../../leases/records.js';
import { memberId } from '../../leases/slots.js';
import { type TaskId, taskId } from '../../model/task-id.js';
import type { Action } from '../../scheduler/actions.js';

/** Slots and tasks of the model, by index. */
export const SLOT_IDS = [memberId(1), memberId(2)] as const;
export const TASK_IDS: readonly [TaskId, TaskId] = [taskId(0, 0), taskId(0, 1)];
export type Index = 0 | 1;
export const INDEXES: readonly Index[] = [0, 1];
export type Pair<T> = readonly [T, T];

/**
 * One task in the hands of one process.
 *
 * `deciding` its lease was read and may be taken · `taken` · `initialised` the producer is · `checked` the lease was looked at again ·
 * `running` offsets were read, commits follow · `unknown` an answer got lost · `fenced` a commit was refused.
 */
export interface Run {
  readonly phase: 'deciding' | 'taken' | 'initialised' | 'checked' | 'running' | 'unknown' | 'fenced';
  /** While deciding: the lease as read. */
  readonly expected: Pick<Lease, 'epoch' | 'owner'> | null;
  /** The epoch that was taken; 0 while deciding. */
  readonly epoch: number;
  readonly producer: 'none' | 'current' | 'fenced';
  /** Whether the offsets that it goes on from are those committed last. */
  readonly position: 'none' | 'fresh' | 'stale';
}

/** One invocation that has claimed a slot. */
export interface Process {
  readonly slot: Index;
  readonly incarnation: number;
  /** Whether it has not renewed for so long that its death may be declared: frozen, or cut off from the tables. */
  readonly isLate: boolean;
  /**
   * `working` · `draining` the slot says so · `handing-over` its successor is invoked · `leaving` it gives back its tasks, then the
   * slot · `superseded` it gives back its tasks, the slot is its successor's.
   */
  readonly stage: 'working' | 'draining' | 'handing-over' | 'leaving' | 'superseded';
  /** The newest plan that it has read; undefined before it looked, null if there was none. */
  readonly plan: Plan | null | undefined;
  /** The task for which a doorbell woke it. */
  readonly wanted: Index | null;
  readonly runs: Pair<Run | null>;
}

/** One tick of a scheduler that is under way. */
export interface Tick {
  /** Leases as listed; null once it has decided. */
  readonly leases: readonly Lease[] | null;
  /** Members as listed before the leases, which only a mutant does. */
  readonly members: readonly Member[] | null;
  /** What is still to do, in order. */
  readonly actions: readonly Action[];
}

export interface State {
  readonly slots: Pair<SlotItem | null>;
  readonly leases: Pair<Lease | null>;
  readonly plan: Plan | null;
  /** Whether an invocation for a slot's next incarnation is out: it may arrive at any time, and more than once. */
  readonly invoked: Pair<boolean>;
  /** Highest lease epoch under which a task's producer was initialised. */
  readonly initialised: Pair<number>;
  readonly processes: readonly Process[];
  /** One, or two that overlap. */
  readonly ticks: readonly Tick[];
  /** Members that the operator wants. */
  readonly wanted: 1 | 2;
  /** Disturbances that may still happen. */
  readonly disturbancesLeft: number;
  /** Disturbances that have happened. */
  readonly disturbances: number;
}

/** Before the first tick: nothing in any table, nobody there. */
export function initialState(disturbances: number): State {
  return {
    slots: [null, null],
    leases: [null, null],
    plan: null,
    invoked: [false, false],
    initialised: [0, 0],
    processes: [],
    ticks: [],
    wanted: 2,
    disturbancesLeft: disturbances,
    disturbances: 0,
  };
}

export function idOf({ slot, incarnation }: Pick<Process, 'slot' | 'incarnation'>): Incarnation {
  return { memberId: SLOT_IDS[slot], incarnation };
}

/** The slot as reads show it. */
export function memberOf(item: SlotItem | null): Member | null {
  return item === null || item.status === 'retired' ? null : item;
}

export function membersOf({ slots }: State): readonly Member[] {
  return slots.map(memberOf).filter((member) => member !== null);
}

export function leasesOf({ leases }: State): readonly Lease[] {
  return leases.filter((lease) => lease !== null);
}

export function replaced<T>(pair: Pair<T>, index: Index, value: T): Pair<T> {
  return index === 0 ? [value, pair[1]] : [pair[0], value];
}
