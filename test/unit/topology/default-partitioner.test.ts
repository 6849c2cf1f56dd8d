import { expect, it } from 'vitest';
import { defaultPartition } from '../../../lib/topology/default-partitioner.js';

// Recorded keys are compared in test/parity/topology.test.ts.
it('gives the key of trap 31 the partition that Java gives it', () => {
  expect(defaultPartition(Buffer.from('100:48069'), null, 12)).toBe(9);
});

it('sends a record without key where its value says, each time', () => {
  const value = Buffer.from('hello');

  expect(defaultPartition(null, value, 12)).toBe(defaultPartition(value, null, 12));
  expect(defaultPartition(null, null, 12)).toBe(0);
});

it('does not take an empty key for none', () => {
  expect(defaultPartition(Buffer.alloc(0), Buffer.from('hello'), 7)).toBe(2);
});
