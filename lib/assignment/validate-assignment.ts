/**
 * The rules that every placement must keep, whoever made it. Kafka: `TaskAssignmentUtils.validateTaskAssignment` (KIP-924).
 *
 *   A0  it is a placement: a map from members to three lists of tasks, and whether it is a step on the way
 *   A1  every task is active exactly once
 *   A2  only live members of the input are given anything
 *   A3  only tasks of the input are placed
 *   A4  a member has at most one copy of a task: not twice active, nor a standby or warm-up beside its active
 *   A5  only stateful tasks have standbys and warm-ups
 *   A6  a task has at most `numStandbyReplicas` standbys, and none at all where standbys are snapshots
 *   A7  at most `maxWarmupReplicas` warm-ups in all
 */
import { InvalidAssignmentError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { AssignableTask, AssignmentInput, MemberPlacement, Placement } from './task-assignor.js';

/**
 * Checks a placement against the input it was made for.
 *
 * @param assignor its name, for the message
 * @throws {InvalidAssignmentError} STREAMS_INVALID_ASSIGNMENT with the rule (`details.rule`: A0 … A7), task and member
 */
export function validateAssignment(assignor: string, input: AssignmentInput, placement: Placement): void {
  const check = new Check(assignor, input);
  check.form(placement);
  for (const [memberId, placed] of placement.members) check.member(memberId, placed);
  check.whole();
}

const LISTS = ['active', 'standby', 'warmup'] as const;

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

class Check {
  private readonly assignor: string;
  private readonly input: AssignmentInput;
  private readonly tasks: ReadonlyMap<TaskId, AssignableTask>;
  private readonly live: ReadonlySet<string>;
  private readonly activeOn = new Map<TaskId, string>();
  private readonly standbys = new Map<TaskId, number>();
  private warmups = 0;

  constructor(assignor: string, input: AssignmentInput) {
    this.assignor = assignor;
    this.input = input;
    this.tasks = new Map(input.tasks.map((task) => [task.id, task]));
    this.live = new Set(input.members.filter((member) => member.live).map((member) => member.id));
  }

  /** A0, of what users write in JavaScript too. */
  form(answer: unknown): void {
    if (answer instanceof Promise) throw this.broken('A0', 'its answer is a promise; assign() answers at once', {});
    const { members, followUp } = asFields(answer);
    if (!(members instanceof Map)) throw this.broken('A0', 'the `members` of its answer are no Map', {});
    if (typeof followUp !== 'boolean') throw this.broken('A0', 'the `followUp` of its answer is no boolean', {});
    for (const [memberId, placed] of members)
      for (const list of LISTS)
        if (!Array.isArray(asFields(placed)[list]))
          throw this.broken('A0', `the list \`${list}\` of ${memberId} is no array`, { memberId });
  }

  member(memberId: string, placed: MemberPlacement): void {
    const copies = [...placed.active, ...placed.standby, ...placed.warmup];
    if (copies.length > 0 && !this.live.has(memberId))
      throw this.broken('A2', `${memberId} is no live member and was given ${copies.join(', ')}`, { memberId });
    for (const taskId of copies) {
      if (!this.tasks.has(taskId))
        throw this.broken('A3', `there is no task ${taskId} to give to ${memberId}`, { memberId, taskId });
    }
    this.once(memberId, placed);
    for (const taskId of placed.active) this.active(memberId, taskId);
    for (const taskId of placed.standby) this.standby(memberId, taskId);
    for (const taskId of placed.warmup) this.warmup(memberId, taskId);
  }

  whole(): void {
    const missing = this.input.tasks.find((task) => !this.activeOn.has(task.id));
    if (missing !== undefined)
      throw this.broken('A1', `task ${missing.id} is active on no member`, { taskId: missing.id });
    const { maxWarmupReplicas } = this.input.settings;
    if (this.warmups > maxWarmupReplicas)
      throw this.broken('A7', `${this.warmups} warm-ups, at most ${maxWarmupReplicas} are allowed`, {});
  }

  /** A4. */
  private once(memberId: string, placed: MemberPlacement): void {
    const roles = new Map<TaskId, string>();
    for (const list of LISTS)
      for (const taskId of placed[list]) {
        const before = roles.get(taskId);
        if (before !== undefined) {
          const what = before === list ? `${taskId} twice as ${list}` : `${taskId} as ${before} and as ${list}`;
          throw this.broken('A4', `${memberId} was given ${what}`, { memberId, taskId });
        }
        roles.set(taskId, list);
      }
  }

  private active(memberId: string, taskId: TaskId): void {
    const other = this.activeOn.get(taskId);
    if (other !== undefined)
      throw this.broken('A1', `task ${taskId} is active on ${other} and on ${memberId}`, { memberId, taskId });
    this.activeOn.set(taskId, memberId);
  }

  private standby(memberId: string, taskId: TaskId): void {
    this.copy(memberId, taskId, 'standby');
    const { numStandbyReplicas, standbyKind } = this.input.settings;
    const allowed = standbyKind === 'hot' ? numStandbyReplicas : 0;
    const count = (this.standbys.get(taskId) ?? 0) + 1;
    if (count > allowed)
      throw this.broken('A6', `task ${taskId} has ${count} standbys on members, at most ${allowed} are allowed`, {
        memberId,
        taskId,
      });
    this.standbys.set(taskId, count);
  }

  private warmup(memberId: string, taskId: TaskId): void {
    this.copy(memberId, taskId, 'warm-up');
    this.warmups += 1;
  }

  private copy(memberId: string, taskId: TaskId, what: string): void {
    if (this.tasks.get(taskId)?.stateful !== true)
      throw this.broken('A5', `task ${taskId} is stateless, ${memberId} was given a ${what} of it`, {
        memberId,
        taskId,
      });
  }

  private broken(rule: string, what: string, details: Readonly<Record<string, unknown>>): InvalidAssignmentError {
    return new InvalidAssignmentError(`assignor '${this.assignor}' broke rule ${rule}: ${what}`, {
      details: { assignor: this.assignor, rule, ...details },
    });
  }
}
