/** Which facts the newest plan does not know, in words (features D26: what triggers a rebalance). Pure. */
import { drainedSlots } from '../leases/drain-marks.js';
import type { MemberId, Plan } from '../leases/records.js';
import { slotsWantedBy } from '../leases/slots.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import { type Membership, placedOver } from './membership.js';
import { otherwisePlaced, placedByNow } from './placed-by.js';
import { actives } from './placements.js';
import type { ApplicationState, HeavyMember } from './state.js';
import type { Resolution } from './topics.js';
import type { WorkLoad } from './wanted-members.js';

export interface Changes {
  /** Empty: the newest plan knows all there is. */
  readonly reasons: readonly string[];
  /** Whether the assignor has to be asked. */
  readonly isPlacementOpen: boolean;
  /** Whether there are tasks with nobody: their slot is gone, or they are new. */
  readonly isUrgent: boolean;
}

/** Compares what is with what the newest plan was made for. */
export function changes(state: ApplicationState, membership: Membership, resolution: Resolution): Changes {
  const { plan, assignor } = state;
  if (plan === null) return { reasons: ['first plan'], isPlacementOpen: true, isUrgent: true };
  const before = placedOver(plan);
  const joined = membership.counted.filter((id) => !before.includes(id)).map((id) => `${id} joined`);
  const gone = before.filter((id) => !membership.counted.includes(id));
  const left = gone.filter((id) => membership.wanted.includes(id)).map((id) => leaveReason(id, membership));
  const tasks = taskChange(plan, resolution.resolved.tasks);
  const swapped = plan.assignor === assignor.name ? [] : [`assignor ${assignor.name}, before ${plan.assignor}`];
  const followUp = plan.followUp === true ? ['follow-up of a step on the way'] : [];
  const otherwise = otherwisePlaced(plan, placedByNow(state, membership), membership, assignor);
  const heavy = state.heavy === null ? [] : [heavyReason(state.heavy)];
  const topics = tasks.length === 0 && topicsChanged(plan, resolution) ? ['topics changed'] : [];
  return {
    reasons: [
      ...drained(plan, membership),
      ...wantedChange(plan, membership, state.load),
      ...joined,
      ...left,
      ...tasks,
      ...topics,
      ...swapped,
      ...otherwise,
      ...heavy,
      ...followUp,
    ],
    isPlacementOpen:
      joined.length + gone.length + tasks.length + swapped.length + otherwise.length + heavy.length + followUp.length >
      0,
    isUrgent: left.length + tasks.length > 0,
  };
}

/** Slots that the newest plan counts or wants and an operator drains. */
function drained(plan: Plan, { wanted, members }: Membership): readonly string[] {
  const marked = drainedSlots(members);
  return [...new Set([...placedOver(plan), ...slotsWantedBy(plan)])]
    .filter((id) => marked.has(id) && !wanted.includes(id))
    .map((id) => `${id} is drained`);
}

/** Of the slots that a plan wants, those that are drained go for another reason. */
function wantedChange(plan: Plan, { wanted, members }: Membership, load: WorkLoad | null): readonly string[] {
  const marked = drainedSlots(members);
  const listed = slotsWantedBy(plan).filter((id) => !marked.has(id));
  const isSame = listed.length === wanted.length && wanted.every((id) => listed.includes(id));
  if (isSame) return [];
  const work = load === null ? '' : ` (${load.lagRecords} records wait, ${Math.round(load.recordsPerSecond)} a second)`;
  return [`${wanted.length} members wanted, before ${listed.length}${work}`];
}

function heavyReason({ memberId, part }: HeavyMember): string {
  return `${memberId} carries ${part.toFixed(1)} times its share of what tasks weigh`;
}

function leaveReason(id: MemberId, membership: Membership): string {
  const death = membership.deaths.find((one) => one.memberId === id);
  return death === undefined ? `${id} did not come back` : `${id} died (${death.because})`;
}

function taskChange(plan: Plan, tasks: readonly TaskSpec[]): readonly string[] {
  const before = actives(plan.assignment);
  const now = new Set(tasks.map(({ taskId }) => taskId));
  const added = tasks.filter(({ taskId }) => !before.has(taskId)).length;
  const removed = [...before.keys()].filter((taskId) => !now.has(taskId)).length;
  return added + removed === 0 ? [] : [`tasks changed: ${added} new, ${removed} gone`];
}

function topicsChanged(plan: Plan, { partitions }: Resolution): boolean {
  const before = Object.keys(plan.partitions);
  return (
    before.length !== Object.keys(partitions).length ||
    before.some((topic) => plan.partitions[topic] !== partitions[topic])
  );
}
