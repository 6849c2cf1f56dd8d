/** Many random placements, by Kafka Streams' assignor and by ours. */
import { expect, test } from 'vitest';
import { runRandomPlacements } from '../../parity/random/run-random-placements.js';

const STEPS = 5_000;

test(`${STEPS} random placements are Kafka Streams'`, async () => {
  const failures = await runRandomPlacements({ count: STEPS, from: 10_000 });

  expect(failures.map(({ seed, differences }) => `seed ${seed}: ${differences[0]}`)).toEqual([]);
});
