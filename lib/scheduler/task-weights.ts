/**
 * What tasks weigh by what members report of them, and whether a member carries so much that its tasks are worth placing anew
 * (features D29). Pure but for what one scheduler remembers.
 *
 *   K1  only an assignor that balances by weight is asked for a weight
 *   K2  a member is heavy that carries more than {@link HEAVY_PART} of its share, by capacity. It is wider than the band in which the assignor
 *       moves anything (aim-by-weight.ts), so that what it has evened out does not come back by a trifle
 *   K3  nobody is asked before a member has been heavy, and the plan has stood, for {@link HEAVY_FOR_MS}, and then once in such a time: a hot
 *       minute moves nothing, and what no move makes better costs next to nothing
 */
import { weightsOf } from '../assignment/weighted/task-weight.js';
import type { Plan } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';
import { capacityOf } from './capacity.js';
import type { HeartbeatWatch } from './heartbeat-watch.js';
import { placedOver } from './membership.js';
import type { ApplicationState, HeavyMember, ObservedMember } from './state.js';
import { loadsByTask } from './work-load.js';

/** How much of its share a member carries that is heavy (K2). */
export const HEAVY_PART = 1.25;
/** For how long, in milliseconds (K3). */
export const HEAVY_FOR_MS = 60_000;

/** The state with what tasks weigh, and with who is heavy where that is a reason for a plan now. */
export function withWeights(state: ApplicationState, watch: HeartbeatWatch, nowMonotonicMs: number): ApplicationState {
  const { plan, assignor, app, members } = state;
  if (assignor.balancesByWeight !== true) return state; // K1
  const weights = taskWeights(state);
  const heavy = plan === null ? null : heaviest(plan, weights, members, app.settings.tasksPerMember);
  const heavyForMs = watch.standing('heavy', heavy?.memberId ?? '', nowMonotonicMs);
  const rounds = heavy === null ? 0 : Math.floor(Math.min(heavyForMs, state.planAgeMs) / HEAVY_FOR_MS);
  const isNew = watch.standing('heavy rounds', `${plan?.number} ${heavy?.memberId} ${rounds}`, nowMonotonicMs) === 0;
  return { ...state, weights, heavy: rounds > 0 && isNew ? heavy : null };
}

/** By task, 1 for an average one; a task of which nobody knows is not there. */
export function taskWeights(state: Pick<ApplicationState, 'app' | 'leases' | 'members'>): ReadonlyMap<TaskId, number> {
  const measured = [...loadsByTask(state)].map(
    ([taskId, { busyMsPerSecond, bytesPerSecond, recordsPerSecond, lagRecords }]) =>
      [
        taskId,
        { cpuMsPerSecond: busyMsPerSecond, bytesPerSecond, recordsPerSecond, lagRecords: lagRecords ?? 0 },
      ] as const,
  );
  return weightsOf(new Map(measured));
}

/** Who carries most beyond its share of what all carry; null: nobody is heavy (K2). */
export function heaviest(
  plan: Plan,
  weights: ReadonlyMap<TaskId, number>,
  members: readonly ObservedMember[],
  tasksPerMember: number,
): HeavyMember | null {
  const byId = new Map(members.map((member) => [member.memberId, member]));
  const carried = placedOver(plan).map((memberId) => ({
    memberId,
    capacity: capacityOf(byId.get(memberId), tasksPerMember),
    weight: (plan.assignment[memberId]?.active ?? []).reduce((sum, taskId) => sum + (weights.get(taskId) ?? 1), 0),
  }));
  const share =
    carried.reduce((sum, { weight }) => sum + weight, 0) / carried.reduce((sum, { capacity }) => sum + capacity, 0);
  let most: HeavyMember | null = null;
  for (const { memberId, capacity, weight } of carried) {
    const part = weight / (share * capacity);
    // One task can not be shared out, however heavy.
    if (part > Math.max(HEAVY_PART, most?.part ?? 0) && (plan.assignment[memberId]?.active.length ?? 0) > 1)
      most = { memberId, part };
  }
  return most;
}
