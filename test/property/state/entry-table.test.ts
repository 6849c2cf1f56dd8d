import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ByteKey, PackedBytes } from '../../../lib/model/byte-key.js';
import { EntryTable, NONE } from '../../../lib/state/entry-table.js';
import { sortedEntries } from '../../../lib/state/sort-entries.js';

/** Sizes that share a chunk, and one that has a chunk of its own. */
const sizes = fc.oneof(
  { weight: 20, arbitrary: fc.nat(40) },
  { weight: 5, arbitrary: fc.nat(3_000) },
  { weight: 1, arbitrary: fc.constant(600_000) },
);
const change = fc.record({
  key: fc.nat(60),
  isLong: fc.boolean(),
  size: sizes,
  drop: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
});

const keyOf = ({ key, isLong }: { readonly key: number; readonly isLong: boolean }) =>
  `${isLong ? 'x'.repeat(300) : ''}${key.toString(7)}\u00ff\u0000`.slice(0, key % 5 === 0 ? undefined : -1) as ByteKey;

const textOf = (size: number, seed: number) =>
  Buffer.alloc(size, `${seed}\u00fe`, 'latin1').toString('latin1') as PackedBytes;

test('a table of entries is a map, whatever comes, changes its size and goes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 400 }), (changes) => {
      const table = new EntryTable();
      const model = new Map<ByteKey, { readonly value: string; readonly timestampMs: number; readonly note: number }>();
      for (const [at, { size, drop, ...of }] of changes.entries()) {
        const key = keyOf(of);
        const found = table.find(key);
        expect(found !== NONE).toBe(model.has(key));
        if (drop) {
          if (found !== NONE) table.remove(found, key);
          model.delete(key);
          continue;
        }
        const entry = found === NONE ? table.add(key, size, 1) : found;
        const value = textOf(size, at);
        table.setValue(entry, key, at % 2 === 0 ? value : Buffer.from(value, 'latin1'), at / 2, at);
        model.set(key, { value, timestampMs: at / 2, note: at });
      }

      expect(table.size).toBe(model.size);
      for (const [key, { value, timestampMs, note }] of model) {
        const entry = table.find(key);
        const read = table.read(entry, key);
        expect([
          read.value.toString('latin1') === value,
          read.timestampMs,
          table.note(entry),
          table.key(entry),
        ]).toEqual([true, timestampMs, note, key]);
      }
      expect([...sortedEntries(table)].map((entry) => table.key(entry))).toEqual([...model.keys()].sort());
    }),
    { numRuns: 60 },
  );
});

test('what was read stays as it was, whatever is written afterwards', () => {
  const table = new EntryTable();
  const entry = table.add('key' as ByteKey, 3, 0);
  table.setValue(entry, 'key' as ByteKey, 'one' as PackedBytes, 1, 0);
  const read = table.read(entry, 'key' as ByteKey);

  table.setValue(entry, 'key' as ByteKey, 'two' as PackedBytes, 2, 0);

  expect([read.value.toString(), read.timestampMs]).toEqual(['one', 1]);
});

test('memory held follows what lives: values that change their size over and over do not pile up', () => {
  const table = new EntryTable();
  const keys = Array.from({ length: 2_000 }, (_, at) => `key-${at}` as ByteKey);
  const entries = keys.map((key) => table.add(key, 100, 0));
  for (let round = 0; round < 40; round += 1) {
    for (const [at, key] of keys.entries()) {
      const value = textOf(50 + ((at * 7 + round * 13) % 200), round);
      table.setValue(entries[at] as number, key, value, round, 0);
    }
  }

  expect(table.heldBytes).toBeLessThan(2 * table.sizeBytes);
  for (const [at, key] of keys.entries()) table.remove(entries[at] as number, key);
  expect(table.sizeBytes).toBe(0);
});

test('a store of ten keys costs a few kilobytes', () => {
  const table = new EntryTable();
  for (let at = 0; at < 10; at += 1)
    table.setValue(table.add(`${at}` as ByteKey, 100, 0), `${at}` as ByteKey, textOf(100, at), 0, 0);

  expect(table.heldBytes).toBeLessThan(8_192);
});

test('keys sort as unsigned bytes, a key before those that it begins', () => {
  const anyKey = fc.string({ unit: fc.constantFrom('\u0000', 'a', 'b', '\u007f', '\u0080', '\u00ff'), maxLength: 12 });
  fc.assert(
    fc.property(
      fc.uniqueArray(anyKey, { maxLength: 80 }),
      fc.string({ unit: fc.constantFrom('a', '\u0080'), maxLength: 8 }),
      (keys, prefix) => {
        const table = new EntryTable();
        const all = keys.map((key) => `${prefix}${key}` as ByteKey);
        for (const key of all) table.add(key, 0, 0);

        expect([...sortedEntries(table)].map((entry) => table.key(entry))).toEqual([...all].sort());
      },
    ),
  );
});
