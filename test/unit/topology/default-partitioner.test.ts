import { expect, it } from 'vitest';
import { defaultPartition } from '../../../lib/topology/default-partitioner.js';

// Recorded keys are compared in test/parity/topology.test.ts.
/** Keys in hexadecimal, and the partitions among 12 and 7 that Kafka's own `BuiltInPartitioner` (4.1.1) gives them. */
const ofJava: readonly (readonly [string, number, number])[] = [
  ['3130303a3438303639', 9, 0], // 100:48069
  ['', 9, 2],
  ['00', 8, 0],
  ['ff', 3, 5],
  ['80', 8, 1],
  ['0000', 6, 5],
  ['ff00ff', 0, 5],
  ['00000000', 4, 6],
  ['80000000', 6, 2],
  ['ffffffff7f', 2, 4],
  ['deadbeef', 3, 5],
  ['c3a6c3b8', 5, 2],
  ['ffffffffffffffff', 5, 3],
  ['fffefdfcfbfaf9f8f7f6f5', 11, 2],
];

it.each(ofJava)(
  "gives the key '%s' the partitions that Java gives it, be it binary or empty (trap 31)",
  (hex, of12, of7) => {
    const key = Buffer.from(hex, 'hex');

    expect([defaultPartition(key, null, 12), defaultPartition(key, null, 7)]).toEqual([of12, of7]);
  },
);

it('sends a record without key where its value says, each time', () => {
  const value = Buffer.from('hello');

  expect(defaultPartition(null, value, 12)).toBe(defaultPartition(value, null, 12));
  expect(defaultPartition(null, null, 12)).toBe(0);
});

it('does not take an empty key for none (trap 31)', () => {
  expect(defaultPartition(Buffer.alloc(0), Buffer.from('hello'), 7)).toBe(2);
});
