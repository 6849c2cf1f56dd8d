import { expect, it } from 'vitest';
import { javaHashCode, javaHashSetOrder } from '../../../lib/topology/java-hash-order.js';

it("hashes text as Java's String.hashCode", () => {
  expect(javaHashCode('')).toBe(0);
  expect(javaHashCode('hello')).toBe(99_162_322);
  expect(javaHashCode('polygenelubricants')).toBe(-2_147_483_648);
});

it('orders by bucket, and within one by insertion', () => {
  expect(javaHashSetOrder(['in1', 'in2'])).toEqual(['in2', 'in1']); // as recorded: topics [in2, in1]
  expect(javaHashSetOrder(['Aa', 'BB'])).toEqual(['Aa', 'BB']); // one hash
  expect(javaHashSetOrder(['BB', 'Aa'])).toEqual(['BB', 'Aa']);
});

it('names each name once', () => {
  expect(javaHashSetOrder(['a', 'b', 'a'])).toHaveLength(2);
});
