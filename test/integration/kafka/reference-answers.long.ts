/** Many random cases, answered by Kafka Streams and by this library. */
import { expect, test } from 'vitest';
import { runRandom } from '../../parity/random/run-random.js';

const CASES = 3_000;

test(`${CASES} random cases have Kafka Streams' answer`, async () => {
  const failures = await runRandom({ count: CASES, from: 10_000, smaller: true });

  expect(failures.map(({ seed, differences }) => `seed ${seed}: ${differences[0]}`)).toEqual([]);
});
