/**
 * Why a placement changes what it changes, in words. Pure: it reads the reasons off the input and the placement, whoever made it.
 *
 * A move has two halves: why the task left, and what it finds where it goes. Kafka Streams logs what it has placed, not why.
 */
import { compareTaskIds, type TaskId } from '../model/task-id.js';
import { heldBefore, isAcceptable, lagOn, previousOwners } from './lags.js';
import { readAcross } from './read-across.js';
import {
  type AssignableMember,
  type AssignableTask,
  type AssignmentInput,
  type MemberPlacement,
  type Placement,
  RUNNING_LAG,
} from './task-assignor.js';

/** What a placement changes for one task on one member. Plain values: it can be kept as JSON. */
export interface PlacementChange {
  readonly taskId: TaskId;
  /** What the task has become there: active, a copy, or a copy that prepares a move. */
  readonly role: keyof MemberPlacement;
  /** Who held it as active before, also if gone; null: nobody. */
  readonly from: string | null;
  readonly to: string;
  /** Changelog records that `to` lacks; 0 where it runs the task or the task has no state; null: nobody knows. */
  readonly lagRecords: number | null;
  /** A sentence: `1_3 moved from member-1 to member-4: member-4 joined, member-1 held 4 where its share is 3; …`. */
  readonly reason: string;
}

const ROLES = ['active', 'standby', 'warmup'] as const;

/**
 * Every change of a placement against what members held before, with its reason: actives that are new or elsewhere, standbys
 * and warm-ups that were not there. In the order of tasks; of one task the active first.
 *
 * @param placement valid for the input (`validateAssignment`)
 * @param joined members known to be new; without it, those that held nothing
 */
export function explainPlacement(
  input: AssignmentInput,
  placement: Placement,
  joined: readonly string[] = newcomers(input),
): readonly PlacementChange[] {
  const reasons = new Reasons(input, placement, new Set(joined));
  const changes = input.members.flatMap((to) =>
    ROLES.flatMap((role) => {
      const before = new Set(heldBefore(to)[role]);
      const now = placement.members.get(to.id)?.[role] ?? [];
      return now.flatMap((id) => (before.has(id) ? [] : reasons.change(id, role, to)));
    }),
  );
  return changes.sort((a, b) => compareTaskIds(a.taskId, b.taskId) || ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

function newcomers({ members }: AssignmentInput): readonly string[] {
  const heldNothing = (member: AssignableMember): boolean =>
    ROLES.every((role) => heldBefore(member)[role].length === 0);
  return members.filter((member) => member.live && heldNothing(member)).map(({ id }) => id);
}

class Reasons {
  private readonly input: AssignmentInput;
  private readonly joined: ReadonlySet<string>;
  private readonly tasks: ReadonlyMap<TaskId, AssignableTask>;
  private readonly ownerBefore: ReadonlyMap<TaskId, AssignableMember>;
  private readonly ownerNow: ReadonlyMap<TaskId, string>;
  private readonly capacity: number;

  constructor(input: AssignmentInput, placement: Placement, joined: ReadonlySet<string>) {
    this.input = input;
    this.joined = joined;
    this.tasks = new Map(input.tasks.map((task) => [task.id, task]));
    this.ownerBefore = previousOwners(input.members);
    this.ownerNow = new Map([...placement.members].flatMap(([id, { active }]) => active.map((task) => [task, id])));
    const live = input.members.filter((member) => member.live);
    this.capacity = live.reduce((sum, member) => sum + member.capacity, 0);
  }

  /** None for a task that is not of the input. */
  change(taskId: TaskId, role: keyof MemberPlacement, to: AssignableMember): readonly PlacementChange[] {
    const task = this.tasks.get(taskId);
    if (task === undefined) return [];
    const from = this.ownerBefore.get(taskId);
    const lag = task.stateful ? Math.max(0, lagOn(to, task)) : 0;
    return [
      {
        taskId,
        role,
        from: from?.id ?? null,
        to: to.id,
        lagRecords: Number.isFinite(lag) ? lag : null,
        reason: this.sentence(task, role, from, to),
      },
    ];
  }

  private sentence(
    task: AssignableTask,
    role: keyof MemberPlacement,
    from: AssignableMember | undefined,
    to: AssignableMember,
  ): string {
    if (role === 'standby') return `${to.id} keeps a standby of ${task.id}: ${this.whyCopy(task, to)}`;
    if (role === 'warmup') return `${to.id} warms up ${task.id}: ${this.whyWarmup(task, to)}`;
    const head = from === undefined ? `${task.id} given to ${to.id}` : `${task.id} moved from ${from.id} to ${to.id}`;
    const why = [...this.whyTo(to), ...this.whyLeft(task, from, to)];
    return `${head}: ${why.join(', ')}; ${this.finds(task, to)}`;
  }

  private whyTo(to: AssignableMember): readonly string[] {
    return this.joined.has(to.id) ? [`${to.id} joined`] : [];
  }

  private whyLeft(task: AssignableTask, from: AssignableMember | undefined, to: AssignableMember): readonly string[] {
    if (from === undefined) return ['nobody held it'];
    if (!from.live) return [`${from.id} is gone`];
    const reasons: string[] = [];
    if (task.stateful && this.isBehind(from, task) && !this.isBehind(to, task))
      reasons.push(`the copy of ${from.id} lacks ${lagOn(from, task)} records`);
    const { held, share } = this.shareOf(from);
    if (held > share) reasons.push(`${from.id} held ${held} where its share is ${rounded(share)}`);
    const saved = this.across(task, from) - this.across(task, to);
    if (saved > 0) reasons.push(`${to.id} reads ${partitions(saved)} fewer from other zones`);
    return reasons.length > 0 ? reasons : ['it makes room for tasks that fit better'];
  }

  private finds(task: AssignableTask, to: AssignableMember): string {
    if (!task.stateful) return 'it has no state to restore';
    const lag = lagOn(to, task);
    if (lag === RUNNING_LAG) return `${to.id} runs it already`;
    const isCopy = to.lags.has(task.id);
    if (!this.isBehind(to, task)) {
      return isCopy ? `the copy was caught up (lag ${lag})` : `its whole changelog is short enough (${records(lag)})`;
    }
    return isCopy
      ? `no copy was caught up, this one lacks ${records(lag)}`
      : `${records(lag)} to restore, nobody was closer`;
  }

  private whyCopy(task: AssignableTask, to: AssignableMember): string {
    const runs = this.ownerNow.get(task.id);
    if (to.previousActive.includes(task.id)) return `it ran the task until now, which is active on ${runs}`;
    const lag = lagOn(to, task);
    return to.lags.has(task.id)
      ? `it had a copy that lacks ${records(lag)}`
      : `${records(lag)} to copy, active on ${runs}`;
  }

  private whyWarmup(task: AssignableTask, to: AssignableMember): string {
    const runs = this.ownerNow.get(task.id);
    const { acceptableRecoveryLag } = this.input.settings;
    const joined = this.joined.has(to.id) ? `${to.id} joined, ` : '';
    return `${joined}it lacks ${records(lagOn(to, task))} where ${acceptableRecoveryLag} are acceptable; until then it runs on ${runs}`;
  }

  private isBehind(member: AssignableMember, task: AssignableTask): boolean {
    return !isAcceptable(lagOn(member, task), this.input.settings.acceptableRecoveryLag);
  }

  /** Tasks that a live member held, and its share of all by capacity. */
  private shareOf(member: AssignableMember): { readonly held: number; readonly share: number } {
    const held = member.previousActive.filter((id) => this.tasks.has(id)).length;
    return { held, share: (this.tasks.size * member.capacity) / this.capacity };
  }

  private across(task: AssignableTask, { zone }: AssignableMember): number {
    const { partitionZones } = this.input;
    return partitionZones === undefined || partitionZones.size === 0 ? 0 : readAcross(this.input, task.inputs, zone);
  }
}

function rounded(share: number): string {
  return Number.isInteger(share) ? `${share}` : share.toFixed(1);
}

function records(lag: number): string {
  if (!Number.isFinite(lag)) return 'an unknown number of records';
  return lag === 1 ? '1 record' : `${Math.max(0, lag)} records`;
}

function partitions(count: number): string {
  return count === 1 ? '1 partition' : `${count} partitions`;
}
