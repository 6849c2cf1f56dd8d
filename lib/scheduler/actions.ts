/**
 * What a tick does, as data, in the order in which it is done:
 * topics · deaths · plan · announcements · slots and invocations · retirements · standbys.
 *
 * A scheduler may die between any two of them; each is a conditional write or may be done twice, and the next tick finds what
 * is still to do from the tables alone.
 */
import type { AssignmentInput } from '../assignment/task-assignor.js';
import type { Incarnation, MemberId, Plan } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';
import type { InternalTopicSpec } from '../topology/internal-topic-specs.js';

export type DeathCause = 'failure event' | 'session timeout';

/** A task that a plan gives to another slot than the plan before. */
export interface Move {
  readonly taskId: TaskId;
  /** Null: it is new. */
  readonly from: MemberId | null;
  readonly to: MemberId;
}

export interface CreateInternalTopic {
  readonly type: 'CreateInternalTopic';
  readonly spec: InternalTopicSpec;
}
export interface DeclareDead extends Incarnation {
  readonly type: 'DeclareDead';
  readonly heartbeatVersion: number;
  readonly because: DeathCause;
}
export interface WritePlan {
  readonly type: 'WritePlan';
  readonly plan: Plan;
  readonly moves: readonly Move[];
  /** What the assignor was asked; null: it was not. */
  readonly input: AssignmentInput | null;
}
export interface AnnouncePlan {
  readonly type: 'AnnouncePlan';
  readonly memberId: MemberId;
  readonly planNumber: number;
}
export interface CreateSlot {
  readonly type: 'CreateSlot';
  readonly memberId: MemberId;
  /** No incarnation of an item that was deleted by hand was later (V7 of membership.ts). Absent: there was none. */
  readonly after?: number;
}
export interface InvokeMember {
  readonly type: 'InvokeMember';
  readonly memberId: MemberId;
  /** Null: the next of the slot that this tick creates, which a slot deleted before has left behind. */
  readonly incarnation: number | null;
  /** How many incarnations before it, in a row, ended soon after they were asked for. */
  readonly quickEnds: number;
  readonly expiresAtMs: number;
}
export interface RetireSlot extends Incarnation {
  readonly type: 'RetireSlot';
}
export interface InvokeStandby {
  readonly type: 'InvokeStandby';
  readonly taskIds: readonly TaskId[];
  readonly expiresAtMs: number;
}

export type Action =
  | CreateInternalTopic
  | DeclareDead
  | WritePlan
  | AnnouncePlan
  | CreateSlot
  | InvokeMember
  | RetireSlot
  | InvokeStandby;
