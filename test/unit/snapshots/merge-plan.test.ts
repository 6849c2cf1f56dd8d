import { describe, expect, test } from 'vitest';
import type { ByteKey } from '../../../lib/model/byte-key.js';
import { DELTAS_MAX, deltasAfter, FAN, isWholeMerge, planMerge } from '../../../lib/snapshots/merge-plan.js';
import type { SegmentReference } from '../../../lib/snapshots/segment-format.js';

const MB = 1024 * 1024;

function segment(level: 'base' | 'delta', sizeBytes: number, keys: string, mergedTo?: string): SegmentReference {
  const [firstKey = '', lastKey = ''] = keys.split('-');
  return {
    ...{ name: `${level} ${keys}`, sizeBytes, entries: 1, codec: 0, crc: 0, level },
    ...{ firstKey: firstKey as ByteKey, lastKey: lastKey as ByteKey },
    ...(mergedTo === undefined ? {} : { mergedTo: mergedTo as ByteKey }),
  };
}

const bases = ['a-c', 'd-f', 'g-i', 'j-l'].map((keys) => segment('base', 64 * MB, keys));
const deltas = (count: number, sizeBytes: number) =>
  Array.from({ length: count }, () => segment('delta', sizeBytes, 'a-z'));

describe('a plan of what is merged', () => {
  test('is nothing while deltas are few and small', () => {
    expect(planMerge([...bases, ...deltas(FAN - 2, 10_000)], 10_000)).toEqual({ deltas: 0, base: null });
  });

  test('is all deltas of one size when there are enough, and those that they come to the size of', () => {
    const larger = deltas(FAN - 1, 80_000);

    expect(planMerge([...bases, ...deltas(3, 80_000), ...deltas(FAN - 1, 10_000)], 10_000).deltas).toBe(FAN - 1);
    expect(planMerge([...bases, ...larger, ...deltas(FAN - 1, 10_000)], 10_000).deltas).toBe(2 * (FAN - 1));
  });

  test('leaves a delta alone that is much larger than those after it', () => {
    expect(planMerge([...bases, segment('delta', 30 * MB, 'a-z'), ...deltas(3, 1_000)], 1_000).deltas).toBe(0);
  });

  test('is what a step takes where there are very many, whatever their sizes', () => {
    const uneven = Array.from({ length: DELTAS_MAX }, (_, number) =>
      segment('delta', 1_000 * (DELTAS_MAX - number), 'a-z'),
    );

    expect(planMerge([...bases, ...uneven], 10).deltas).toBe(DELTAS_MAX);
    expect(planMerge([...bases, ...uneven], 10, 10_000).deltas).toBe(3);
  });

  test('is a piece of the base once deltas have come to half of it, and goes on where the one before ended', () => {
    const large = [segment('delta', 130 * MB, 'a-z')];

    const first = planMerge([...bases, ...large], 1_000);
    const second = planMerge([...bases, segment('delta', 130 * MB, 'a-z', 'g')], 1_000);

    expect(first.base).toEqual({ first: 0, end: 2, from: null, to: 'g' });
    expect(second.base).toEqual({ first: 2, end: 4, from: 'g', to: null });
    expect([isWholeMerge(first), isWholeMerge(second)]).toEqual([false, false]);
  });

  test('goes on with a round that has begun, however small the deltas are by now', () => {
    const plan = planMerge([...bases, segment('delta', 10, 'a-z', 'j'), ...deltas(2, 10)], 10);

    expect(plan.base).toEqual({ first: 3, end: 4, from: 'j', to: null });
  });

  test('is at least one segment of the base, though that is more than a step', () => {
    expect(planMerge([...bases, ...deltas(1, 200 * MB)], 1, MB).base).toMatchObject({ first: 0, end: 1 });
  });

  test('is the whole store where that is no more than a step', () => {
    const plan = planMerge([segment('base', MB, 'a-c'), segment('delta', MB, 'a-z')], 1);

    expect(isWholeMerge(plan)).toBe(true);
  });

  test('drops deltas that have gone through a round, not those that came after its beginning', () => {
    const old = segment('delta', 1, 'a-b', 'g');
    const young = segment('delta', 1, 'a-b');

    const between = deltasAfter([old, young], { first: 2, end: 3, from: 'g' as ByteKey, to: 'j' as ByteKey });
    const atEnd = deltasAfter([old, young], { first: 2, end: 4, from: 'g' as ByteKey, to: null });

    expect(between.map(({ mergedTo }) => mergedTo)).toEqual(['j', undefined]);
    expect(atEnd).toEqual([young]);
  });
});
