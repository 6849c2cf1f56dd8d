/** Many random cases, answered by Kafka Streams and by this library. */
import { expect, test } from 'vitest';
import { isRandomKind } from '../../parity/random/random-kind.js';
import { runRandom } from '../../parity/random/run-random.js';

const CASES = { processing: 3_000, processors: 1_500, topology: 3_000 };

test.each(Object.entries(CASES))('many random cases of %s have Kafka Streams’ answer', async (kind, count) => {
  if (!isRandomKind(kind)) throw new Error(`there are no random cases of ${kind}`);

  const failures = await runRandom({ kind, count, from: 10_000, smaller: true });

  expect(failures.map(({ seed, differences }) => `seed ${seed}: ${differences[0]}`)).toEqual([]);
});
