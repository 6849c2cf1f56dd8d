import { describe, expect, test } from 'vitest';
import { recordedCases } from './recorded-cases.js';
import { runProcessingCase } from './run-case.js';

const cases = recordedCases();

/** Cases that could be built when this was written: fewer would mean that an operator was lost. */
const CASES_AT_LEAST = 135;

const answers = await Promise.all(cases.map(async (each) => [each.name, await runProcessingCase(each)] as const));
const possible = answers.filter(([, differences]) => !differences[0]?.startsWith('missing operator'));

describe('Kafka Streams 4.1.1 and this library give the same answer', () => {
  test.each(possible)('%s', (_, differences) => {
    expect(differences).toEqual([]);
  });

  test(`at least ${CASES_AT_LEAST} cases use only operators that there are`, () => {
    expect(possible.length).toBeGreaterThanOrEqual(CASES_AT_LEAST);
  });
});
