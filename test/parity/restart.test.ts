import { describe, expect, test } from 'vitest';
import { seededRandom } from '../support/text-of-words.js';
import { buildTopology } from './build-topology.js';
import type { ProcessingCase } from './parity-case.js';
import { isMissing, playCase } from './play-case.js';
import { recordedCases } from './recorded-cases.js';
import { asText, cutsOf, otherPlays, whyNotCut } from './restart-plays.js';

/** A case with at most so many inputs is cut at each of them; `restart.long.ts` cuts all at all. */
const INPUTS_MAX = 30;
/** Cuts of a larger one. */
const CUTS_OF_LARGE = 6;
/** Cases that could be cut when this was written: fewer would mean that an operator was lost. */
const CASES_AT_LEAST = 130;

const possible = recordedCases().filter((of) => whyNotCut(of) === undefined && canBeBuilt(of));

function canBeBuilt(of: ProcessingCase): boolean {
  try {
    buildTopology(of);
    return true;
  } catch (thrown) {
    return !isMissing(thrown);
  }
}

/** All inputs of a small case, some of a large one: the same in each run. */
function cutsAt({ inputs, name }: ProcessingCase): ReadonlySet<number> {
  if (inputs.length <= INPUTS_MAX) return new Set(inputs.keys());
  const next = seededRandom([...name].reduce((sum, letter) => sum + letter.charCodeAt(0), inputs.length));
  return new Set(Array.from({ length: CUTS_OF_LARGE }, () => Math.floor(next() * inputs.length)));
}

describe('a recorded case that is cut gives what it gives in one go (trap 27)', () => {
  test.each(possible.map((of) => [of.name, of] as const))('%s', { timeout: 60_000 }, async (_, of) => {
    const at = cutsAt(of);

    const whole = await playCase(of);

    for (const [cut, play] of cutsOf(of, at)) expect(asText(await playCase(of, play)), cut).toEqual(asText(whole));
    for (const [name, play, cut] of otherPlays(of, whole, at))
      expect(asText(await playCase(of, cut)), name).toEqual(asText(await playCase(of, play)));
  });

  test(`at least ${CASES_AT_LEAST} cases are cut`, () => {
    expect(possible.length).toBeGreaterThanOrEqual(CASES_AT_LEAST);
  });
});
