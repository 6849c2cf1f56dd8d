import process from 'node:process';
import { expect, it } from 'vitest';
import { reportFailure, whatDidNotHold } from './runner/report.js';
import { runSeeds } from './runner/run-seeds.js';

/** The first ones, unless `SIMULATION_FROM` asks for others: fresh ones in each run once thousands hold in one go again. */
const from = Number(process.env.SIMULATION_FROM ?? 1);
const seeds = Number(process.env.SIMULATION_SEEDS ?? 200);
/** Besides the runs themselves: those that make failures smaller. */
const MOST_MS = 900_000;

it(
  `${seeds} seeds hold under every checker`,
  async () => {
    console.log(`again: npm run simulate -- --from ${from} --seeds ${seeds}`);

    const outcome = await runSeeds({ from, seeds });

    for (const failed of outcome.shrunk) console.log(await reportFailure(failed));
    expect(outcome.tally.seeds).toBe(seeds);
    expect(whatDidNotHold(outcome)).toEqual([]);
  },
  MOST_MS,
);
