/**
 * What the steps of `highAvailability` work on: live members and tasks in order, and what each member has been given so far.
 *
 * The steps follow one another over one `Cluster` and change only what its members were given. Kafka: `ClientState`.
 */
import { parseTaskId, type TaskId } from '../model/task-id.js';
import type { AssignableMember, AssignableTask, AssignmentInput } from './task-assignor.js';

/** A task with its place in the order of sub-topology and partition. */
export interface PlacedTask {
  readonly index: number;
  readonly subTopology: number;
  readonly partition: number;
  readonly task: AssignableTask;
}

/** A live member with its place in the order that breaks ties, and what it has been given. */
export class MemberState {
  readonly index: number;
  readonly member: AssignableMember;
  readonly active = new Set<PlacedTask>();
  readonly standby = new Set<PlacedTask>();
  /** Those of `standby` that only prepare a move. */
  readonly warmup = new Set<PlacedTask>();

  constructor(index: number, member: AssignableMember) {
    this.index = index;
    this.member = member;
  }

  has(task: PlacedTask): boolean {
    return this.active.has(task) || this.standby.has(task);
  }

  get count(): number {
    return this.active.size + this.standby.size;
  }

  /** Tasks of all kinds by capacity. */
  get load(): number {
    return this.count / this.member.capacity;
  }

  get activeLoad(): number {
    return this.active.size / this.member.capacity;
  }
}

export interface Cluster {
  /** By length of id, then text: `member-2` comes before `member-10`. */
  readonly members: readonly MemberState[];
  readonly tasks: readonly PlacedTask[];
  readonly stateful: readonly PlacedTask[];
  readonly stateless: readonly PlacedTask[];
}

/** The live members of the input, given nothing yet, and its tasks. */
export function clusterOf(input: AssignmentInput): Cluster {
  const live = input.members.filter((member) => member.live).sort(byMemberId);
  const tasks = input.tasks
    .map((task) => ({ task, ...parseTaskId(task.id) }))
    .sort((a, b) => a.subTopology - b.subTopology || a.partition - b.partition)
    .map(({ task, subTopology, partition }, index): PlacedTask => ({ index, subTopology, partition, task }));
  return {
    members: live.map((member, index) => new MemberState(index, member)),
    tasks,
    stateful: tasks.filter(({ task }) => task.stateful),
    stateless: tasks.filter(({ task }) => !task.stateful),
  };
}

/** In the order of tasks. */
export function inOrder(tasks: Iterable<PlacedTask>): PlacedTask[] {
  return [...tasks].sort((a, b) => a.index - b.index);
}

/** Their ids, in the order of tasks. */
export function idsOf(tasks: Iterable<PlacedTask>): TaskId[] {
  return inOrder(tasks).map(({ task }) => task.id);
}

function byMemberId(a: AssignableMember, b: AssignableMember): number {
  return a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
