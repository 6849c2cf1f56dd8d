/** What a played case comes to: how long it took, what moved and had to be restored, how even it ended. */
import { type PlacementScore, scorePlacement } from '../../lib/assignment/score-placement.js';
import type { Played } from './assignment-replay.js';

export interface PlacementRecord {
  /** Actives placed on members that were not caught up, in all steps and in the first. */
  readonly restores: number;
  readonly restoresAtFirst: number;
  /** Stateful tasks that left a live member, in all steps. */
  readonly moves: number;
  /** First step, from the last event on, at which nothing was left to move. */
  readonly stableAt: number;
  readonly last: PlacementScore;
  readonly hasOneCapacity: boolean;
}

export function recordOf({ steps, stableAt }: Played): PlacementRecord {
  const scores = steps.map(({ input, placement }) => scorePlacement(input, placement));
  const [first, last] = [scores[0], scores.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nothing was played');
  const capacities = new Set(steps.flatMap(({ input }) => input.members.map(({ capacity }) => capacity)));
  return {
    restores: sum(scores.map(({ restores }) => restores.tasks)),
    restoresAtFirst: first.restores.tasks,
    moves: sum(scores.map(({ moves }) => moves.stateful)),
    stableAt,
    last,
    hasOneCapacity: capacities.size === 1,
  };
}

/** In what the first is worse than the second, with both figures. */
export function worseThan(ours: PlacementRecord, theirs: PlacementRecord): Readonly<Record<string, string>> {
  const spreads = (['active', 'stateful'] as const).flatMap((kind): [string, number, number][] => [
    [`busiest ${kind}`, ours.last.balance[kind].most, theirs.last.balance[kind].most],
    ...(ours.hasOneCapacity
      ? [
          [`idlest ${kind}`, -ours.last.balance[kind].least, -theirs.last.balance[kind].least] as [
            string,
            number,
            number,
          ],
        ]
      : []),
  ]);
  const figures: readonly (readonly [string, number, number])[] = [
    ...spreads,
    ['most standbys', ours.last.standbys.perCapacity.most, theirs.last.standbys.perCapacity.most],
    ['standbys missing', ours.last.standbys.missing, theirs.last.standbys.missing],
    ['restores', ours.restores, theirs.restores],
    ['restores at first', ours.restoresAtFirst, theirs.restoresAtFirst],
    ['moves', ours.moves, theirs.moves],
    ['stable at', ours.stableAt, theirs.stableAt],
  ];
  const worse = figures.filter(([, left, right]) => left > right + 1e-9);
  return Object.fromEntries(worse.map(([what, left, right]) => [what, `${rounded(left)} > ${rounded(right)}`]));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
