import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_PERMUTED, permutationNumber, permutationOf } from '../../../lib/task/permutation.js';

const counted = (length: number) => Array.from({ length }, (_, each) => each);

test('the order in which things are counted is 0, the reverse of many is still exact', () => {
  expect(permutationNumber(counted(5))).toBe(0);
  expect(permutationNumber([1, 0])).toBe(1);
  const reverse = counted(MAX_PERMUTED).reverse();
  expect(Number.isSafeInteger(permutationNumber(reverse))).toBe(true);
  expect(permutationOf(permutationNumber(reverse), MAX_PERMUTED)).toEqual(reverse);
});

test('every order has a number of its own, from which it comes back', () => {
  const orders = fc
    .integer({ min: 0, max: MAX_PERMUTED })
    .chain((length) => fc.shuffledSubarray(counted(length), { minLength: length, maxLength: length }));
  fc.assert(
    fc.property(orders, (order) => {
      expect(permutationOf(permutationNumber(order), order.length)).toEqual(order);
    }),
  );
  const all = counted(24).map((number) => permutationOf(number, 4)?.join());
  expect(new Set(all).size).toBe(24);
});

test('a number that so few things cannot have is none of their orders', () => {
  expect(permutationOf(24, 4)).toBeNull();
  expect(permutationOf(1, 0)).toBeNull();
});
