/**
 * Who is there, who is dead, who counts, and whom to invoke. Pure.
 *
 *   V1  dead is whose end was reported, or whose heartbeat this scheduler saw stand still for the session time-out
 *   V2  a slot counts while an incarnation runs it. One that has ended counts on for the session time-out if the plan counts
 *       it: its next incarnation keeps its tasks and no plan changes (static membership, KIP-345). A death by session
 *       time-out has used that time up
 *   V3  where no slot counts, all wanted ones do, for they are being invoked: the first plan is written before the first
 *       member starts, which finds its tasks there; and a group that died as a whole comes back to what it had
 *   V4  a newcomer counts once its slot is claimed: until then the others keep its share running
 *   V5  an incarnation is asked for again only when the request before has expired, later each time; a slot whose
 *       incarnations keep ending soon is asked for more and more slowly, up to half a session time-out apart, so that it still
 *       comes back in time to keep its tasks (V2)
 *   V6  a slot that sleeps (sleep.ts) counts on, and is not asked for unless the plan written now gives it work
 *   V7  a slot that the plan lists and that has no item was deleted by hand, or its scheduler has died before making it. Its incarnations
 *       may have taken no lease that names them, and one may still live: the next goes on from the wall clock in milliseconds, beyond all that
 *       claims can have come to. The same number again would be two processes of one name (P1)
 *   V8  a slot whose end was reported does not count while another that runs has a hot standby of one of its tasks: to promote what is
 *       warm is sooner than to run the slot again, which joins as a newcomer
 *   V9  a slot that an operator drains (drain-marks.ts) is not wanted, nor one beyond the number of members. Unless an operator wants it empty
 *       at once it runs on for a while, and what of it stays there warm-drains.ts says; once it does not run any more there is nothing to wait for
 */
import { WARM_PATIENCE_MS, wantedSlots } from '../leases/drain-marks.js';
import type { Incarnation, MemberId, Plan } from '../leases/records.js';
import { isRun, lastIncarnation } from '../leases/rules.js';
import { compareMemberIds } from '../leases/slots.js';
import type { AnnouncePlan, CreateSlot, DeclareDead, InvokeMember, RetireSlot } from './actions.js';
import { isAsleep, keepsPlace } from './sleep.js';
import type { ApplicationState, ObservedInvocation, ObservedMember } from './state.js';

/** Longest pause between two requests for one incarnation, as a multiple of the session time-out. */
const MAX_EXPIRIES_BETWEEN_REQUESTS = 16;
/** Quick ends after which the next incarnation is still asked for at once. */
const FREE_QUICK_ENDS = 1;
/** Quick ends beyond this many make no longer pause. */
const MAX_COUNTED_QUICK_ENDS = 16;

export interface Membership {
  readonly deaths: readonly DeclareDead[];
  /** All slots wanted, by number. */
  readonly wanted: readonly MemberId[];
  /** Slots that are not wanted, and run on until others are warm (V9); until when at the latest, on the wall clock, in milliseconds. */
  readonly leaving: ReadonlyMap<MemberId, number>;
  /** The slots to place tasks over (V2–V4), by number. */
  readonly counted: readonly MemberId[];
  /** The slots after the deaths were written. */
  readonly members: readonly ObservedMember[];
}

/** Whom the newest plan was placed over. */
export function placedOver(plan: Plan | null): readonly MemberId[] {
  return plan === null ? [] : (plan.placedOver ?? (Object.keys(plan.assignment) as MemberId[]));
}

/** Judges the members. */
export function assess(state: ApplicationState): Membership {
  const deaths = state.members.flatMap((member) => deathOf(member, state));
  const timedOut = new Set(deaths.filter(({ because }) => because === 'session timeout').map(({ memberId: id }) => id));
  const members = state.members.map((member) =>
    deaths.some((death) => death.memberId === member.memberId)
      ? { ...member, status: 'dead' as const, stillMs: 0 }
      : member,
  );
  const wanted = wantedOf(state);
  const before = new Set(placedOver(state.plan));
  const byId = new Map(members.map((member) => [member.memberId, member]));
  const counted = wanted.filter((id) => {
    const member = byId.get(id);
    if (member?.status === 'claimed') return true; // V4
    if (!before.has(id) || timedOut.has(id)) return false;
    if (member?.status === 'dead' && hasHeir(id, state.plan, members)) return false; // V8
    if (member?.status === 'draining') return true;
    if ((member?.stillMs ?? state.planAgeMs) < state.app.settings.sessionTimeoutMs) return true; // V2
    return member !== undefined && keepsPlace(state, member); // V6
  });
  const leaving = new Map(
    members.flatMap((member) => {
      const untilMs = wanted.includes(member.memberId) ? null : staysUntilMs(member, state);
      return untilMs === null ? [] : [[member.memberId, untilMs] as const];
    }),
  );
  return { deaths, wanted, leaving, counted: counted.length > 0 ? counted : wanted, members };
}

/** Who holds back wants what the newest plan lists: who is leaving by it runs for as long as it stands, though it be asleep meanwhile. */
function wantedOf({ wanted, members, plan, holdsBack, load }: ApplicationState): readonly MemberId[] {
  if (!holdsBack || plan === null) return wantedSlots(wanted, members, load !== null);
  return (Object.keys(plan.assignment) as MemberId[]).sort(compareMemberIds);
}

/** V9: until when an unwanted slot keeps what nobody else is warm for; null: it keeps nothing. */
function staysUntilMs(member: ObservedMember, { plan, nowMs }: ApplicationState): number | null {
  const { memberId: id, drain } = member;
  if (plan === null || !isRun(member) || (plan.assignment[id]?.active.length ?? 0) === 0) return null;
  const untilMs = drain?.warmUntilMs ?? plan.leaving?.[id] ?? nowMs + WARM_PATIENCE_MS;
  return nowMs < untilMs ? untilMs : null;
}

/** Whether another member that runs has a hot standby of a task of this slot. */
function hasHeir(id: MemberId, plan: Plan | null, members: readonly ObservedMember[]): boolean {
  const active = plan?.assignment[id]?.active ?? [];
  return members.some(
    ({ memberId: other, status }) =>
      other !== id &&
      status === 'claimed' &&
      (plan?.assignment[other]?.standby ?? []).some((taskId) => active.includes(taskId)),
  );
}

/** Slots to create, told of the plan before anyone claims them, and incarnations to ask for; of those that the plan lists. */
export function invocations(
  state: ApplicationState,
  membership: Membership,
  plan: Plan | null,
): readonly (CreateSlot | AnnouncePlan | InvokeMember)[] {
  if (plan === null) return [];
  const byId = new Map(membership.members.map((member) => [member.memberId, member]));
  const expiresAtMs = state.nowMs + state.app.settings.sessionTimeoutMs;
  return membership.wanted
    .filter((id) => plan.assignment[id] !== undefined)
    .flatMap((id): (CreateSlot | AnnouncePlan | InvokeMember)[] => {
      const member = byId.get(id);
      if (member === undefined) {
        const after = lastOfMissing(id, state, plan);
        return [
          { type: 'CreateSlot', memberId: id, ...(after === 0 ? {} : { after }) },
          { type: 'AnnouncePlan', memberId: id, planNumber: plan.number },
          { type: 'InvokeMember', memberId: id, incarnation: null, quickEnds: 0, expiresAtMs },
        ];
      }
      if (isRun(member)) return []; // a draining one asks for its next itself
      if (isAsleep({ ...state, plan }, member)) return [];
      const incarnation = member.incarnation + 1;
      const last = state.invocations.get(id);
      const quickEnds = quickEndsBefore(member, last, state);
      if (!isDue(incarnation, quickEnds, last, state)) return [];
      return [{ type: 'InvokeMember', memberId: id, incarnation, quickEnds, expiresAtMs }];
    });
}

/** Slots that nobody wants, runs or needs any more. */
export function retirements(state: ApplicationState, membership: Membership, plan: Plan | null): readonly RetireSlot[] {
  const owners = new Set(state.leases.map(({ owner }) => owner?.memberId));
  return membership.members
    .filter(({ status, drain }) => (status === 'free' || status === 'dead') && drain === undefined) // D4 of drain-marks.ts
    .filter(({ memberId: id }) => !membership.wanted.includes(id) && plan?.assignment[id] === undefined)
    .filter(({ memberId: id }) => !owners.has(id))
    .map(({ memberId: id, incarnation }) => ({ type: 'RetireSlot', memberId: id, incarnation }));
}

function deathOf(member: ObservedMember, state: ApplicationState): readonly DeclareDead[] {
  if (!isRun(member)) return [];
  const { memberId: id, incarnation, heartbeatVersion } = member;
  const isReported = state.failed.some((one: Incarnation) => one.memberId === id && one.incarnation === incarnation);
  if (!isReported && member.stillMs < state.app.settings.sessionTimeoutMs) return [];
  const because = isReported ? 'failure event' : 'session timeout';
  return [{ type: 'DeclareDead', memberId: id, incarnation, heartbeatVersion, because }];
}

function quickEndsBefore(
  member: ObservedMember,
  last: ObservedInvocation | undefined,
  state: ApplicationState,
): number {
  if (last === undefined) return 0;
  if (last.incarnation > member.incarnation) return last.quickEnds; // it was asked for and has not come
  const livedMs = last.ageMs - member.stillMs;
  return livedMs < state.app.settings.sessionTimeoutMs ? Math.min(last.quickEnds + 1, MAX_COUNTED_QUICK_ENDS) : 0;
}

/** The incarnation after which a slot without item is created; V7. */
function lastOfMissing(id: MemberId, { leases, plan: before, nowMs }: ApplicationState, plan: Plan): number {
  const named = lastIncarnation(id, leases, plan);
  return before?.assignment[id] === undefined ? named : Math.max(named, Math.floor(nowMs));
}

/** V5. */
function isDue(
  incarnation: number,
  quickEnds: number,
  last: ObservedInvocation | undefined,
  state: ApplicationState,
): boolean {
  if (last === undefined) return true;
  const { sessionTimeoutMs, tickIntervalMs } = state.app.settings;
  if (last.incarnation === incarnation)
    return last.ageMs >= sessionTimeoutMs * Math.min(2 ** (last.attempts - 1), MAX_EXPIRIES_BETWEEN_REQUESTS);
  if (quickEnds <= FREE_QUICK_ENDS) return true;
  return last.ageMs >= Math.min(tickIntervalMs * 2 ** (quickEnds - FREE_QUICK_ENDS), sessionTimeoutMs / 2);
}
