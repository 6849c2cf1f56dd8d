import { describe, expect, test } from 'vitest';
import { playCase } from './play-case.js';
import { recordedCases } from './recorded-cases.js';
import { asText, cutOnce, cutsOf, otherPlays, whyNotCut } from './restart-plays.js';

const cases = recordedCases().filter((of) => whyNotCut(of) === undefined);

describe('a recorded case gives what it gives in one go', () => {
  test.each(cases.map((of) => [of.name, of] as const))(
    '%s, cut at every input',
    { timeout: 600_000 },
    async (_, of) => {
      const whole = await playCase(of);
      const every = new Set(of.inputs.keys());

      for (const [cut, play] of cutsOf(of, every)) expect(asText(await playCase(of, play)), cut).toEqual(asText(whole));
      for (const [name, play, cut] of otherPlays(of, whole, every))
        expect(asText(await playCase(of, cut)), name).toEqual(asText(await playCase(of, play)));
    },
  );

  test.each(cases.map((of) => [of.name, of] as const))(
    '%s, cut once, at each input',
    { timeout: 600_000 },
    async (_, of) => {
      const whole = asText(await playCase(of));

      for (const at of of.inputs.keys()) {
        for (const play of cutOnce(of, at))
          expect(asText(await playCase(of, play)), `before input ${at}`).toEqual(whole);
      }
    },
  );
});
