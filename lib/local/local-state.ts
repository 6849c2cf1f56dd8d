import type { LeaseStore } from '../leases/lease-store.js';
import type { MemberId, MemberStatus, Plan } from '../leases/records.js';
import { compareMemberIds, slotsWantedBy } from '../leases/slots.js';
import type { MembersRange } from '../model/settings.js';
import { compareTaskIds, type TaskId } from '../model/task-id.js';

/** One slot, for people to look at. */
export interface LocalMember {
  readonly id: MemberId;
  readonly incarnation: number;
  readonly status: MemberStatus;
  /** Whether this process runs it now. */
  readonly running: boolean;
  /** Tasks whose lease it holds. */
  readonly tasks: readonly TaskId[];
}

/** What runs where, and why. */
export interface LocalState {
  readonly members: readonly LocalMember[];
  /** Given, or decided upon by the newest plan between the bounds given. */
  readonly membersWanted: number;
  /** Tasks that nobody runs at the moment. */
  readonly unowned: readonly TaskId[];
  readonly plan: Pick<Plan, 'number' | 'reason' | 'assignment'> | null;
  /** Bytes of all stores held by running tasks, estimated. */
  readonly stateBytes: number;
}

/** Reads the tables. */
export async function observeState(
  leases: LeaseStore,
  running: ReadonlySet<MemberId>,
  wanted: number | MembersRange,
): Promise<Omit<LocalState, 'stateBytes'>> {
  const [members, held, plan] = await Promise.all([leases.listMembers(), leases.listLeases(), leases.readPlan()]);
  const tasksOf = (id: MemberId | null) =>
    held
      .filter(({ owner }) => (owner?.memberId ?? null) === id)
      .map(({ taskId }) => taskId)
      .sort(compareTaskIds);
  return {
    members: members
      .map(({ memberId, incarnation, status }) => ({
        id: memberId,
        incarnation,
        status,
        running: running.has(memberId),
        tasks: tasksOf(memberId),
      }))
      .sort((a, b) => compareMemberIds(a.id, b.id)),
    membersWanted: typeof wanted === 'number' ? wanted : plan === null ? 0 : slotsWantedBy(plan).length,
    unowned: tasksOf(null),
    plan: plan === null ? null : { number: plan.number, reason: plan.reason, assignment: plan.assignment },
  };
}
