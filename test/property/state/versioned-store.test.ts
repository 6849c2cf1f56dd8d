import fc from 'fast-check';
import { expect, test } from 'vitest';
import { string } from '../../../lib/serde/string-serde.js';
import type { VersionedKeyValueStore, VersionedRecord } from '../../../lib/state/state-store.js';
import { versionedStore } from '../../../lib/topology/windowed-stores.js';
import { DrivenStore, Levels } from '../../support/windowed-stores.js';

const RETENTION_MS = 10_000;
const TIMES = Array.from({ length: 25 }, (_, index) => index * 2_000);
// One key is the beginning of another, and the rest of that looks like a time.
const KEYS = ['a', `a${'\u0000'.repeat(8)}`, 'b'];

/** Every version ever accepted, and the greatest timestamp. */
interface Model {
  readonly versions: ReadonlyMap<string, ReadonlyMap<number, string | null>>;
  readonly streamTimeMs: number;
}

const EMPTY: Model = { versions: new Map(), streamTimeMs: -1 };

function newestUpTo({ versions }: Model, key: string, toMs: number): VersionedRecord<string> | null {
  const times = [...(versions.get(key)?.keys() ?? [])].filter((timeMs) => timeMs <= toMs);
  const timestampMs = Math.max(...times);
  const value = versions.get(key)?.get(timestampMs) ?? null;
  return value === null ? null : { value, timestampMs };
}

function asOf(model: Model, key: string, timeMs: number): VersionedRecord<string> | null {
  if (timeMs >= model.streamTimeMs - RETENTION_MS) return newestUpTo(model, key, timeMs);
  const newest = newestUpTo(model, key, Number.POSITIVE_INFINITY);
  return newest !== null && newest.timestampMs <= timeMs ? newest : null;
}

function put(model: Model, key: string, value: string | null, timestampMs: number) {
  if (timestampMs < model.streamTimeMs - RETENTION_MS) return { model, answer: { isPut: false, validToMs: null } };
  const of = new Map(model.versions.get(key)).set(timestampMs, value);
  const later = [...of.keys()].filter((timeMs) => timeMs > timestampMs);
  return {
    model: {
      versions: new Map(model.versions).set(key, of),
      streamTimeMs: Math.max(model.streamTimeMs, timestampMs),
    },
    answer: { isPut: true, validToMs: later.length === 0 ? null : Math.min(...later) },
  };
}

const step = fc.record({
  do: fc.constantFrom('put', 'put', 'put', 'delete', 'seal', 'commit', 'rollback'),
  key: fc.constantFrom(...KEYS),
  value: fc.option(fc.constantFrom('', '1', '2'), { nil: null, freq: 4 }),
  timestampMs: fc.constantFrom(...TIMES),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Plays steps on both, and holds every answer on the way to the model's. */
async function play(steps: readonly Step[]) {
  const spec = versionedStore({ name: 'v', key: string(), value: string(), historyRetention: RETENTION_MS });
  const real = new DrivenStore<VersionedKeyValueStore<string, string>>(spec);
  const levels = new Levels(EMPTY);
  for (const { do: what, key, value, timestampMs } of steps) {
    if (levels.play(what, real)) continue;
    const expected = put(levels.now, key, what === 'put' ? value : null, timestampMs);
    if (what === 'put') expect(await real.store.put(key, value, timestampMs)).toEqual(expected.answer);
    else {
      const before = expected.answer.isPut ? asOf(levels.now, key, timestampMs) : null;
      expect(await real.store.delete(key, timestampMs)).toEqual(before);
    }
    levels.now = expected.model;
  }
  return { real, model: levels.now };
}

async function expectAlike(store: VersionedKeyValueStore<string, string>, model: Model): Promise<void> {
  for (const key of KEYS) {
    expect(await store.get(key)).toEqual(newestUpTo(model, key, Number.POSITIVE_INFINITY));
    for (const timeMs of TIMES) {
      expect(await store.get(key, timeMs)).toEqual(asOf(model, key, timeMs));
      expect(await store.get(key, timeMs + 999)).toEqual(asOf(model, key, timeMs + 999));
    }
  }
}

test('a versioned store answers as a plain map of all versions does, whatever was committed or taken back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { real, model } = await play(steps);

      await expectAlike(real.store, model);
    }),
    { numRuns: 200 },
  );
});

test('any snapshot and the changelog after it restore the same history as the whole changelog', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { real, model } = await play(steps);
      real.commitAll();

      for (const store of real.restored()) await expectAlike(store, model);
    }),
    { numRuns: 60 },
  );
});

test('an image holds the newest version of each key and the history that retention covers, however much was written', async () => {
  const spec = versionedStore({ name: 'v', key: string(), value: string(), historyRetention: RETENTION_MS });
  const real = new DrivenStore<VersionedKeyValueStore<string, string>>(spec);

  await real.store.put('quiet', 'x', 1);
  for (let timestampMs = 0; timestampMs < 100 * RETENTION_MS; timestampMs += 1_000) {
    await real.store.put('busy', 'y', timestampMs);
    await real.store.put('gone', timestampMs === 0 ? 'z' : null, timestampMs);
    real.commitAll();
  }

  expect(real.imageSize).toBeLessThanOrEqual(2 * (RETENTION_MS / 1_000 + 4) + 1);
  expect(await real.store.get('quiet')).toEqual({ value: 'x', timestampMs: 1 });
});
