import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteKey, bytesOfKey } from '../../../lib/model/byte-key.js';
import type { Headers } from '../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';

const bytes = fc.option(
  fc.uint8Array({ maxLength: 300 }).map((part) => Buffer.from(part)),
  { nil: null },
);
const record = fc.record({
  key: bytes,
  value: bytes,
  timestampMs: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
  headers: fc.array(fc.record({ key: fc.string(), value: bytes }), { maxLength: 2 }) as fc.Arbitrary<Headers>,
});

test('a set holds the records that were appended, and a builder that was used before holds nothing of them', () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 150 }), fc.array(record, { maxLength: 5 }), (first, second) => {
      const builder = new RecordSetBuilder();
      for (const records of [first, second]) {
        for (const { key, value, timestampMs, headers } of records) builder.append(key, value, timestampMs, headers);
        const set = builder.build();

        expect([...set]).toEqual(records.map((each, offset) => ({ ...each, offset })));
      }
    }),
  );
});

test('a slice holds the records between its ends', () => {
  const range = fc.tuple(fc.array(record, { maxLength: 20 }), fc.nat({ max: 20 }), fc.nat({ max: 20 }));
  fc.assert(
    fc.property(range, ([records, one, other]) => {
      const from = Math.min(one, other, records.length);
      const to = Math.min(Math.max(one, other), records.length);
      const builder = new RecordSetBuilder();
      for (const { key, value, timestampMs, headers } of records) builder.append(key, value, timestampMs, headers);

      const slice = builder.build().slice(from, to);

      expect([...slice].map(({ key, value }) => ({ key, value }))).toEqual(
        records.slice(from, to).map(({ key, value }) => ({ key, value })),
      );
    }),
  );
});

test('a store key is written as the bytes it stands for', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (key) => {
      const builder = new RecordSetBuilder();
      builder.append(byteKey(key), null, 0);

      expect(Buffer.compare(builder.build().key(0) ?? Buffer.alloc(0), Buffer.from(key))).toBe(0);
    }),
  );
});

test('store keys compare as unsigned bytes and come back as the bytes they were', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (one, other) => {
      const left = byteKey(one);
      const right = byteKey(other);

      expect(left < right ? -1 : left > right ? 1 : 0).toBe(Buffer.compare(one, other));
      expect(Buffer.compare(bytesOfKey(left), one)).toBe(0);
    }),
  );
});
