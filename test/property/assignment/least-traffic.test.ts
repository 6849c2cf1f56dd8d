import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterOf, type MemberState, type PlacedTask } from '../../../lib/assignment/cluster.js';
import { leastTraffic, leastTrafficBySubTopology } from '../../../lib/assignment/high-availability/traffic-graphs.js';
import { member, settings } from '../../support/assignment-members.js';
import { tasksOf } from '../../support/random-clusters.js';

const MEMBERS = 3;

/** Up to six tasks of two sub-topologies, each on one of three members, and the cost of each on each. */
const exchanges = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })).chain(([first, second]) => {
  const count = first + second;
  const perTask = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: count, maxLength: count });
  return fc.record({
    tasks: fc.constant(
      tasksOf([
        [first, true],
        [second, true],
      ]),
    ),
    places: perTask(fc.integer({ min: 0, max: MEMBERS - 1 })),
    costs: perTask(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: MEMBERS, maxLength: MEMBERS })),
  });
});

function exchangeOf({
  tasks,
  places,
  costs,
}: {
  tasks: ReturnType<typeof tasksOf>;
  places: number[];
  costs: number[][];
}) {
  const cluster = clusterOf({ tasks, members: [member(1), member(2), member(3)], settings });
  for (const task of cluster.tasks) cluster.members[places[task.index] ?? 0]?.active.add(task);
  const costOf = (task: PlacedTask, { index }: MemberState): number => costs[task.index]?.[index] ?? 0;
  return { tasks: cluster.tasks, members: cluster.members, kindOf: (state: MemberState) => state.active, costOf };
}

type Exchange = ReturnType<typeof exchangeOf>;

const countsOf = (of: Exchange, places: readonly (MemberState | undefined)[]): number[] =>
  of.members.map((state) => places.filter((place) => place === state).length);

const heldOf = ({ members }: Exchange): number[] => members.map(({ active }) => active.size);

const costOfAll = (of: Exchange, places: readonly (MemberState | undefined)[]): number =>
  of.tasks.reduce((sum, task, index) => {
    const place = places[index];
    return sum + (place === undefined ? Number.NaN : of.costOf(task, place));
  }, 0);

/** All ways to place the tasks, tried one by one. */
function* allPlaces({ tasks, members }: Exchange): Generator<readonly MemberState[]> {
  const ways = members.length ** tasks.length;
  for (let way = 0; way < ways; way++) {
    yield tasks.flatMap((_, index) => members[Math.floor(way / members.length ** index) % members.length] ?? []);
  }
}

const leastOf = (of: Exchange, allows: (places: readonly MemberState[]) => boolean): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const places of allPlaces(of)) if (allows(places)) least = Math.min(least, costOfAll(of, places));
  return least;
};

const keepsCounts = (of: Exchange, places: readonly (MemberState | undefined)[]): boolean =>
  String(countsOf(of, places)) === String(heldOf(of));

/** Whether nobody has more of a sub-topology than its share, rounded up. */
const keepsShares = (of: Exchange, places: readonly (MemberState | undefined)[]): boolean =>
  [0, 1].every((subTopology) => {
    const inGroup = places.filter((_, index) => of.tasks[index]?.subTopology === subTopology);
    const shares = heldOf(of).map((held) => Math.ceil((held / of.tasks.length) * inGroup.length));
    return countsOf(of, inGroup).every((count, index) => count <= (shares[index] ?? 0));
  });

describe('an exchange of tasks', () => {
  it('costs as little as any in which each member keeps its number of tasks', () => {
    fc.assert(
      fc.property(exchanges.map(exchangeOf), (of) => {
        const places = leastTraffic(of);

        expect(countsOf(of, places)).toEqual(heldOf(of));
        expect(costOfAll(of, places)).toBe(leastOf(of, (other) => keepsCounts(of, other)));
      }),
    );
  });

  it('by sub-topology costs as little as any in which each member has its share of each as well', () => {
    fc.assert(
      fc.property(exchanges.map(exchangeOf), (of) => {
        const places = leastTrafficBySubTopology(of);

        expect(keepsCounts(of, places)).toBe(true);
        expect(keepsShares(of, places)).toBe(true);
        const least = leastOf(of, (other) => keepsCounts(of, other) && keepsShares(of, other));
        expect(costOfAll(of, places)).toBe(least);
      }),
    );
  });
});
