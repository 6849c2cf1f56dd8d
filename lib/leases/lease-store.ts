/**
 * The port to the three tables. Each write is one conditional write; none holds a rule of who *should* write (rules.ts).
 *
 * A refused condition is an answer, not an error: `applied: false` with the item as it is now. After an error whose outcome
 * is unknown the adapter reads the item back and answers what it finds. Adapters: `memory/`, `dynamodb/`.
 */
import type { TaskId } from '../model/task-id.js';
import type { HistoryTable } from './history.js';
import type {
  DrainMark,
  Incarnation,
  Lease,
  LeaseEpoch,
  Member,
  MemberId,
  MemberReport,
  Plan,
  RecordedOffsets,
  RecordedPunctuation,
  TopicIds,
} from './records.js';

/** Answer of a conditional write: the item after it, or the item that stood against it (null: there is none). */
export type Conditional<T> =
  | { readonly applied: true; readonly item: T }
  | { readonly applied: false; readonly item: T | null };

export interface MemberTable {
  /**
   * All slots that were created and not deleted, by number. Consistent: each item is at least as new as any write answered before
   * the call. Who lists leases and then members must not miss the claim of an owner.
   */
  listMembers(): Promise<readonly Member[]>;
  /** Consistent. */
  readMember(memberId: MemberId): Promise<Member | null>;
  /**
   * Creates a slot: `free`, at the last incarnation of a deleted slot of this name, so that numbers only grow (P1); where
   * there never was one, or its item was deleted by hand, at `after` (default 0), which no incarnation
   * before was beyond (V7 of membership.ts). Condition: there is no such slot.
   */
  createMember(memberId: MemberId, after?: number): Promise<Conditional<Member>>;
  /**
   * Claims a slot: `claimed`, incarnation `incarnation`, heartbeat version 0.
   * Condition: status is not `claimed`, and the item's incarnation is `incarnation − 1`.
   */
  claimMember(
    claim: Incarnation & { readonly report: MemberReport; readonly tags: Readonly<Record<string, string>> },
  ): Promise<Conditional<Member>>;
  /**
   * Renews: heartbeat version + 1, report replaced. Condition: status `claimed` or `draining`, same incarnation.
   * The item answered carries the announced plan number.
   */
  heartbeat(beat: Incarnation & { readonly report: MemberReport }): Promise<Conditional<Member>>;
  /** `draining`: the successor may claim. Condition: `claimed`, same incarnation. */
  drainMember(member: Incarnation): Promise<Conditional<Member>>;
  /** `free`: the incarnation has ended. Condition: `claimed` or `draining`, same incarnation. */
  freeMember(member: Incarnation): Promise<Conditional<Member>>;
  /** `dead`. Condition: `claimed` or `draining`, same incarnation, same heartbeat version. */
  declareDead(member: Incarnation & { readonly heartbeatVersion: number }): Promise<Conditional<Member>>;
  /** Writes the plan number into the item. Condition: the item exists and has a smaller one. */
  announcePlan(memberId: MemberId, planNumber: number): Promise<Conditional<Member>>;
  /** Marks a slot as drained by an operator, or takes the mark away (null); all else stays. Condition: there is such a slot. */
  markDrain(memberId: MemberId, drain: DrainMark | null): Promise<Conditional<Member>>;
  /**
   * Removes a slot that is no longer wanted and answers the item removed. Its incarnation number is kept for `createMember`.
   * Condition: status `free` or `dead`, same incarnation.
   */
  deleteMember(member: Incarnation): Promise<Conditional<Member>>;
}

export interface LeaseTable {
  /** All leases ever taken, in order of task ids; consistent, as `listMembers`. */
  listLeases(): Promise<readonly Lease[]>;
  /** Consistent. */
  readLease(taskId: TaskId): Promise<Lease | null>;
  /**
   * Takes a lease: owner set, epoch + 1. `expected` null creates it at epoch 1.
   * Condition: the item's epoch and owner are those of `expected` (or there is no item).
   */
  takeLease(take: {
    readonly taskId: TaskId;
    readonly owner: Incarnation;
    readonly expected: Pick<Lease, 'epoch' | 'owner'> | null;
  }): Promise<Conditional<Lease>>;
  /** Releases: owner null, offsets recorded (null keeps those recorded before), and punctuations. Condition: same owner and epoch. */
  releaseLease(release: {
    readonly taskId: TaskId;
    readonly owner: Incarnation;
    readonly epoch: LeaseEpoch;
    readonly offsets: RecordedOffsets | null;
    readonly punctuations?: readonly RecordedPunctuation[];
    /** Wall clock of who releases; for display. */
    readonly releasedAtMs?: number;
  }): Promise<Conditional<Lease>>;
  /** Replaces the recorded topic ids; takes and releases keep them. Condition: same owner and epoch. */
  recordTopics(record: {
    readonly taskId: TaskId;
    readonly owner: Incarnation;
    readonly epoch: LeaseEpoch;
    readonly topicIds: TopicIds;
  }): Promise<Conditional<Lease>>;
}

export interface PlanTable {
  /** The newest plan; consistent. */
  readPlan(): Promise<Plan | null>;
  /**
   * Writes the next plan. Condition: the newest number is `plan.number − 1`; with `anew`, there is no plan.
   *
   * @param how `anew`: numbers begin with that of this plan, since there was none or its row was deleted by hand
   */
  writePlan(plan: Plan, how?: { readonly anew: boolean }): Promise<Conditional<Plan>>;
  /** Plan `number`, if still kept. */
  readPlanNumber(number: number): Promise<Plan | null>;
}

/** The tables of one application: the three of the protocol, and what is kept for people to read (history.ts). */
export interface LeaseStore extends MemberTable, LeaseTable, PlanTable, HistoryTable {}
