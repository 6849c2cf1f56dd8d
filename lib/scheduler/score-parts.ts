/** The score of a plan, part by part, beside that of what the members held before. Pure. */
import { heldBefore } from '../assignment/lags.js';
import { type PlacementScore, type Spread, scorePlacement } from '../assignment/score-placement.js';
import type { AssignmentInput, Placement } from '../assignment/task-assignor.js';
import type { ScorePart } from '../leases/history.js';

/** A part is read off a score; `ofChange`: it says something of the way only, so that there is no before. */
interface Part extends Pick<ScorePart, 'goal' | 'unit'> {
  readonly of: (score: PlacementScore) => number | null;
  readonly ofChange?: true;
}

const gap = ({ least, most }: Spread): number => most - least;

const PARTS: readonly Part[] = [
  {
    goal: 'balance',
    unit: 'active tasks between the fullest member and the emptiest',
    of: (s) => gap(s.balance.active),
  },
  { goal: 'stateful balance', unit: 'the same of tasks with stores', of: (s) => gap(s.balance.stateful) },
  { goal: 'weight balance', unit: "the same of the tasks' weights", of: (s) => gap(s.balance.weight) },
  { goal: 'stateful moves', unit: 'tasks', of: (s) => s.moves.stateful, ofChange: true },
  { goal: 'stateless moves', unit: 'tasks', of: (s) => s.moves.stateless, ofChange: true },
  { goal: 'unowned', unit: 'tasks that no live member held', of: (s) => s.moves.unowned, ofChange: true },
  { goal: 'restores', unit: 'tasks on members that are not caught up', of: (s) => s.restores.tasks, ofChange: true },
  { goal: 'restore records', unit: 'records that these lack', of: (s) => s.restores.records, ofChange: true },
  { goal: 'warm-ups', unit: 'copies that prepare moves', of: (s) => s.warmups },
  { goal: 'missing standbys', unit: 'of those wanted', of: (s) => s.standbys.missing },
  { goal: 'standby balance', unit: 'standbys, as balance', of: (s) => gap(s.standbys.perCapacity) },
  {
    goal: 'standbys together',
    unit: 'tasks whose copies share a tag that could differ',
    of: (s) => s.standbys.together,
  },
  { goal: 'traffic', unit: 'partitions read from another zone', of: (s) => s.traffic?.after ?? null },
];

/** The parts of a placement's score that are known; of all less is better. */
export function scoreParts(input: AssignmentInput, placement: Placement): readonly ScorePart[] {
  const held = new Map(input.members.map((member) => [member.id, heldBefore(member)]));
  const before = scorePlacement(input, { members: held, followUp: false });
  const after = scorePlacement(input, placement);
  return PARTS.flatMap(({ goal, unit, of, ofChange }) => {
    const value = of(after);
    return value === null ? [] : [{ goal, unit, before: ofChange ? null : of(before), after: value }];
  });
}
