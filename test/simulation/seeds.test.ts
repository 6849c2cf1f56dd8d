import process from 'node:process';
import { expect, it } from 'vitest';
import { reportFailure, whatDidNotHold } from './runner/report.js';
import { runSeeds } from './runner/run-seeds.js';

/** Other seeds in each run, from the second in which it begins, unless `SIMULATION_FROM` asks for those of another one. */
const from = Number(process.env.SIMULATION_FROM ?? Math.floor(Date.now() / 1_000));
const seeds = Number(process.env.SIMULATION_SEEDS ?? 200);
/** Besides the runs themselves: those that make failures smaller. */
const MOST_MS = 900_000;

it(
  `${seeds} fresh seeds hold under every checker`,
  async () => {
    console.log(`again: npm run simulate -- --from ${from} --seeds ${seeds}`);

    const outcome = await runSeeds({ from, seeds });

    for (const failed of outcome.shrunk) console.log(await reportFailure(failed));
    expect(outcome.tally.seeds).toBe(seeds);
    expect(whatDidNotHold(outcome)).toEqual([]);
  },
  MOST_MS,
);
