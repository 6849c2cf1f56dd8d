/** How many members are wanted, where that is for the scheduler to decide: what it has seen, put before wanted-members.ts. */
import { drainedSlots } from '../leases/drain-marks.js';
import type { ElasticState, Plan } from '../leases/records.js';
import { slotsWantedBy } from '../leases/slots.js';
import type { MembersRange } from '../model/settings.js';
import type { HeartbeatWatch } from './heartbeat-watch.js';
import type { ApplicationState } from './state.js';
import type { Resolution } from './topics.js';
import { isHigh, isLow, type WorkLoad, wantedMembers } from './wanted-members.js';
import { workLoadOf } from './work-load.js';

/**
 * The state with the number of members that its load asks for. Who holds back wants what the newest plan lists, as ever.
 */
export function withWanted(
  state: ApplicationState,
  { resolved }: Resolution,
  range: MembersRange,
  watch: HeartbeatWatch,
  nowMonotonicMs: number,
): ApplicationState {
  if (state.holdsBack) return state;
  const { plan } = state;
  const { membersCooldownMs: cooldownMs, membersLagTargetMs: lagTargetMs, tasksPerMember } = state.app.settings;
  const taskIds = resolved.tasks.map(({ taskId }) => taskId);
  const load = workLoadOf(state, taskIds);
  const drained = drainedSlots(state.members);
  const slots = plan === null || plan.rest !== undefined ? null : slotsWantedBy(plan).filter((id) => !drained.has(id));
  const heldFor = (name: string, holds: boolean): number => {
    const ms = watch.standing(name, `${holds} ${slots?.length}`, nowMonotonicMs);
    return holds ? ms : 0;
  };
  const running = new Set<string>(
    state.members.filter(({ status }) => status === 'claimed').map(({ memberId }) => memberId),
  );
  const wanted = wantedMembers({
    range,
    tasks: taskIds.length,
    tasksPerMember,
    cooldownMs,
    lagTargetMs,
    current: slots?.length ?? null,
    running: slots?.filter((id) => running.has(id)).length ?? 0,
    load,
    capacity: plan?.elastic?.capacity ?? 0,
    unchangedMs: watch.standing('slots', `${plan?.elastic?.changedIn ?? plan?.number}`, nowMonotonicMs),
    highMs: heldFor('high load', isHigh({ load, lagTargetMs })),
    lowMs: heldFor('low load', isLow({ load, lagTargetMs })),
    asleepMs: heldFor('asleep', load.isAsleep),
  });
  return { ...state, wanted, load };
}

/** What the next plan keeps for the schedulers to come. */
export function elasticAfter(
  state: ApplicationState,
  next: Pick<Plan, 'number' | 'assignment' | 'leaving'>,
): Pick<Plan, 'elastic'> {
  const { plan, load } = state;
  const before = plan?.elastic;
  if (load === null) return state.holdsBack && before !== undefined ? { elastic: before } : {};
  return { elastic: stateAfter(plan, before, load, next) };
}

function stateAfter(
  plan: Plan | null,
  before: ElasticState | undefined,
  load: WorkLoad,
  next: Pick<Plan, 'number' | 'assignment' | 'leaving'>,
): ElasticState {
  const slots = plan === null ? 0 : slotsWantedBy(plan).length;
  const slotsNext = slotsWantedBy(next).length;
  if (before !== undefined && slots === slotsNext) return before;
  const grew = slots > 0 && slotsNext > slots;
  return { changedIn: next.number, capacity: grew ? load.recordsPerSecond / slots : (before?.capacity ?? 0) };
}
