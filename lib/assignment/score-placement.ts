/**
 * How good a placement is, goal by goal: what an assignor weighs against each other, as numbers. Pure.
 *
 * There is no sum: which goal comes before which is the assignor's own (docs/assignment.md). Kafka Streams: `TaskAssignmentUtils`
 * has the cost of traffic alone.
 */
import type { TaskId } from '../model/task-id.js';
import { heldBefore, isAcceptable, lagOn, previousOwners } from './lags.js';
import { readAcross } from './read-across.js';
import type { AssignableMember, AssignableTask, AssignmentInput, MemberPlacement, Placement } from './task-assignor.js';

/** The least and the most that a live member has, by its capacity. */
export interface Spread {
  readonly least: number;
  readonly most: number;
}

/** The parts of a placement's score. Plain numbers: it can be kept as JSON. */
export interface PlacementScore {
  /** Balance: active tasks, those with stores among them, and the tasks' weights. */
  readonly balance: { readonly active: Spread; readonly stateful: Spread; readonly weight: Spread };
  /** Stickiness: tasks that leave who held them, and those whom no live member held. */
  readonly moves: { readonly stateful: number; readonly stateless: number; readonly unowned: number };
  /**
   * Availability: active tasks on members that are not caught up, and the records that they lack (`unknown` of the tasks: nobody
   * knows how many).
   */
  readonly restores: { readonly tasks: number; readonly records: number; readonly unknown: number };
  /** Availability: copies that prepare moves, and whether this is a step on the way. */
  readonly warmups: number;
  readonly followUp: boolean;
  /**
   * Standbys on members: how many there should be (of whom so many members can hold one), how many there are not, how even
   * they are, and how many tasks have copies with one value of a tag although there are members of other values.
   */
  readonly standbys: {
    readonly wanted: number;
    readonly missing: number;
    readonly perCapacity: Spread;
    readonly together: number;
  };
  /** Partitions read from another zone, by active tasks and standbys, before and after; null: no zones are known. */
  readonly traffic: { readonly before: number; readonly after: number } | null;
}

/** Where the copies of a task are. */
interface Copies {
  readonly active: AssignableMember | undefined;
  readonly standbys: readonly AssignableMember[];
}

/**
 * Scores a placement of an input. Live members count, whether or not they are given anything.
 *
 * @param placement valid for the input (`validateAssignment`)
 */
export function scorePlacement(input: AssignmentInput, placement: Placement): PlacementScore {
  const live = input.members.filter((member) => member.live);
  const tasks = new Map(input.tasks.map((task) => [task.id, task]));
  const counts = (of: (id: TaskId) => number) =>
    spread(live, ({ id }) => (placement.members.get(id)?.active ?? []).reduce((sum, taskId) => sum + of(taskId), 0));
  const after = copiesOf(live, ({ id }) => placement.members.get(id));
  return {
    balance: {
      active: counts(() => 1),
      stateful: counts((id) => (tasks.get(id)?.stateful === true ? 1 : 0)),
      weight: counts((id) => tasks.get(id)?.weight ?? 0),
    },
    moves: movesOf(input, after),
    restores: restoresOf(input, after),
    warmups: live.reduce((sum, { id }) => sum + (placement.members.get(id)?.warmup.length ?? 0), 0),
    followUp: placement.followUp,
    standbys: standbysOf(input, live, placement, after),
    traffic: trafficOf(input, live, after),
  };
}

function spread(live: readonly AssignableMember[], of: (member: AssignableMember) => number): Spread {
  const loads = live.map((member) => of(member) / member.capacity);
  return {
    least: loads.reduce((least, load) => Math.min(least, load), loads[0] ?? 0),
    most: loads.reduce((most, load) => Math.max(most, load), 0),
  };
}

function copiesOf(
  members: readonly AssignableMember[],
  holdings: (member: AssignableMember) => MemberPlacement | undefined,
): ReadonlyMap<TaskId, Copies> {
  const copies = new Map<TaskId, { active: AssignableMember | undefined; standbys: AssignableMember[] }>();
  const at = (id: TaskId) => {
    const known = copies.get(id) ?? { active: undefined, standbys: [] };
    copies.set(id, known);
    return known;
  };
  for (const member of members) {
    const held = holdings(member);
    for (const id of held?.active ?? []) at(id).active = member;
    for (const id of held?.standby ?? []) at(id).standbys.push(member);
  }
  return copies;
}

function movesOf({ tasks, members }: AssignmentInput, after: ReadonlyMap<TaskId, Copies>): PlacementScore['moves'] {
  const owners = previousOwners(members);
  const moves = { stateful: 0, stateless: 0, unowned: 0 };
  for (const { id, stateful } of tasks) {
    const owner = owners.get(id);
    if (owner?.live !== true) moves.unowned += 1;
    else if (after.get(id)?.active !== owner) moves[stateful ? 'stateful' : 'stateless'] += 1;
  }
  return moves;
}

function restoresOf(
  { tasks, settings }: AssignmentInput,
  after: ReadonlyMap<TaskId, Copies>,
): PlacementScore['restores'] {
  const lags = tasks.flatMap((task) => {
    const owner = after.get(task.id)?.active;
    return task.stateful && owner !== undefined ? [lagOn(owner, task)] : [];
  });
  const behind = lags.filter((lag) => !isAcceptable(lag, settings.acceptableRecoveryLag));
  const known = behind.filter(Number.isFinite);
  const records = known.reduce((sum, lag) => sum + lag, 0);
  return { tasks: behind.length, records, unknown: behind.length - known.length };
}

function standbysOf(
  { tasks, settings }: AssignmentInput,
  live: readonly AssignableMember[],
  placement: Placement,
  after: ReadonlyMap<TaskId, Copies>,
): PlacementScore['standbys'] {
  const stateful = tasks.filter((task) => task.stateful);
  const each = settings.standbyKind === 'hot' ? Math.min(settings.numStandbyReplicas, Math.max(0, live.length - 1)) : 0;
  const placed = stateful.map(({ id }) => after.get(id)?.standbys.length ?? 0);
  return {
    wanted: each * stateful.length,
    missing: placed.reduce((sum, count) => sum + Math.max(0, each - count), 0),
    perCapacity: spread(live, ({ id }) => placement.members.get(id)?.standby.length ?? 0),
    together: stateful.filter((task) => isTogether(task, after, live, settings.rackAwareAssignmentTags)).length,
  };
}

/** Whether the copies of a task show fewer values of a tag than they could. */
function isTogether(
  { id }: AssignableTask,
  after: ReadonlyMap<TaskId, Copies>,
  live: readonly AssignableMember[],
  tags: readonly string[],
): boolean {
  const { active, standbys = [] } = after.get(id) ?? {};
  const on = [...(active === undefined ? [] : [active]), ...standbys];
  const valuesOf = (members: readonly AssignableMember[], tag: string): readonly string[] =>
    members.flatMap((member) => member.tags[tag] ?? []);
  return tags.some((tag) => {
    const shown = valuesOf(on, tag);
    return new Set(shown).size < Math.min(shown.length, new Set(valuesOf(live, tag)).size);
  });
}

function trafficOf(
  input: AssignmentInput,
  live: readonly AssignableMember[],
  after: ReadonlyMap<TaskId, Copies>,
): PlacementScore['traffic'] {
  if (input.partitionZones === undefined || input.partitionZones.size === 0) return null;
  const before = copiesOf(live, heldBefore);
  const across = (copies: ReadonlyMap<TaskId, Copies>): number =>
    input.tasks.reduce((sum, task) => {
      const { active, standbys = [] } = copies.get(task.id) ?? {};
      const read = active === undefined ? 0 : readAcross(input, task.inputs, active.zone);
      return standbys.reduce((more, { zone }) => more + readAcross(input, task.changelogs, zone), sum + read);
    }, 0);
  return { before: across(before), after: across(after) };
}
