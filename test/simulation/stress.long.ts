/** As stress.test.ts, over many seeds: `STRESS_FROM` and `STRESS_SEEDS` in the environment say which. */
import { expect, it } from 'vitest';
import { optionsOf, runStress } from '../support/simulation/stress-run.js';

const FROM = Number(process.env.STRESS_FROM ?? 1);
const SEEDS = Number(process.env.STRESS_SEEDS ?? 1_000);
const ROUNDS = 120;

it('nothing is lost, repeated, left open or held by the dead after faults of every kind, whatever the seed', async () => {
  const wrong: Record<number, readonly string[]> = {};
  for (let seed = FROM; seed < FROM + SEEDS; seed += 1) {
    const problems = await runStress(optionsOf(seed, ROUNDS));
    if (problems.length > 0) wrong[seed] = problems;
  }
  expect(wrong).toEqual({});
});
