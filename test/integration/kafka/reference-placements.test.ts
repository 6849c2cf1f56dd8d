/** Kafka Streams itself places tasks: recorded steps, and random ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AssignmentCase, AssignmentStep } from '../../parity/assignment-input.js';
import { expectedOf } from '../../parity/random/placement-answers.js';
import { ReferenceProcess } from '../../parity/random/reference-process.js';
import { runRandomPlacements } from '../../parity/random/run-random-placements.js';

const folder = new URL('../../parity/cases/assignment/', import.meta.url);
const RANDOM_STEPS = 150;

test('the Java program gives the recorded placements', { timeout: 300_000 }, async () => {
  const steps = readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as AssignmentCase)
    .flatMap((of) => ('steps' in of ? of.steps : [of]));
  const reference = await ReferenceProcess.start('Placements');
  const answers: AssignmentStep[] = [];
  for (const of of steps) answers.push(await reference.answer(withinNumbers(of)));
  await reference.end();

  expect(answers.length).toBeGreaterThan(200);
  expect(answers.map(expectedOf)).toEqual(steps.map(expectedOf));
});

test(`${RANDOM_STEPS} random placements are Kafka Streams'`, { timeout: 300_000 }, async () => {
  const failures = await runRandomPlacements({ count: RANDOM_STEPS, from: 1 });

  expect(failures.map(({ seed, differences }) => `seed ${seed}: ${differences[0]}`)).toEqual([]);
});

/** Java's greatest number can not be written back as it was read. */
function withinNumbers(of: AssignmentStep): AssignmentStep {
  const lag = Math.min(of.config['acceptable.recovery.lag'], Number.MAX_SAFE_INTEGER);
  return { ...of, config: { ...of.config, 'acceptable.recovery.lag': lag } };
}
