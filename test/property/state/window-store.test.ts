import fc from 'fast-check';
import { expect, test } from 'vitest';
import { string } from '../../../lib/serde/string-serde.js';
import type { WindowStore } from '../../../lib/state/state-store.js';
import { windowStore } from '../../../lib/topology/windowed-stores.js';
import { compacted, DrivenStore, Levels, listed } from '../../support/windowed-stores.js';

const RETENTION_MS = 100_000;
const SEGMENT_MS = 60_000;

interface Entry {
  readonly key: string;
  readonly startMs: number;
  readonly sequence: number;
  readonly value: string;
}

/** A plain list that is filtered and sorted for each answer. */
interface Model {
  readonly entries: readonly Entry[];
  readonly streamTimeMs: number;
  readonly sequence: number;
}

const EMPTY: Model = { entries: [], streamTimeMs: -1, sequence: 0 };

/** The model after a put, or with its time alone where it came too late. Nulls among duplicates mean something in memory alone. */
function put(
  model: Model,
  { key, startMs, value }: Put,
  { duplicates, inMemory }: { readonly duplicates: boolean; readonly inMemory: boolean },
): { model: Model; isPut: boolean } {
  const sequence = model.sequence + (duplicates ? 1 : 0);
  if (value === null && duplicates && !inMemory) return { model: { ...model, sequence }, isPut: true };
  const streamTimeMs = Math.max(model.streamTimeMs, startMs);
  if (startMs <= streamTimeMs - RETENTION_MS) return { model: { ...model, streamTimeMs, sequence }, isPut: false };
  const others = model.entries.filter((entry) => duplicates || entry.key !== key || entry.startMs !== startMs);
  const entries = value === null ? others : [...others, { key, startMs, sequence, value }];
  return { model: { entries, streamTimeMs, sequence }, isPut: true };
}

interface Question {
  readonly fromMs: number;
  readonly toMs: number;
  readonly inMemory: boolean;
  readonly wants?: (key: string) => boolean;
}

function list({ entries, streamTimeMs }: Model, { fromMs, toMs, inMemory, wants }: Question): readonly string[] {
  return entries
    .filter(({ key, startMs }) => wants?.(key) !== false && startMs >= fromMs && startMs <= toMs)
    .filter(({ startMs }) => startMs > streamTimeMs - RETENTION_MS)
    .sort(inMemory ? byTime : bySegment)
    .map(({ key, startMs, value }) => `${key}@${startMs}=${value}`);
}

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byTime = (a: Entry, b: Entry) => a.startMs - b.startMs || text(a.key, b.key) || a.sequence - b.sequence;
const bySegment = (a: Entry, b: Entry) =>
  Math.floor(a.startMs / SEGMENT_MS) - Math.floor(b.startMs / SEGMENT_MS) ||
  text(a.key, b.key) ||
  a.startMs - b.startMs ||
  a.sequence - b.sequence;

interface Put {
  readonly do: 'put';
  readonly key: string;
  readonly startMs: number;
  readonly value: string | null;
}
type Step = Put | { readonly do: 'seal' | 'commit' | 'rollback' };

const time = fc.integer({ min: 0, max: 30 }).map((units) => units * 10_000);
const anyPut = fc.record({
  do: fc.constant('put' as const),
  key: fc.constantFrom('a', 'b', 'c'),
  startMs: time,
  value: fc.option(fc.constantFrom('1', '2', '3'), { nil: null, freq: 3 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: anyPut },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('seal', 'seal', 'commit', 'commit', 'rollback') }) },
);

function driven(retainDuplicates: boolean, inMemory: boolean) {
  const options = { name: 'w', key: string(), value: string(), windowSize: '1s', retention: RETENTION_MS } as const;
  return new DrivenStore<WindowStore<string, string>>(windowStore({ ...options, retainDuplicates, inMemory }));
}

async function play(steps: readonly Step[], duplicates: boolean, inMemory: boolean) {
  const real = driven(duplicates, inMemory);
  const levels = new Levels(EMPTY);
  let expired = 0;
  for (const each of steps) {
    if (levels.play(each.do, real) || each.do !== 'put') continue;
    await real.store.put(each.key, each.value, each.startMs);
    const { model, isPut } = put(levels.now, each, { duplicates, inMemory });
    levels.now = model;
    if (!isPut) expired += 1;
  }
  return { real, model: levels.now, expired };
}

const shown = ({ key: at, value }: { key: { key: string; window: { startMs: number } }; value: string }) =>
  `${at.key}@${at.window.startMs}=${value}`;

async function expectAlike(store: WindowStore<string, string>, model: Model, inMemory = false): Promise<void> {
  const all = list(model, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, inMemory });
  expect((await listed(store.all())).map(shown)).toEqual(all);
  expect((await listed(store.backwardAll())).map(shown)).toEqual([...all].reverse());
}

test('a window store answers as a plain list does, whatever was committed or taken back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      time,
      time,
      async (steps, duplicates, inMemory, fromMs, toMs) => {
        const { real, model, expired } = await play(steps, duplicates, inMemory);
        const of = { fromMs, toMs, inMemory };

        await expectAlike(real.store, model, inMemory);
        expect(real.expired).toBe(expired);
        expect((await listed(real.store.fetchAll(fromMs, toMs))).map(shown)).toEqual(list(model, of));
        const fromB = list(model, { ...of, wants: (key) => key >= 'b' });
        expect((await listed(real.store.fetchRange('b', null, fromMs, toMs))).map(shown)).toEqual(fromB);
        const ofOne = list(model, { ...of, wants: (key) => key === 'a' });
        const values = (await listed(real.store.fetch('a', fromMs, toMs))).map(
          ({ startMs, value }) => `a@${startMs}=${value}`,
        );
        const backward = await listed(real.store.backwardFetch('a', fromMs, toMs));
        expect(values).toEqual(ofOne);
        expect(backward.map(({ startMs, value }) => `a@${startMs}=${value}`)).toEqual([...ofOne].reverse());
      },
    ),
    { numRuns: 300 },
  );
});

test('any snapshot and the changelog after it restore the same windows as the whole changelog, cleaned or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, duplicates) => {
      const { real, model } = await play(steps, duplicates, false);
      real.commitAll();

      for (const store of real.restored()) await expectAlike(store, model);
      const [fromCleanedLog] = real.restored(compacted);
      if (fromCleanedLog !== undefined) await expectAlike(fromCleanedLog, model);
    }),
    { numRuns: 150 },
  );
});

test('an image holds what retention covers and a segment more, however much was written (trap 15)', async () => {
  const real = driven(false, false);

  for (let startMs = 0; startMs < 50 * RETENTION_MS; startMs += 10_000) {
    await real.store.put('a', 'x', startMs);
    real.commitAll();
  }

  expect(real.imageSize).toBeLessThanOrEqual((RETENTION_MS + SEGMENT_MS) / 10_000);
});
