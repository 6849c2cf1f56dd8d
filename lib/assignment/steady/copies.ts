/**
 * Who ran each task, who has copies of it, and how far they lack behind: what `steady` knows before it places anything.
 *
 * A copy is one that lacks less than whoever has nothing. An owner that says nothing of its task is taken to run it or to be
 * on its way: a slot whose next incarnation has just begun keeps its tasks (static membership).
 */
import type { Cluster, MemberState, PlacedTask } from '../cluster.js';
import { isAcceptable, lagOn } from '../lags.js';
import { type AssignmentInput, RUNNING_LAG } from '../task-assignor.js';

/** A copy of a task on a live member. */
export interface Copy {
  readonly state: MemberState;
  readonly lag: number;
}

/** What is known of the copies of tasks. */
export interface Copies {
  /** The live member that held the task as active; undefined: none. */
  owner(task: PlacedTask): MemberState | undefined;
  /** What a live member lacks of a task: records, or what stands for them. */
  lag(state: MemberState, task: PlacedTask): number;
  /** Whether a member may run the task at once. */
  isCaughtUp(state: MemberState, task: PlacedTask): boolean;
  /** Copies that lack less than whoever has none, least lag first; the owner's among them. */
  of(task: PlacedTask): readonly Copy[];
  /** Whether the member kept a copy of the task by the last plan. */
  kept(state: MemberState, task: PlacedTask): boolean;
}

/** A copy of unknown lag: better than none, and never caught up. */
const UNKNOWN_LAG = Number.MAX_SAFE_INTEGER;

type LagOf = (state: MemberState, task: PlacedTask) => number;

/** Copies by the lags that members report; where lags are unknown, by what the last plan gave them. */
export function reportedCopies(input: AssignmentInput, cluster: Cluster): Copies {
  const { acceptableRecoveryLag } = input.settings;
  const before = new Before(cluster);
  const isUnknown = input.lagsUnknown === true;
  const lag: LagOf = (state, task) => {
    if (before.owner(task) === state && (isUnknown || !state.member.lags.has(task.task.id))) return RUNNING_LAG;
    if (isUnknown) return before.kept(state, task) ? UNKNOWN_LAG : Number.POSITIVE_INFINITY;
    return lagOn(state.member, task.task);
  };
  const limit = isUnknown ? 0 : acceptableRecoveryLag;
  return copiesOf(cluster, before, lag, (state, task) => isAcceptable(lag(state, task), limit), !isUnknown);
}

/** Copies by what the last plan gave, lags aside: everyone may run everything at once. */
export function plannedCopies(_: AssignmentInput, cluster: Cluster): Copies {
  const before = new Before(cluster);
  const lag: LagOf = (state, task) => {
    if (before.owner(task) === state) return RUNNING_LAG;
    return before.kept(state, task) ? 0 : Number.POSITIVE_INFINITY;
  };
  return copiesOf(cluster, before, lag, () => true, false);
}

/** What the last plan gave to members that are live. */
class Before {
  private readonly owners = new Map<string, MemberState>();
  private readonly copies: ReadonlyMap<MemberState, ReadonlySet<string>>;

  constructor({ members }: Cluster) {
    for (const state of members) {
      for (const id of state.member.previousActive) if (!this.owners.has(id)) this.owners.set(id, state);
    }
    this.copies = new Map(
      members.map((state) => [state, new Set([...state.member.previousStandby, ...state.member.previousWarmup])]),
    );
  }

  owner({ task }: PlacedTask): MemberState | undefined {
    return this.owners.get(task.id);
  }

  kept(state: MemberState, { task }: PlacedTask): boolean {
    return this.copies.get(state)?.has(task.id) === true;
  }
}

function copiesOf(
  cluster: Cluster,
  before: Before,
  lag: LagOf,
  isCaughtUp: Copies['isCaughtUp'],
  isTold: boolean,
): Copies {
  const known = knownCopies(cluster, before, lag, isTold);
  return {
    owner: (task) => before.owner(task),
    kept: (state, task) => before.kept(state, task),
    of: (task) => known.get(task) ?? [],
    lag,
    isCaughtUp,
  };
}

/**
 * @param isTold whether the lags that members report count
 *
 * Found by what members name, not by asking each for each task: there may be thousands of one and hundreds of the other.
 */
function knownCopies(
  cluster: Cluster,
  before: Before,
  lag: LagOf,
  isTold: boolean,
): ReadonlyMap<PlacedTask, readonly Copy[]> {
  const byId = new Map(cluster.stateful.map((task) => [task.task.id as string, task]));
  const holders = new Map<PlacedTask, Set<MemberState>>();
  for (const state of cluster.members) {
    const { previousActive, previousStandby, previousWarmup, lags } = state.member;
    for (const id of [...previousActive, ...previousStandby, ...previousWarmup, ...lags.keys()]) {
      const task = byId.get(id);
      if (task === undefined) continue; // a task that is no more, or has no state
      holders.set(task, (holders.get(task) ?? new Set()).add(state));
    }
  }
  const known = new Map<PlacedTask, readonly Copy[]>();
  for (const [task, states] of holders) {
    const copies = [...states].map((state) => ({ state, lag: lag(state, task) }));
    // Where everybody tells, who lacks as much as anybody has nothing; else who tells has something.
    const tells = ({ state }: Copy): boolean => isTold && state.member.lags.has(task.task.id);
    const isAll = copies.filter(tells).length === cluster.members.length;
    const worst = copies.reduce((most, copy) => Math.max(most, copy.lag), 0);
    const better = copies.filter(
      (copy) =>
        before.kept(copy.state, task) || before.owner(task) === copy.state || (isAll ? copy.lag < worst : tells(copy)),
    );
    known.set(
      task,
      better.sort((a, b) => (a.lag < b.lag ? -1 : a.lag > b.lag ? 1 : a.state.index - b.state.index)),
    );
  }
  return known;
}
