/** Random placements, by Kafka Streams' assignor and by ours. */
import { placeHighlyAvailable } from '../../../lib/assignment/high-availability/high-availability.js';
import { validateAssignment } from '../../../lib/assignment/validate-assignment.js';
import { type AssignmentStep, inputOf } from '../assignment-input.js';
import { canonical } from '../compare.js';
import { answerOf, expectedOf, type ProgramAnswer } from './placement-answers.js';
import { randomStep } from './random-placement.js';
import { type Answered, ReferenceProcess } from './reference-process.js';

/** A seed whose placement the two answer differently. */
export interface PlacementFailure {
  readonly seed: number;
  readonly differences: readonly string[];
  readonly step: unknown;
}

export interface RandomPlacements {
  readonly count: number;
  readonly from: number;
  /** Told of each failure as it is found. */
  readonly onFailure?: (failure: PlacementFailure) => void;
}

/** Compares the placements of seeds [from, from + count), one after the other, in one Java process. */
export async function runRandomPlacements({
  count,
  from,
  onFailure,
}: RandomPlacements): Promise<readonly PlacementFailure[]> {
  const reference = await ReferenceProcess.start('Placements');
  const failures: PlacementFailure[] = [];
  try {
    for (let seed = from; seed < from + count; seed += 1) {
      const step = (await reference.answer(randomStep(seed))) as Answered<AssignmentStep>;
      const differences = differencesOf(step);
      if (differences.length === 0) continue;
      const failure = { seed, differences, step };
      failures.push(failure);
      onFailure?.(failure);
    }
  } finally {
    await reference.end();
  }
  return failures;
}

function differencesOf(step: Answered<AssignmentStep>): readonly string[] {
  if (step.refused !== undefined) return [`the Java program could not run it: ${step.refused}`];
  const input = inputOf(step);
  const answer = placeHighlyAvailable(input);
  validateAssignment('highAvailability', input, answer.placement);
  const wanted = expectedOf(step);
  const got = answerOf(answer);
  return (Object.keys(wanted) as (keyof ProgramAnswer)[]).flatMap((part) => {
    const [left, right] = [canonical(wanted[part]), canonical(got[part])];
    return left === right ? [] : [`${part}: expected ${left}, got ${right}`];
  });
}
