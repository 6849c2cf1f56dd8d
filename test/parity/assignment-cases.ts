/** Runs one case of the family `assignment`: a placement by Kafka Streams' assignor, or a sequence of them, step by step. */
import { placeHighlyAvailable } from '../../lib/assignment/high-availability/high-availability.js';
import type { MemberPlacement } from '../../lib/assignment/task-assignor.js';
import { validateAssignment } from '../../lib/assignment/validate-assignment.js';
import { type AssignmentCase, type AssignmentStep, type CasePlacement, inputOf } from './assignment-input.js';
import { measuresOf } from './assignment-measures.js';
import { canonical } from './compare.js';

/** Runs a case. @returns the differences; none if the answers are the same */
export function runAssignmentCase(json: unknown): readonly string[] {
  const of = json as AssignmentCase;
  if (!('steps' in of)) return stepDifferences(of);
  return of.steps.flatMap((step) => stepDifferences(step).map((difference) => `step ${step.step}: ${difference}`));
}

function stepDifferences(of: AssignmentStep): readonly string[] {
  const input = inputOf(of);
  const got = placeHighlyAvailable(input);
  validateAssignment('highAvailability', input, got.placement);
  const { expected, measures } = of;
  const known = expected.target !== undefined;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ...placementPairs('', expected.clients, got.placement.members),
    ...(known ? placementPairs('target of ', expected.target, got.target ?? new Map()) : []),
    ['follow-up', expected.followupRebalance, got.placement.followUp],
    ['actives to move', expected.activeMovements ?? 0, got.activeMovements],
    ['standbys to move', expected.standbyMovements ?? 0, got.standbyMovements],
    ['zone awareness', expected.rackAwareEnabled ?? false, got.isZoneAware],
    ['measures', measures, measures === undefined ? undefined : measuresOf(input, got.placement, got.target)],
  ];
  return pairs.flatMap(([what, wanted, have]) => {
    const [left, right] = [canonical(wanted), canonical(have)];
    return left === right ? [] : [`${what}: expected ${left}, got ${right}`];
  });
}

function placementPairs(
  what: string,
  expected: Readonly<Record<string, CasePlacement>>,
  got: ReadonlyMap<string, MemberPlacement>,
): readonly (readonly [string, unknown, unknown])[] {
  const ids = [...new Set([...Object.keys(expected), ...got.keys()])].sort();
  return ids.map((id) => [`${what}${id}`, { warmup: [], ...expected[id] }, got.get(id)]);
}
