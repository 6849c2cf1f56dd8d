import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../../../lib/host/node/crc32c.js';
import { encodeBatches } from '../../../lib/log/kafka/records/encode-batches.js';
import { readBatches } from '../../../lib/log/kafka/records/read-batches.js';
import { offset } from '../../../lib/model/offset.js';
import type { Headers } from '../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { codecs, readOptions } from '../../support/record-batches/read-options.js';
import { plainRecords } from '../../support/record-batches/recorded-batches.js';
import { referenceRead } from '../../support/record-batches/reference-reader.js';

const NAMES = (['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const).filter(
  (name) => name === 'none' || codecs.byName(name)?.compress !== undefined,
);
const MAX_BATCH_BYTES = 3_000;

const random = fc.uint8Array({ maxLength: 300 });
const repetitive = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.nat({ max: 80 }));
const bytes = fc.option(
  fc.oneof(
    random,
    repetitive.map(([part, times]) => Buffer.concat(new Array<Uint8Array>(times).fill(part))),
  ),
  { nil: null },
);
const timestamp = fc.oneof(fc.constantFrom(0, -1, Number.MAX_SAFE_INTEGER), fc.maxSafeInteger(), fc.nat());
const record = fc.record({
  key: bytes,
  value: bytes,
  timestampMs: timestamp,
  headers: fc.array(fc.record({ key: fc.string({ unit: 'grapheme' }), value: bytes }), { maxLength: 2 }),
});
const records = fc.array(record, { maxLength: 60 });

function build(
  all: readonly { key: Uint8Array | null; value: Uint8Array | null; timestampMs: number; headers: Headers }[],
) {
  const builder = new RecordSetBuilder();
  for (const { key, value, timestampMs, headers } of all) builder.append(key, value, timestampMs, headers);
  return builder.build();
}

test.each(NAMES)('what is written as batches is read as it was, here and by the reference: %s', (name) => {
  fc.assert(
    fc.property(records, fc.nat({ max: 70 }), (all, fromOffset) => {
      const set = build(all);
      const batches = encodeBatches(set, {
        from: 0,
        to: set.size,
        producerId: 1n,
        producerEpoch: 0,
        baseSequence: 0,
        isTransactional: true,
        compression: codecs.byName(name),
        maxBatchBytes: MAX_BATCH_BYTES,
        digest: { crc32c },
      });
      for (const batch of batches) batch.bytes.writeBigInt64BE(BigInt(batch.from), 0);
      const log = Buffer.concat(batches.map((batch) => batch.bytes));

      const read = readBatches(log, readOptions({ fromOffset: offset(fromOffset) }));

      expect(batches.every((batch) => batch.bytes.length <= MAX_BATCH_BYTES)).toBe(true);
      expect(plainRecords(read.records)).toEqual(plainRecords(set.slice(Math.min(fromOffset, set.size), set.size)));
      expect(read.nextOffset).toBe(Math.max(fromOffset, set.size));
      expect(referenceRead(log).records).toEqual(plainRecords(set));
    }),
  );
});

test.each(['snappy', 'lz4'] as const)('whatever bytes are compressed, they come out again: %s', (name) => {
  const codec = codecs.byName(name);
  const parts = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 5_000 }),
      repetitive.map(([part, times]) => Buffer.alloc(times * 1_000, part)),
    ),
  );
  fc.assert(
    fc.property(parts, (all) => {
      const plain = Buffer.concat(all);

      const compressed = codec?.compress?.(plain) ?? Buffer.alloc(0);

      expect(codec?.decompress(compressed, plain.length).equals(plain)).toBe(true);
    }),
  );
});
