/** The measures that recorded placements carry: how even, how far from before, how much to restore. */
import type { AssignmentInput, MemberPlacement, Placement } from '../../lib/assignment/task-assignor.js';
import type { TaskId } from '../../lib/model/task-id.js';

type Placed = ReadonlyMap<string, MemberPlacement>;
type CountOf = (placed: MemberPlacement) => number;

/** The measures of a placement, by the names of the cases. */
export function measuresOf(
  input: AssignmentInput,
  placement: Placement,
  target: Placed | null,
): Readonly<Record<string, unknown>> {
  const stateful = new Set(input.tasks.filter((task) => task.stateful).map(({ id }) => id));
  const statefulCount: CountOf = ({ active }) => active.filter((id) => stateful.has(id)).length;
  const replicaCount: CountOf = ({ standby, warmup }) => standby.length + warmup.length;
  const copies = new Map([...stateful].map((id) => [id, replicasOf(id, placement.members)]));
  const wanted = Math.min(input.settings.numStandbyReplicas, input.members.length - 1);
  const lags = input.members.flatMap(({ id, lags: of }) =>
    (placement.members.get(id)?.active ?? []).map((task) => Math.max(0, of.get(task) ?? 0)),
  );
  return {
    ...spreads(input, placement.members, 'active', ({ active }) => active.length),
    ...spreads(input, placement.members, 'statefulActive', statefulCount),
    ...(target === null ? {} : spreads(input, target, 'targetStatefulActive', statefulCount)),
    ...spreads(input, placement.members, 'standby', replicaCount),
    ...moves(input, placement, stateful),
    activesWithLag: lags.filter((lag) => lag > 0).length,
    activeLagSum: sum(lags),
    replicasBeyondStandbyCount: sum([...copies.values()].map((count) => Math.max(0, count - wanted))),
    standbysMissing: sum([...copies.values()].map((count) => Math.max(0, wanted - count))),
  };
}

function spreads(
  { members }: AssignmentInput,
  placed: Placed,
  what: string,
  countOf: CountOf,
): Readonly<Record<string, unknown>> {
  const counts = members.map(({ id, capacity }) => {
    const found = placed.get(id);
    const count = found === undefined ? 0 : countOf(found);
    return { count, perThread: Math.round((count / capacity) * 1_000) / 1_000 };
  });
  const minMax = (values: readonly number[]): readonly number[] => [Math.min(...values), Math.max(...values)];
  return {
    [`${what}PerClientMinMax`]: minMax(counts.map(({ count }) => count)),
    [`${what}PerThreadMinMax`]: minMax(counts.map(({ perThread }) => perThread)),
  };
}

function moves(
  { members }: AssignmentInput,
  placement: Placement,
  stateful: ReadonlySet<TaskId>,
): Readonly<Record<string, unknown>> {
  const before = new Map(
    members.flatMap(({ id, previousActive }) =>
      previousActive.filter((task) => stateful.has(task)).map((task) => [task, id] as const),
    ),
  );
  const stays = [...before].filter(([task, id]) => placement.members.get(id)?.active.includes(task));
  return { prevStatefulActive: before.size, statefulActiveMoved: before.size - stays.length };
}

function replicasOf(task: TaskId, placed: Placed): number {
  return [...placed.values()].filter(({ standby, warmup }) => standby.includes(task) || warmup.includes(task)).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
