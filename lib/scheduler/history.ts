/** What a tick writes down for people: whom it declared dead, and why it made the plan that it has written. */
import { explainPlacement } from '../assignment/explain-placement.js';
import type { AssignmentInput, Placement } from '../assignment/task-assignor.js';
import type { ExplainedMember, ExplainedMove, MemberDeath, PlanExplanation } from '../leases/history.js';
import type { MemberAssignment, MemberId, Plan } from '../leases/records.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { DeclareDead, Move, WritePlan } from './actions.js';
import type { SchedulerPorts } from './ports.js';
import { scoreParts } from './score-parts.js';
import type { ApplicationState } from './state.js';

export type HistoryEntry =
  | { readonly type: 'plan'; readonly explain: () => PlanExplanation }
  | { readonly type: 'death'; readonly death: MemberDeath };

/**
 * Writes entries down, each once: one that the table does not take is logged and missing.
 *
 * @throws {AbortedError} STREAMS_ABORTED of a process that has died
 */
export async function writeHistory(
  entries: readonly HistoryEntry[],
  { leases, host }: Pick<SchedulerPorts, 'leases' | 'host'>,
): Promise<void> {
  for (const entry of entries) {
    try {
      if (entry.type === 'plan') await leases.keepExplanation(entry.explain());
      else await leases.keepDeath(entry.death);
    } catch (thrown) {
      if (thrown instanceof AbortedError) throw thrown;
      const { code, message } = asStreamsError(thrown);
      host.logger.warn('history-not-kept', { entry: entry.type, code, message });
    }
  }
}

/** A death as it was seen: by the scheduler's own clock, since the heartbeat stood still. */
export function deathOf({ memberId, incarnation, because }: DeclareDead, state: ApplicationState): MemberDeath {
  const stillMs = state.members.find((member) => member.memberId === memberId)?.stillMs ?? 0;
  return { memberId, incarnation, because, lastSeenAtMs: state.nowMs - stillMs, seenAtMs: state.nowMs };
}

/** Why a plan is as it is. @param nowMs wall clock, when the plan was in force */
export function explainPlan(
  { plan, input, moves }: WritePlan,
  state: ApplicationState,
  nowMs: number,
): PlanExplanation {
  const common = {
    planNumber: plan.number,
    seenAtMs: state.nowMs,
    decidedAtMs: nowMs,
    trigger: plan.reason,
    assignor: plan.assignor,
    wasPlaced: input !== null,
    movesLeftOut: 0,
  };
  if (input === null) {
    const tasks = { stateful: 0, stateless: 0 };
    return { ...common, members: [], tasks, settings: {}, score: [], moves: moves.map((move) => unplaced(move, plan)) };
  }
  const placement = placementOf(plan);
  const stateful = input.tasks.filter((task) => task.stateful).length;
  return {
    ...common,
    members: input.members.map((member) => explainedMember(member, plan)),
    tasks: { stateful, stateless: input.tasks.length - stateful },
    settings: settingsOf(input),
    score: scoreParts(input, placement),
    moves: explainPlacement(input, placement) as readonly ExplainedMove[], // of members by their slots
  };
}

function placementOf({ assignment, followUp = false }: Plan): Placement {
  return { members: new Map(Object.entries(assignment)), followUp };
}

/** A move that no assignor was asked about: the tasks of a slot that is listed no longer. */
function unplaced({ taskId, from, to }: Move, { reason }: Plan): ExplainedMove {
  const what = from === null ? `${taskId} given to ${to}` : `${taskId} moved from ${from} to ${to}`;
  return { taskId, role: 'active', from, to, lagRecords: null, reason: `${what}: ${reason}` };
}

const NOTHING: MemberAssignment = { active: [], standby: [], warmup: [] };

function explainedMember(member: AssignmentInput['members'][number], plan: Plan): ExplainedMember {
  const memberId = member.id as MemberId;
  const { active, standby, warmup } = plan.assignment[memberId] ?? NOTHING;
  return {
    memberId,
    live: member.live,
    capacity: member.capacity,
    tags: member.tags,
    activeBefore: member.previousActive.length,
    active: active.length,
    standby: standby.length,
    warmup: warmup.length,
  };
}

function settingsOf({ settings }: AssignmentInput): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
