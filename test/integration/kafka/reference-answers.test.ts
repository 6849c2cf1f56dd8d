/** Kafka Streams itself answers cases: those that are recorded, and random ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProcessingCase } from '../../parity/parity-case.js';
import { isRandomKind } from '../../parity/random/random-kind.js';
import { ReferenceProcess } from '../../parity/random/reference-process.js';
import { runRandom } from '../../parity/random/run-random.js';
import type { TopologyCase } from '../../parity/topology-cases.js';

const topologies = new URL('../../parity/cases/topology/', import.meta.url);
const folder = new URL('../../parity/cases/processing/', import.meta.url);
/** Those of hundreds of inputs take longer than they tell. */
const MAX_INPUTS = 60;
const RANDOM_CASES = { processing: 40, processors: 40, topology: 150 };

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

test('the Java program gives the recorded answers of topologies', { timeout: 60_000 }, async () => {
  const cases = readdirSync(topologies)
    .map((file) => JSON.parse(readFileSync(new URL(file, topologies), 'utf8')) as TopologyCase)
    .filter((of) => 'partitions' in of);
  const reference = await ReferenceProcess.start();
  const answers: TopologyCase[] = [];
  for (const of of cases) answers.push(await reference.answer(of));
  await reference.end();

  expect(answers.length).toBeGreaterThan(25);
  expect(answers).toEqual(cases);
});

test.each(Object.entries(RANDOM_CASES))(
  'random cases of %s have Kafka Streams’ answer',
  { timeout: 300_000 },
  async (kind, count) => {
    if (!isRandomKind(kind)) throw new Error(`there are no random cases of ${kind}`);

    const failures = await runRandom({ kind, count, from: 1, smaller: false });

    expect(failures.map(({ seed, differences }) => `seed ${seed}: ${differences[0]}`)).toEqual([]);
  },
);

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
