/** A part of what kafka-records.long.ts does, on every run. */
import { expect, it } from 'vitest';
import { FUZZED_CODECS, fuzzBatches } from '../../support/record-batches/fuzz-batches.js';

const MUTATIONS = 1_500;
const SEED = 20_260_401;
const SLOW_MS = 5_000;

it.each(FUZZED_CODECS)('a mutated batch is read right or refused with a typed error: %s', async (codec) => {
  const { read, refused, slowestMs } = await fuzzBatches(codec, MUTATIONS, SEED);

  expect(refused).toBeGreaterThan(MUTATIONS / 10);
  expect(read).toBeGreaterThan(0);
  expect(slowestMs).toBeLessThan(SLOW_MS);
});
