import { describe, expect, test } from 'vitest';
import { seededRandom } from '../support/text-of-words.js';
import { buildTopology } from './build-topology.js';
import type { CaseInput, ProcessingCase } from './parity-case.js';
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

/**
 * The case, each of its records followed by one that is older than all of them: what holds updates back by time lets it go at once,
 * unless it has forgotten the time. The recorded inputs tell too little of it: most of them move time on themselves.
 */
function withLateRecords(of: ProcessingCase): ProcessingCase {
  const late = (input: CaseInput, index: number) => ('ts' in input ? [{ ...input, key: `late-${index}`, ts: 0 }] : []);
  return { ...of, inputs: of.inputs.flatMap((input, index) => [input, ...late(input, index)]) };
}

describe('a recorded suppression by time that is cut lets late records go as it does in one go (trap 27)', () => {
  const suppressed = possible.filter((of) => JSON.stringify(of.topology).includes('"timeLimit"'));

  test.each(suppressed.map((of) => [of.name, withLateRecords(of)] as const))(
    '%s',
    { timeout: 60_000 },
    async (_, of) => {
      const whole = await playCase(of);

      for (const [cut, play] of cutsOf(of, cutsAt(of)))
        expect(asText(await playCase(of, play)), cut).toEqual(asText(whole));
    },
  );

  test('of which there are some', () => {
    expect(suppressed.length).toBeGreaterThanOrEqual(4);
  });
});

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
