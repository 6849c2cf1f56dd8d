import { expect, test } from 'vitest';
import { andThen, forEachInOrder, isPromise } from '../../../lib/model/awaitable.js';

test('plain values are passed on at once, promised ones when they come', async () => {
  expect(andThen(1, (value) => value + 1)).toBe(2);
  expect(await andThen(Promise.resolve(1), (value) => value + 1)).toBe(2);
});

test('only what can be awaited counts as a promise', () => {
  expect(isPromise(Promise.resolve(1))).toBe(true);
  expect([null, undefined, 0, 'then', {}].map((value) => isPromise(value as unknown))).toEqual(Array(5).fill(false));
});

test('items are visited in order, without a promise as long as nobody returns one', async () => {
  const seen: number[] = [];
  expect(forEachInOrder([1, 2], (item) => void seen.push(item))).toBe(undefined);

  await forEachInOrder([3, 4, 5], async (item) => {
    await new Promise((resolve) => setTimeout(resolve, 6 - item));
    seen.push(item);
  });

  expect(seen).toEqual([1, 2, 3, 4, 5]);
});
