import { describe, expect, test } from 'vitest';
import type { ProcessingCase } from './parity-case.js';
import {
  byKey,
  contentOf,
  contrary,
  lastValues,
  ofPartition,
  PARTITIONS,
  staysInPartition,
  whyNotSpread,
} from './partition-plays.js';
import { type CaseOutcome, playCase } from './play-case.js';
import { recordedCases } from './recorded-cases.js';

/** Cases of each kind when this was written: fewer would mean that what decides it has gone blind. */
const AT_LEAST = { apart: 100, 'any order': 16, 'last values': 5 };

type Kind = keyof typeof AT_LEAST;

interface Spread {
  readonly of: ProcessingCase;
  readonly kind: Kind;
  readonly whole: CaseOutcome;
}

/** What of a case does not depend on how the records of several partitions meet; null: nothing. */
async function kindOf(of: ProcessingCase): Promise<Spread | null> {
  const whole = await playCase(of);
  if (staysInPartition(whole)) return { of, kind: 'apart', whole };
  const other = await playCase(contrary(of));
  if (isEqual(byKey(whole), byKey(other))) return { of, kind: 'any order', whole };
  return isEqual(lastValues(whole), lastValues(other)) ? { of, kind: 'last values', whole } : null;
}

function isEqual(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const text = (of: object) => JSON.stringify(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
}

const found = await Promise.all(
  recordedCases()
    .filter((of) => whyNotSpread(of) === undefined)
    .map(kindOf),
);
const spreads = found.filter((each): each is Spread => each !== null);
const named = (kind: Kind) => spreads.filter((each) => each.kind === kind).map((each) => [each.of.name, each] as const);
const spread = (of: ProcessingCase) => playCase(of, { options: { partitions: PARTITIONS } });

describe(`a recorded case in ${PARTITIONS} partitions`, () => {
  test.each(named('apart'))('%s: each partition is a case for itself', async (_, { of }) => {
    const parts: CaseOutcome[] = [];
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      parts.push(await playCase(ofPartition(of, partition)));

    const outcome = await spread(of);

    expect(byKey(outcome)).toEqual(byKey(...parts));
    expect(contentOf(outcome)).toEqual(contentOf(...parts));
    expect(outcome.failure).toBeUndefined();
  });

  test.each(named('any order'))(
    '%s: each key has the records that it has in one partition',
    async (_, { of, whole }) => {
      expect(byKey(await spread(of))).toEqual(byKey(whole));
    },
  );

  test.each(named('last values'))(
    '%s: each key comes to what it comes to in one partition',
    async (_, { of, whole }) => {
      expect(lastValues(await spread(of))).toEqual(lastValues(whole));
    },
  );

  test.each(Object.entries(AT_LEAST))('there are cases of the kind: %s, at least %i', (kind, count) => {
    expect(named(kind as Kind).length).toBeGreaterThanOrEqual(count);
  });
});
