/** Many seeds over all workers, added up; what fails is made smaller. */
import { availableParallelism } from 'node:os';
import { addTo, type Tally, tallyOf } from './tally.js';
import { bundleWorker } from './worker-bundle.js';
import type { SeedResult } from './worker-jobs.js';
import { WorkerPool } from './worker-pool.js';

/** Longest real time of one run: a hundred times what one takes. */
export const RUN_MOST_MS = 60_000;
/** Failed seeds that are made smaller and shown; the others are named. */
const SHRUNK_MOST = 3;
/** Shrinking takes as many runs as one may need. */
const SHRINKING_MOST_MS = 300_000;

export interface RunSeeds {
  readonly from: number;
  readonly seeds: number;
  readonly jobs?: number;
  readonly onDone?: (done: number, failed: number) => void;
}

export interface SeedsOutcome {
  readonly tally: Tally;
  /** In order of their seeds. */
  readonly failed: readonly SeedResult[];
  /** The first of the failed, made smaller. */
  readonly shrunk: readonly SeedResult[];
}

export async function runSeeds({
  from,
  seeds,
  jobs = availableParallelism(),
  onDone,
}: RunSeeds): Promise<SeedsOutcome> {
  const bundle = await bundleWorker();
  const pool = new WorkerPool({ file: bundle.file, workers: jobs });
  try {
    const tally = tallyOf();
    const failed: SeedResult[] = [];
    const run = async (seed: number) => {
      const result = await pool.run({ type: 'run', seed }, RUN_MOST_MS);
      addTo(tally, result);
      if (result.violations.length > 0) failed.push(result);
      onDone?.(tally.seeds, failed.length);
    };
    await Promise.all(Array.from({ length: seeds }, (_, index) => run(from + index)));
    failed.sort((a, b) => a.seed - b.seed);
    const shrink = async (result: SeedResult): Promise<SeedResult> => {
      const smaller = await pool.run({ type: 'shrink', seed: result.seed }, SHRINKING_MOST_MS);
      // One that holds when it is run again has failed by the machine, such as one that stood still: what was seen is shown as it was.
      return smaller.violations.length > 0 ? smaller : result;
    };
    const shrunk = await Promise.all(failed.slice(0, SHRUNK_MOST).map(shrink));
    return { tally, failed, shrunk };
  } finally {
    pool.close();
    await bundle.remove();
  }
}
