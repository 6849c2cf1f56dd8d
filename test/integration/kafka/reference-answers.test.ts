/** Kafka Streams itself answers cases: those that are recorded, and random ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProcessingCase } from '../../parity/parity-case.js';
import { ReferenceProcess } from '../../parity/random/reference-process.js';
import { runRandom } from '../../parity/random/run-random.js';

const folder = new URL('../../parity/cases/processing/', import.meta.url);
/** Those of hundreds of inputs take longer than they tell. */
const MAX_INPUTS = 60;
const RANDOM_CASES = 40;

test('the Java program gives the recorded answers', { timeout: 300_000 }, async () => {
  const cases = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as ProcessingCase)
    .filter(({ inputs }) => inputs.length <= MAX_INPUTS);
  const reference = await ReferenceProcess.start();
  const answers: ProcessingCase[] = [];
  for (const of of cases) answers.push(await reference.answer(of));
  await reference.end();

  expect(answers.length).toBeGreaterThan(100);
  expect(answers.map(answerOf)).toEqual(cases.map(answerOf));
});

test(`${RANDOM_CASES} random cases have Kafka Streams' answer`, { timeout: 300_000 }, async () => {
  const failures = await runRandom({ count: RANDOM_CASES, from: 1, smaller: false });

  expect(failures.map(({ seed, differences }) => `seed ${seed}: ${differences[0]}`)).toEqual([]);
});

/** What an answer consists of; an error's text may be cut, and stores that are empty need not be listed. */
function answerOf(of: ProcessingCase) {
  const { name, topologyDescription, outputs, repartitions, changelogs, opaqueInternalTopics, queries, errorAt } = of;
  const stores = Object.fromEntries(Object.entries(of.stores ?? {}).filter(([, entries]) => entries.length > 0));
  return {
    name,
    topologyDescription,
    outputs,
    stores,
    repartitions,
    changelogs,
    opaqueInternalTopics,
    queries,
    errorAt,
  };
}
