/**
 * What is kept for people to read: why each plan was made, who died, and how each task started. Nothing decides by it.
 *
 * Invariants
 *   Y1  it is bounded: as many plans, deaths of a slot and starts of a task as the constants below say; what is newer takes the
 *       place of what is older, never the other way round
 *   Y2  no write of the protocol waits for it, and none fails with it: an entry that could not be written is missing, and is said to be
 *   Y3  each entry has one writer, who knows all of it: the scheduler of a plan and of a death, the owner of a start
 */
import type { TaskId } from '../model/task-id.js';
import type { Incarnation, LeaseEpoch, MemberId } from './records.js';

/** Newest plans whose explanation is kept. */
export const PLANS_EXPLAINED = 100;
/** Newest deaths kept of each slot. */
export const DEATHS_KEPT_PER_SLOT = 10;
/** Newest starts kept of each task. */
export const STARTS_KEPT_PER_TASK = 10;
/** Days after which an entry may be deleted although nothing newer has taken its place. */
export const HISTORY_KEPT_DAYS = 30;

/** A member as the assignor saw it, and what the plan gave it. */
export interface ExplainedMember {
  readonly memberId: MemberId;
  /** False: it could be given nothing. */
  readonly live: boolean;
  readonly capacity: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Active tasks by the plan before. */
  readonly activeBefore: number;
  readonly active: number;
  readonly standby: number;
  readonly warmup: number;
}

/** One part of a placement's score: less is better. */
export interface ScorePart {
  /** `balance`, `moves`, `restore`, … */
  readonly goal: string;
  /** Of what the members held before; null: nothing was placed. */
  readonly before: number | null;
  readonly after: number;
  /** What is counted, in words. */
  readonly unit: string;
}

/** A task that a plan gives to another slot than the plan before, or a copy that was not there. */
export interface ExplainedMove {
  readonly taskId: TaskId;
  /** What the task becomes there: active, a standby, or a warm-up, which prepares a move. */
  readonly role: 'active' | 'standby' | 'warmup';
  /** Who had it as active; null: nobody. */
  readonly from: MemberId | null;
  readonly to: MemberId;
  /** Changelog records that `to` lacked; 0 of a task without state; null: not known. */
  readonly lagRecords: number | null;
  /** A sentence: `1_3 moved from member-1 to member-4: …`. */
  readonly reason: string;
}

/** Why a plan was made as it is. */
export interface PlanExplanation {
  readonly planNumber: number;
  /** Wall clock of the scheduler when it had read the tables. */
  readonly seenAtMs: number;
  /** Wall clock of the scheduler when the plan was in force. */
  readonly decidedAtMs: number;
  /** Which facts made the plan necessary, in words. */
  readonly trigger: string;
  readonly assignor: string;
  /** Whether the assignor was asked; false: it stayed with its last answer. */
  readonly wasPlaced: boolean;
  readonly members: readonly ExplainedMember[];
  readonly tasks: { readonly stateful: number; readonly stateless: number };
  /** The settings that concern placement, as texts. */
  readonly settings: Readonly<Record<string, string>>;
  readonly score: readonly ScorePart[];
  readonly moves: readonly ExplainedMove[];
  /** Moves that did not fit the entry. */
  readonly movesLeftOut: number;
}

/** An incarnation that a scheduler declared dead. */
export interface MemberDeath extends Incarnation {
  /** `session timeout`, `failure event`. */
  readonly because: string;
  /** When its heartbeat was last seen to move, on the scheduler's wall clock. */
  readonly lastSeenAtMs: number;
  /** When it was found dead, on the same clock. */
  readonly seenAtMs: number;
}

/** How a task started under one take of its lease. Durations are of the owner's monotonic clock, since the take. */
export interface TaskStart {
  readonly taskId: TaskId;
  readonly leaseEpoch: LeaseEpoch;
  readonly owner: Incarnation;
  /** Whom the lease was taken from without a release; null: it was free. */
  readonly from: Incarnation | null;
  /** When it was released, on the wall clock of who released it; null: it was not, or that was not recorded. */
  readonly releasedAtMs: number | null;
  /** Newest plan that the owner had read; 0: none. */
  readonly planNumber: number;
  /** Wall clock of the owner. */
  readonly takenAtMs: number;
  /** The producer was initialised and the lease looked at again; null: it did not come to that. */
  readonly fencedAfterMs: number | null;
  /** The stores were restored, and processing began. */
  readonly restoredAfterMs: number | null;
  /** Changelog records applied meanwhile. */
  readonly restoredRecords: number;
  /** Null: there was nothing to commit until the entry was written. */
  readonly firstCommitAfterMs: number | null;
}

/** The table of history. Its writes are conditional upon nothing but Y1; none answers whether it applied. */
export interface HistoryTable {
  keepExplanation(explanation: PlanExplanation): Promise<void>;
  keepDeath(death: MemberDeath): Promise<void>;
  keepStart(start: TaskStart): Promise<void>;
  /** That of plan `number`, if it is kept. */
  readExplanation(number: number): Promise<PlanExplanation | null>;
  /** Those kept, by plan number. */
  listExplanations(): Promise<readonly PlanExplanation[]>;
  /** Those kept, by the time at which they were seen. */
  listDeaths(): Promise<readonly MemberDeath[]>;
  /** Those kept, by the time of the take. */
  listStarts(): Promise<readonly TaskStart[]>;
}

/** Which entry takes whose place: entries of one key, of which the one with the greatest version stays. */
export interface EntryPlace {
  readonly key: string;
  readonly version: number;
}

export function placeOfExplanation(number: number): EntryPlace {
  return { key: `plan#${number % PLANS_EXPLAINED}`, version: number };
}

export function placeOfDeath({ memberId, incarnation }: Incarnation): EntryPlace {
  return { key: `death#${memberId}#${incarnation % DEATHS_KEPT_PER_SLOT}`, version: incarnation };
}

export function placeOfStart({ taskId, leaseEpoch }: Pick<TaskStart, 'taskId' | 'leaseEpoch'>): EntryPlace {
  return { key: `start#${taskId}#${leaseEpoch % STARTS_KEPT_PER_TASK}`, version: leaseEpoch };
}
