import type { SimulateOptions } from './options.js';
import { endProgress, showProgress } from './progress.js';
import { reportFailure, reportTally, whatDidNotHold } from './report.js';
import { runSeeds, type SeedsOutcome } from './run-seeds.js';
import type { Tally } from './tally.js';

/** Runs many seeds and prints what came of them. @returns the exit code */
export async function runSeedsMode({ from, seeds, jobs, json }: SimulateOptions): Promise<number> {
  const startedMs = Date.now();
  const outcome = await runSeeds({
    from,
    seeds,
    jobs,
    onDone: (done, failed) => showProgress(`${done} of ${seeds} seeds, ${failed} failed`),
  });
  endProgress();
  const { tally, failed, shrunk } = outcome;
  const wrong = whatDidNotHold(outcome);
  for (const result of shrunk) console.log(`${await reportFailure(result)}\n`);
  console.log(`${reportTally(tally)} in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  if (json) console.log(JSON.stringify(jsonOf(from, outcome)));
  console.log(`${tally.seeds} seeds, ${tally.violations} violations`);
  console.log(wrong.length === 0 ? 'all held' : `NOT all held: ${wrong.join('; ')}`);
  return wrong.length === 0 && failed.length === 0 ? 0 : 1;
}

function jsonOf(from: number, { tally, failed }: SeedsOutcome) {
  const plain = (tallied: Tally) =>
    Object.fromEntries(
      Object.entries(tallied).map(([name, value]: [string, unknown]) => [
        name,
        value instanceof Map ? Object.fromEntries(value) : value,
      ]),
    );
  return { from, ...plain(tally), failed: failed.map(({ seed, violations }) => ({ seed, violations })) };
}
