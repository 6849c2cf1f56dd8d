/** What a tick writes down for people: whom it declared dead, and why it made the plan that it has written. */
import type { AssignmentInput } from '../assignment/task-assignor.js';
import type { ExplainedMember, ExplainedMove, MemberDeath, PlanExplanation } from '../leases/history.js';
import type { MemberAssignment, MemberId, Plan } from '../leases/records.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { DeclareDead, WritePlan } from './actions.js';
import type { SchedulerPorts } from './ports.js';
import type { ApplicationState } from './state.js';

export type HistoryEntry =
  | { readonly type: 'plan'; readonly explanation: PlanExplanation }
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
      if (entry.type === 'plan') await leases.keepExplanation(entry.explanation);
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
    movesLeftOut: 0,
  };
  const stateful = input?.tasks.filter((task) => task.stateful).length ?? 0;
  return {
    ...common,
    wasPlaced: input !== null,
    members: input === null ? [] : input.members.map((member) => explainedMember(member, plan)),
    tasks: { stateful, stateless: (input?.tasks.length ?? 0) - stateful },
    settings: input === null ? {} : settingsOf(input),
    score: [],
    moves: moves.map(({ taskId, from, to }): ExplainedMove => {
      const was = from === null ? `${taskId} given to ${to}` : `${taskId} moved from ${from} to ${to}`;
      return { taskId, role: 'active', from, to, lagRecords: null, reason: `${was}: ${plan.reason}` };
    }),
  };
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
