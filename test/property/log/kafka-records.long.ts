/**
 * 100,000 mutations of real batches for each decoder: right or refused, soon, and in bounded memory. `FUZZ_SEED` takes another
 * seed; the one of a failure is in its message.
 */
import { expect, it } from 'vitest';
import { FUZZED_CODECS, fuzzBatches } from '../../support/record-batches/fuzz-batches.js';

const MUTATIONS = 100_000;
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const MAX_HEAP_BYTES = 256 * 1024 * 1024;
const SLOW_MS = 5_000;

it.each(FUZZED_CODECS)('100,000 mutated batches are read right or refused, in bounded memory: %s', async (codec) => {
  const residentBefore = process.resourceUsage().maxRSS * 1024;

  const figures = await fuzzBatches(codec, MUTATIONS, SEED);

  const residentGrowth = process.resourceUsage().maxRSS * 1024 - residentBefore;
  console.log(JSON.stringify({ codec, seed: SEED, ...figures, residentGrowth }));
  expect(figures.read).toBeGreaterThan(0);
  expect(figures.refused).toBeGreaterThan(MUTATIONS / 10);
  expect(figures.slowestMs).toBeLessThan(SLOW_MS);
  expect(figures.peakHeapBytes).toBeLessThan(MAX_HEAP_BYTES);
  // What was taken and given back within one call is in this one.
  expect(residentGrowth).toBeLessThan(MAX_HEAP_BYTES);
});
