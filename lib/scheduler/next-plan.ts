/**
 * Whether there is to be a new plan, and which. Pure.
 *
 *   N1  a plan is written only for a fact that the newest plan does not know: a slot that joined or left, tasks, topics, the
 *       number of members wanted, the assignor, an incarnation whose leases nobody could take, an answer of the assignor
 *       that was a step on the way. Its reason names the facts; without any, nothing is written, however often it is asked
 *   N2  a task that the newest plan has moved and that has not arrived is not moved again (KAFKA-14382) until it arrives, its
 *       new owner is gone, or the plan is a session time-out old. If all tasks are with somebody, the whole new placement
 *       waits; if some are with nobody, they are placed and the others stay on their way. A task that nobody holds and
 *       whose slot sleeps is on no way: who ticks once a minute would find it there each time, and the plan always new
 *   N3  a placement is validated before use; after a faulty one, or one that no table holds, the newest plan stays, and the
 *       rest of the tick goes on
 *   N4  an incarnation stays in `dead` as long as a lease names it as owner
 *   N5  who holds back (precedence.ts) leaves the newest plan as it is, but for the dead: their tasks are granted already
 *   N6  an application that rests (rest.ts) has a plan that lists no slot; what the rest's end changes is a fact like others
 *   N7  a placement for which lags or zones were wanted and not known is a step on the way: the next tick asks again
 *   N8  a slot that leaves is listed as long as it keeps tasks (warm-drains.ts), and each such plan is a step on the way
 *   N9  where there is no plan though members know of one, its row was deleted by hand. The numbers go on beyond all that anybody can have
 *       read: of a lower number than it knows no member would ever hear
 */
import type { AssignmentInput } from '../assignment/task-assignor.js';
import type { Incarnation, MemberAssignment, MemberId, PlacedBy, Plan, Rest } from '../leases/records.js';
import { isDeclaredDead, leasesWithoutLiveOwner } from '../leases/rules.js';
import { compareMemberIds } from '../leases/slots.js';
import { asStreamsError, type StreamsError } from '../model/errors.js';
import { greatest } from '../model/lists.js';
import type { TaskId } from '../model/task-id.js';
import type { WritePlan } from './actions.js';
import { askAssignor } from './ask-assignor.js';
import { assignmentInput } from './assignment-input.js';
import { elasticAfter } from './elastic.js';
import { type Membership, placedOver } from './membership.js';
import { placedByNow } from './placed-by.js';
import { actives, differs, movesBetween, pinned } from './placements.js';
import { changes } from './plan-reasons.js';
import { restOf, resumeReason } from './rest.js';
import { isAsleep } from './sleep.js';
import type { ApplicationState } from './state.js';
import type { Resolution } from './topics.js';
import { keptUntilWarm } from './warm-drains.js';

export interface PlanDecision {
  /** Null: the newest plan stays. */
  readonly write: WritePlan | null;
  /** Why a placement was refused (N3). */
  readonly rejected: StreamsError | null;
  /** Tasks on their way for which a new placement waits (N2). */
  readonly waitingFor: readonly TaskId[];
}

/** Plans that may have been written and read, and of which no member had been told (N9). */
const NUMBERS_LEFT_OUT = 10;

const NOTHING: PlanDecision = { write: null, rejected: null, waitingFor: [] };

/** What of a plan the assignor and the waiting for moves decide. */
interface Body {
  readonly assignment: Plan['assignment'];
  readonly leaving?: Readonly<Record<MemberId, number>>;
  readonly placedOver: readonly MemberId[];
  readonly followUp: boolean;
  readonly assignor: string;
  readonly placedBy?: PlacedBy;
  readonly rest?: Rest;
}

/**
 * Decides upon the next plan.
 *
 * @param refused why the one decided upon before could not be written (N3); null: none was
 * @throws {InvalidAssignmentError} STREAMS_INVALID_ASSIGNMENT only if there is no plan that could stay; and errors of this family that the
 *   assignor throws then
 */
export function nextPlan(
  state: ApplicationState,
  membership: Membership,
  resolution: Resolution,
  refused: StreamsError | null,
): PlanDecision {
  const { plan } = state;
  const stay = (of: Plan, why: StreamsError): PlanDecision => ({
    ...finish(state, membership, resolution, bodyOf(of), []),
    rejected: why,
  });
  const rest = restOf(state);
  if (rest !== null) return rested(state, membership, resolution, rest);
  if (plan !== null && refused !== null) return stay(plan, refused);
  if (plan !== null && state.holdsBack) return finish(state, membership, resolution, bodyOf(plan), []);
  const facts = changes(state, membership, resolution);
  const ended = resumeReason(state);
  const reasons = ended === null ? facts.reasons : [ended, ...facts.reasons];
  if (plan !== null && !facts.isPlacementOpen) {
    const assignment = listed(membership.wanted, (id) => plan.assignment[id]);
    return finish(state, membership, resolution, { ...bodyOf(plan), assignment }, reasons);
  }
  let placement: { readonly body: Body; readonly input: AssignmentInput };
  try {
    placement = placed(state, membership, resolution);
  } catch (thrown) {
    const rejected = asStreamsError(thrown);
    if (plan === null) throw rejected;
    return stay(plan, rejected);
  }
  return answering(placement.input, settled(state, membership, resolution, placement.body, facts.isUrgent, reasons));
}

/** The decision, with what the assignor was asked for it. */
function answering(input: AssignmentInput, decision: PlanDecision): PlanDecision {
  return decision.write === null ? decision : { ...decision, write: { ...decision.write, input } };
}

/** What of a new placement becomes the plan: all of it, or what does not wait for tasks on their way (N2). */
function settled(
  state: ApplicationState,
  membership: Membership,
  resolution: Resolution,
  body: Body,
  isUrgent: boolean,
  reasons: readonly string[],
): PlanDecision {
  const { plan } = state;
  if (plan === null) return finish(state, membership, resolution, body, reasons);
  const waitingFor = conflicts(state, membership, plan, body);
  if (waitingFor.length === 0) return finish(state, membership, resolution, body, reasons);
  if (!isUrgent) return { ...finish(state, membership, resolution, bodyOf(plan), []), waitingFor };
  const assignment = pinned(body.assignment, plan, waitingFor);
  return {
    ...finish(state, membership, resolution, { ...body, assignment, followUp: true }, reasons),
    waitingFor,
  };
}

/** Whether the next plan is to be a new placement, unless it is refused. */
export function asksAssignor(state: ApplicationState, membership: Membership, resolution: Resolution): boolean {
  if (restOf(state) !== null || (state.plan !== null && state.holdsBack)) return false;
  return changes(state, membership, resolution).isPlacementOpen;
}

function bodyOf(plan: Plan): Body {
  return {
    assignment: plan.assignment,
    ...(plan.leaving === undefined ? {} : { leaving: plan.leaving }),
    placedOver: placedOver(plan),
    followUp: plan.followUp ?? false,
    assignor: plan.assignor,
    ...(plan.placedBy === undefined ? {} : { placedBy: plan.placedBy }),
    ...(plan.rest === undefined ? {} : { rest: plan.rest }),
  };
}

/** N6. The partitions stay as they were: what comes of them meanwhile is for the plan that ends the rest. */
function rested(state: ApplicationState, membership: Membership, resolution: Resolution, rest: Rest): PlanDecision {
  const { plan, assignor } = state;
  if (plan?.rest !== undefined) return finish(state, membership, resolution, bodyOf(plan), []);
  const reason = `${rest.memberId} asks to shut the application down (${rest.code})`;
  const body: Body = { assignment: {}, placedOver: [], followUp: false, assignor: assignor.name, rest };
  return finish(state, membership, resolution, body, [reason]);
}

/** Asks the assignor. */
function placed(state: ApplicationState, membership: Membership, resolution: Resolution) {
  const { assignor } = state;
  const input: AssignmentInput = assignmentInput(state, membership, resolution.resolved.tasks);
  const placement = askAssignor(assignor, input);
  const target = listed(membership.wanted, (id) => placement.members.get(id));
  const { assignment, leaving } = keptUntilWarm(membership.leaving, state.plan, target, input);
  const body: Body = {
    assignment,
    ...(leaving.size === 0 ? {} : { leaving: Object.fromEntries(leaving) }),
    placedOver: membership.counted,
    followUp: placement.followUp || leaving.size > 0 || input.lagsUnknown === true || waitsForZones(state, resolution),
    assignor: assignor.name,
    placedBy: placedByNow(state, membership),
  };
  return { body, input };
}

/** Partitions of topics that this very tick makes are in no zone yet. */
function waitsForZones({ app, topics }: ApplicationState, { create }: Resolution): boolean {
  if (app.settings.rackAwareAssignmentStrategy === 'none' || create.length === 0) return false;
  return [...topics.values()].some(({ replicaRacks }) => replicaRacks !== undefined);
}

function listed(
  wanted: readonly MemberId[],
  of: (id: MemberId) => MemberAssignment | undefined,
): Readonly<Record<MemberId, MemberAssignment>> {
  const entries = wanted.map((id): [MemberId, MemberAssignment] => {
    const { active = [], standby = [], warmup = [] } = of(id) ?? {};
    return [id, { active, standby, warmup }];
  });
  return Object.fromEntries(entries);
}

/** Tasks that the new placement moves although they are on their way (N2). */
function conflicts(state: ApplicationState, membership: Membership, plan: Plan, body: Body): readonly TaskId[] {
  if (state.planAgeMs >= state.app.settings.sessionTimeoutMs) return [];
  const counted = new Set<string>(membership.counted);
  const asleep = new Set(membership.members.filter((one) => isAsleep(state, one)).map(({ memberId }) => memberId));
  const owners = new Map(state.leases.map(({ taskId, owner }) => [taskId, owner?.memberId]));
  const now = actives(body.assignment);
  return [...actives(plan.assignment)]
    .filter(([taskId, to]) => counted.has(to) && owners.get(taskId) !== to && !asleep.has(to))
    .filter(([taskId, to]) => now.has(taskId) && now.get(taskId) !== to)
    .map(([taskId]) => taskId);
}

/** Adds the dead, and writes only if something differs. */
function finish(
  state: ApplicationState,
  membership: Membership,
  resolution: Resolution,
  body: Body,
  facts: readonly string[],
): PlanDecision {
  const { plan, nowMs, tickReason } = state;
  const stuck = stuckOwners(state, membership, body.assignment);
  const dead = deadOf(state, membership, stuck);
  const partitions = facts.length > 0 || plan === null ? resolution.partitions : plan.partitions;
  const unlistedDead = plan === null ? stuck : stuck.filter((owner) => !isDeclaredDead(plan, owner));
  const reasons = [...facts, ...unlistedDead.map(stuckReason)];
  if (plan !== null && unlistedDead.length === 0 && !differs(plan, { ...body, partitions })) return NOTHING;
  const number = numberAfter(state);
  const next: Plan = {
    number,
    createdAtMs: nowMs,
    reason: `${reasons.join(', ')} (tick: ${tickReason})`,
    ...body,
    ...madeBy(state),
    ...resumedBy(plan, body),
    ...elasticAfter(state, { ...body, number }),
    dead,
    partitioners: resolution.partitioners,
    partitions,
  };
  const moves = movesBetween(plan, next);
  return { ...NOTHING, write: { type: 'WritePlan', plan: next, moves, input: null } };
}

/** N9. */
function numberAfter({ plan, members }: ApplicationState): number {
  if (plan !== null) return plan.number + 1;
  const known = greatest(
    0,
    members.map(({ planNumber, report }) => Math.max(planNumber, report.planRead ?? 0)),
  );
  return known === 0 ? 1 : known + NUMBERS_LEFT_OUT + 1;
}

/** A plan of who holds back goes on by the settings of the one before. */
function madeBy({ plan, settingsDigest, holdsBack }: ApplicationState): Pick<Plan, 'settingsDigest'> {
  const digest = holdsBack ? plan?.settingsDigest : settingsDigest;
  return digest === undefined ? {} : { settingsDigest: digest };
}

/** E4 of rest.ts. */
function resumedBy(before: Plan | null, { rest }: Body): Pick<Plan, 'resumed'> {
  const resumed = before?.rest !== undefined && rest === undefined ? before.number + 1 : before?.resumed;
  return resumed === undefined ? {} : { resumed };
}

/** Owners that have ended and whose tasks another slot is granted: until a plan names them, nobody can take those (R2). */
function stuckOwners(
  state: ApplicationState,
  membership: Membership,
  assignment: Plan['assignment'],
): readonly Incarnation[] {
  const granted = actives(assignment);
  const owners = leasesWithoutLiveOwner(state.leases, membership.members).flatMap(({ taskId, owner }) => {
    const to = granted.get(taskId);
    return owner !== null && to !== undefined && to !== owner.memberId ? [owner] : [];
  });
  return newestPerSlot(owners);
}

/** N4. */
function deadOf(
  state: ApplicationState,
  membership: Membership,
  stuck: readonly Incarnation[],
): readonly Incarnation[] {
  const known = newestPerSlot([...(state.plan?.dead ?? []), ...membership.deaths, ...stuck]);
  return known.filter(({ memberId, incarnation }) =>
    state.leases.some(({ owner }) => owner?.memberId === memberId && owner.incarnation <= incarnation),
  );
}

function newestPerSlot(incarnations: readonly Incarnation[]): readonly Incarnation[] {
  const newest = new Map<MemberId, number>();
  for (const { memberId, incarnation } of incarnations)
    newest.set(memberId, Math.max(incarnation, newest.get(memberId) ?? 0));
  return [...newest]
    .map(([memberId, incarnation]) => ({ memberId, incarnation }))
    .sort((a, b) => compareMemberIds(a.memberId, b.memberId));
}

function stuckReason({ memberId, incarnation }: Incarnation): string {
  return `${memberId} (incarnation ${incarnation}) ended holding tasks of others`;
}
