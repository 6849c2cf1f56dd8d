/**
 * How many members an elastic application wants: between two bounds, by what waits and how fast it is worked off. Pure.
 *
 *   W1  never fewer than `min` or one slot, never more than `max`, nor than share all tasks by `tasksPerMember`; where all sleep, that
 *       one slot sleeps too, and nobody runs
 *   W2  nothing is decided upon what is not known: a task of which nobody knows what waits adds nothing to a reason for more
 *       members, and keeps fewer from being wanted
 *   W3  more are wanted once what waits would take longer than `membersLagTargetMs` at the rate at which it is worked off, and has
 *       done so for a quarter of the cool-down; in proportion, at most twice as many at once, and not before those wanted last have come
 *   W4  fewer are wanted one by one, when it would take less than a quarter of that (hysteresis) for the whole of
 *       `membersCooldownMs`, and the rate is one that those who stay have been seen to bear: a member that the rest would
 *       have to be helped out by again soon is not given up
 *   W5  after a change nothing is changed for a quarter of the cool-down, and nothing is made fewer for all of it
 *   W6  where all tasks sleep for the cool-down, all that is beyond the least goes at once: nobody runs there whom it could disturb
 *   W7  what a member bears is as of the last time that more were wanted; after {@link CAPACITY_TRUSTED} cool-downs one fewer is tried
 *       all the same, for tasks and machines may have become faster
 *
 * Times are how long this scheduler itself has seen something stand still (heartbeat-watch.ts): another begins to count anew, which
 * delays what it decides and makes nothing wrong. What has to outlive schedulers is in the plan (`ElasticState`).
 */
import type { MembersRange } from '../model/settings.js';

/** Times as many members that one decision wants at most. */
export const GROWTH_MOST = 2;
/** Part of the lag target below which members are too many. */
export const LOW_PART = 0.25;
/** Part of what members have been seen to bear that those who stay may be given. */
export const BEARABLE_PART = 0.7;
/** Part of the cool-down for which a reason for more has to hold, and the number to have stood still. */
export const SETTLE_PART = 0.25;
/** Cool-downs for which a capacity that was measured is believed to bound. */
export const CAPACITY_TRUSTED = 10;

/** What is known of the work, over all tasks. */
export interface WorkLoad {
  /** Records that wait, of the tasks of which that is known. */
  readonly lagRecords: number;
  /** Records worked off per second by these. */
  readonly recordsPerSecond: number;
  /** Whether it is known of every task. */
  readonly isWhole: boolean;
  /** Whether every task sleeps: released in order, and without input. */
  readonly isAsleep: boolean;
}

export interface MembersQuestion {
  readonly range: MembersRange;
  readonly tasks: number;
  readonly tasksPerMember: number;
  readonly cooldownMs: number;
  readonly lagTargetMs: number;
  /** Slots that the newest plan lists; null: there is none. */
  readonly current: number | null;
  /** Those of them that an incarnation runs. */
  readonly running: number;
  readonly load: WorkLoad;
  /** Records per second that one member bore when more were wanted last; 0: not known. */
  readonly capacity: number;
  /** For how long the number of slots has stood still. */
  readonly unchangedMs: number;
  /** For how long {@link isHigh} has held. */
  readonly highMs: number;
  /** For how long {@link isLow} has held. */
  readonly lowMs: number;
  /** For how long all have slept. */
  readonly asleepMs: number;
}

/** How many slots are wanted; the bounds included. */
export function wantedMembers(question: MembersQuestion): number {
  const { current, load, asleepMs, cooldownMs } = question;
  const { least, most } = boundsOf(question);
  if (current === null) return least;
  const within = Math.min(Math.max(current, least), most);
  if (within !== current) return within;
  if (load.isAsleep) return asleepMs >= cooldownMs ? least : current; // W6
  return Math.min(Math.max(current + growth(question) - surplus(question), least), most);
}

/** Whether more are needed, as far as one look can tell (W3). Without a rate there is no telling how many: W2. */
export function isHigh({ load, lagTargetMs }: Pick<MembersQuestion, 'load' | 'lagTargetMs'>): boolean {
  return load.recordsPerSecond > 0 && workOffMs(load) > lagTargetMs;
}

/** Whether fewer would do, as far as one look can tell (W4). */
export function isLow({ load, lagTargetMs }: Pick<MembersQuestion, 'load' | 'lagTargetMs'>): boolean {
  return load.isWhole && workOffMs(load) <= lagTargetMs * LOW_PART;
}

/** How long it takes to work off what waits, in milliseconds; infinite where nothing is worked off. */
export function workOffMs({ lagRecords, recordsPerSecond }: WorkLoad): number {
  if (lagRecords <= 0) return 0;
  return recordsPerSecond <= 0 ? Number.POSITIVE_INFINITY : (lagRecords / recordsPerSecond) * 1_000;
}

/** W1. */
function boundsOf({ range, tasks, tasksPerMember }: MembersQuestion): {
  readonly least: number;
  readonly most: number;
} {
  const least = Math.max(1, range.min);
  return { least, most: Math.max(least, Math.min(range.max, Math.ceil(tasks / tasksPerMember))) };
}

/** W3, W5. */
function growth(question: MembersQuestion): number {
  const { current, running, load, lagTargetMs, unchangedMs, highMs, cooldownMs } = question;
  if (current === null || running < current || !isHigh(question)) return 0;
  if (Math.min(highMs, unchangedMs) < cooldownMs * SETTLE_PART) return 0;
  return Math.ceil(current * (Math.min(GROWTH_MOST, workOffMs(load) / lagTargetMs) - 1));
}

/** W4, W5, W7. */
function surplus(question: MembersQuestion): number {
  const { current, lowMs, unchangedMs, cooldownMs, capacity, load } = question;
  if (current === null || !isLow(question) || lowMs < cooldownMs || unchangedMs < cooldownMs) return 0;
  const isBearable = load.recordsPerSecond <= BEARABLE_PART * capacity * (current - 1);
  const isBounding = capacity > 0 && unchangedMs < CAPACITY_TRUSTED * cooldownMs;
  return isBounding && !isBearable ? 0 : 1;
}
