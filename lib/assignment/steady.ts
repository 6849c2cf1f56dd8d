/**
 * `steady`, the default assignor: balanced, sticky, and no task moves that need not.
 *
 * Invariants (property tests cite them):
 *   B1  stateful tasks alone, and all tasks together, are shared by capacity so that no move improves the balance
 *       (seats.ts, S1): members of one capacity differ by at most one
 *   B2  a task stays where it is unless its member is gone or over its share: its own answer as input moves nothing
 *   B3  of all shares that satisfy B1 it takes those that make the fewest stateful tasks move, and given those the fewest
 *       stateless ones: where all tasks are of one kind, a join moves the newcomer's share and a leave the leaver's tasks
 *   B4  the answer does not depend on the order of tasks and members in the input
 * Among what B1–B3 leave open: a stateful task goes to the copy that lacks least if that is caught up; then the tasks of
 * each sub-topology are spread; then to whoever has most room. Spread is a preference and never moves a task by itself.
 *
 * It does not: place standbys (snapshot standbys sit on no member) or warm-ups, weigh tasks, or look at zones.
 * `sticky` is the same without a look at lags, as Kafka's `StickyTaskAssignor` (before KIP-441).
 */
import { compareTaskIds, parseTaskId, type TaskId } from '../model/task-id.js';
import { shareSeats } from './seats.js';
import type {
  AssignableMember,
  AssignableTask,
  AssignmentInput,
  MemberPlacement,
  Placement,
  TaskAssignor,
} from './task-assignor.js';

/** Balanced, sticky, prefers a caught-up copy. */
export const steady: TaskAssignor = {
  name: 'steady',
  assign: (input) => place(input, (member, task) => caughtUpLag(input, member, task)),
};

/** As `steady`, blind to lags. */
export const sticky: TaskAssignor = {
  name: 'sticky',
  assign: (input) => place(input, () => Number.POSITIVE_INFINITY),
};

/** The lag of a copy that counts as caught up, else infinity: copies too far behind are no better than none. */
type LagOf = (member: AssignableMember, task: AssignableTask) => number;

interface Bench {
  readonly member: AssignableMember;
  /** Place in the order that breaks ties. */
  readonly index: number;
  readonly tasks: AssignableTask[];
  readonly perSubTopology: Map<number, number>;
}

function place(input: AssignmentInput, lagOf: LagOf): Placement {
  const members = input.members.filter((member) => member.live).sort(byMemberId);
  const benches = members.map(
    (member, index): Bench => ({ member, index, tasks: [], perSubTopology: new Map<number, number>() }),
  );
  if (benches.length > 0) {
    const tasks = [...input.tasks].sort((a, b) => compareTaskIds(a.id, b.id));
    const owners = previousOwners(tasks, benches);
    seat(
      tasks.filter((task) => task.stateful),
      benches,
      owners,
      lagOf,
    );
    seat(
      tasks.filter((task) => !task.stateful),
      benches,
      owners,
      lagOf,
    );
  }
  return {
    members: new Map(benches.map((bench) => [bench.member.id, placementOf(bench)])),
    followUp: false,
  };
}

/** Seats the tasks of one kind on top of what the benches hold. */
function seat(
  tasks: readonly AssignableTask[],
  benches: readonly Bench[],
  owners: ReadonlyMap<TaskId, Bench>,
  lagOf: LagOf,
): void {
  const held = benches.map((bench) => tasks.filter((task) => owners.get(task.id) === bench));
  const heldOfAll = new Map<Bench, number>();
  for (const bench of owners.values()) add(heldOfAll, bench);
  const orphans = tasks.filter((task) => task.stateful && !owners.has(task.id));
  const seats = shareSeats(
    tasks.length,
    benches.map((bench, index) => ({
      capacity: bench.member.capacity,
      held: held[index]?.length ?? 0,
      copies: orphans.filter((task) => Number.isFinite(lagOf(bench.member, task))).length,
      heldOfAll: heldOfAll.get(bench) ?? 0,
      taken: bench.tasks.length,
    })),
  );
  const room = new Map(benches.map((bench, index) => [bench, seats[index] ?? 0]));
  /** Members with seats beyond what they hold: where tasks that are given up can go. */
  const open = benches.filter((_, index) => (seats[index] ?? 0) > (held[index]?.length ?? 0));
  const hasCopyElsewhere = (task: AssignableTask): boolean =>
    open.some((bench) => Number.isFinite(lagOf(bench.member, task)));
  const leaving = new Set(tasks);
  for (const [index, bench] of benches.entries()) {
    for (const task of keep(held[index] ?? [], seats[index] ?? 0, hasCopyElsewhere)) {
      take(bench, task, room);
      leaving.delete(task);
    }
  }
  for (const [task, bench] of caughtUpCopies(leaving, benches, lagOf)) {
    if (!leaving.has(task) || (room.get(bench) ?? 0) === 0) continue;
    take(bench, task, room);
    leaving.delete(task);
  }
  for (const task of leaving) {
    const bench = roomiest(task, benches, room);
    if (bench !== undefined) take(bench, task, room);
  }
}

/**
 * The tasks that a member keeps. Those given up come from the sub-topologies of which it has most, caught-up copies
 * elsewhere first, so that what moves moves cheaply and spreads.
 */
function keep(
  held: readonly AssignableTask[],
  seats: number,
  hasCopyElsewhere: (task: AssignableTask) => boolean,
): readonly AssignableTask[] {
  const kept = [...held];
  while (kept.length > seats) {
    const counts = new Map<number, number>();
    for (const task of kept) add(counts, subTopologyOf(task));
    let give = 0;
    let best = Number.NEGATIVE_INFINITY;
    for (const [index, task] of kept.entries()) {
      const score = (counts.get(subTopologyOf(task)) ?? 0) + (hasCopyElsewhere(task) ? held.length + 1 : 0);
      if (score >= best) {
        best = score;
        give = index; // the last of equals: low partitions stay
      }
    }
    kept.splice(give, 1);
  }
  return kept;
}

/** Pairs of a task and a caught-up copy of it, least lag first. */
function caughtUpCopies(
  tasks: ReadonlySet<AssignableTask>,
  benches: readonly Bench[],
  lagOf: LagOf,
): readonly (readonly [AssignableTask, Bench])[] {
  const pairs: { readonly task: AssignableTask; readonly bench: Bench; readonly lag: number }[] = [];
  for (const task of tasks) {
    if (!task.stateful) continue;
    for (const bench of benches) {
      const lag = lagOf(bench.member, task);
      if (Number.isFinite(lag)) pairs.push({ task, bench, lag });
    }
  }
  return pairs
    .sort((a, b) => a.lag - b.lag || compareTaskIds(a.task.id, b.task.id) || a.bench.index - b.bench.index)
    .map(({ task, bench }) => [task, bench] as const);
}

/** The member with a free seat that has least of the task's sub-topology, then least at all, both by capacity. */
function roomiest(
  task: AssignableTask,
  benches: readonly Bench[],
  room: ReadonlyMap<Bench, number>,
): Bench | undefined {
  const subTopology = subTopologyOf(task);
  const open = benches.filter((bench) => (room.get(bench) ?? 0) > 0);
  const ranked = open.sort(
    (a, b) =>
      perCapacity(a.perSubTopology.get(subTopology) ?? 0, a, b.perSubTopology.get(subTopology) ?? 0, b) ||
      perCapacity(a.tasks.length, a, b.tasks.length, b) ||
      a.index - b.index,
  );
  return ranked[0];
}

function perCapacity(a: number, left: Bench, b: number, right: Bench): number {
  return a * right.member.capacity - b * left.member.capacity;
}

function take(bench: Bench, task: AssignableTask, room: Map<Bench, number>): void {
  bench.tasks.push(task);
  add(bench.perSubTopology, subTopologyOf(task));
  room.set(bench, (room.get(bench) ?? 0) - 1);
}

function caughtUpLag(input: AssignmentInput, member: AssignableMember, task: AssignableTask): number {
  const lag = member.lags.get(task.id);
  return lag !== undefined && lag <= input.settings.acceptableRecoveryLag ? lag : Number.POSITIVE_INFINITY;
}

/** Who held each of the tasks; where two claim one, the first. */
function previousOwners(tasks: readonly AssignableTask[], benches: readonly Bench[]): ReadonlyMap<TaskId, Bench> {
  const known = new Set(tasks.map((task) => task.id));
  const owners = new Map<TaskId, Bench>();
  for (const bench of benches) {
    for (const taskId of bench.member.previousActive) {
      if (known.has(taskId) && !owners.has(taskId)) owners.set(taskId, bench);
    }
  }
  return owners;
}

function placementOf(bench: Bench): MemberPlacement {
  return { active: bench.tasks.map((task) => task.id).sort(compareTaskIds), standby: [], warmup: [] };
}

function subTopologyOf(task: AssignableTask): number {
  return parseTaskId(task.id).subTopology;
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** By length, then text: `member-2` comes before `member-10`. */
function byMemberId(a: AssignableMember, b: AssignableMember): number {
  return a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
