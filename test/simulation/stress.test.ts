import { expect, it } from 'vitest';
import { optionsOf, runStress } from '../support/simulation/stress-run.js';

const ROUNDS = 40;

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'nothing is lost, repeated, left open or held by the dead after faults of every kind (seed %i)',
  async (seed) => {
    expect(await runStress(optionsOf(seed, ROUNDS))).toEqual([]);
  },
);
