/** Runs ordinary seeds on a product without one protection until a checker finds it wrong. */
import type { Mutant } from '../mutants/mutant.js';
import { RUN_MOST_MS } from './run-seeds.js';
import { bundleWorker } from './worker-bundle.js';
import { WorkerPool } from './worker-pool.js';

export interface CatchMutant {
  readonly mutant: Mutant;
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
  readonly onSeed?: (seed: number) => void;
}

export interface CaughtMutant {
  readonly seed: number;
  readonly checkers: readonly string[];
}

/** @returns the lowest seed that catches it, or null if none does */
export async function catchMutant({ mutant, from, seeds, jobs, onSeed }: CatchMutant): Promise<CaughtMutant | null> {
  const bundle = await bundleWorker([...(mutant.given ?? []), ...mutant.edits]);
  /** The product with its protection: a seed that fails there as well has not caught the mutant. */
  const sound = await bundleWorker(mutant.given);
  const pool = new WorkerPool({ file: bundle.file, workers: jobs });
  const soundPool = new WorkerPool({ file: sound.file, workers: 1 });
  const caught: CaughtMutant[] = [];
  let next = from;
  /** Seeds are begun in order and every one that was begun is brought to its end, so the lowest caught is the lowest there is. */
  const work = async () => {
    while (next < from + seeds && caught.length === 0) {
      const seed = next;
      next += 1;
      onSeed?.(seed);
      const { violations } = await pool.run({ type: 'run', seed }, RUN_MOST_MS);
      if (violations.length === 0) continue;
      const without = await soundPool.run({ type: 'run', seed }, RUN_MOST_MS);
      if (without.violations.length > 0) continue;
      caught.push({ seed, checkers: [...new Set(violations.map(({ checker }) => checker))] });
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
    return caught.sort((a, b) => a.seed - b.seed)[0] ?? null;
  } finally {
    pool.close();
    soundPool.close();
    await Promise.all([bundle.remove(), sound.remove()]);
  }
}
