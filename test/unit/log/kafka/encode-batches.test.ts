import { describe, expect, it } from 'vitest';
import { crc32c } from '../../../../lib/host/node/crc32c.js';
import {
  type EncodeBatchesOptions,
  encodeBatches,
  NO_PRODUCER,
  sequenceAfter,
} from '../../../../lib/log/kafka/records/encode-batches.js';
import { readBatches } from '../../../../lib/log/kafka/records/read-batches.js';
import type { RecordCodec } from '../../../../lib/log/kafka/records/record-codec.js';
import { InvalidRecordError, InvalidSettingError, RecordTooLargeError } from '../../../../lib/model/errors.js';
import type { RecordSet } from '../../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../../lib/model/record-set-builder.js';
import { codecs, readOptions } from '../../../support/record-batches/read-options.js';
import { plainRecords, recordedBatch } from '../../../support/record-batches/recorded-batches.js';

function setOf(...records: readonly { key?: string | null; value?: string | Buffer | null; timestampMs?: number }[]) {
  const builder = new RecordSetBuilder();
  for (const { key = 'k', value = 'v', timestampMs = 5 } of records)
    builder.append(key === null ? null : Buffer.from(key), value === null ? null : Buffer.from(value), timestampMs);
  return builder.build();
}

function encode(records: RecordSet, changes: Partial<EncodeBatchesOptions> = {}) {
  return encodeBatches(records, {
    from: 0,
    to: records.size,
    producerId: 77n,
    producerEpoch: 3,
    baseSequence: 0,
    isTransactional: true,
    compression: undefined,
    maxBatchBytes: 1_000_000,
    digest: { crc32c },
    ...changes,
  });
}

/** What comes back when a broker has given the batches their offsets. */
function written(batches: readonly { readonly bytes: Buffer; readonly from: number }[]) {
  for (const { bytes, from } of batches) bytes.writeBigInt64BE(BigInt(from), 0);
  return readBatches(Buffer.concat(batches.map(({ bytes }) => bytes)), readOptions()).records;
}

const numbered = (count: number) =>
  setOf(...Array.from({ length: count }, (_, index) => ({ value: `value-${index}` })));

describe('writing record batches', () => {
  it.each(['noneRuns', 'noneRandom', 'oddTimestamps'])('writes byte for byte what Kafka writes: %s', (name) => {
    const { bytes } = recordedBatch(name);
    const { records } = readBatches(bytes, readOptions());

    const batches = encode(records);
    // The broker's fields: the base offset and the epoch of the leader.
    batches[0]?.bytes.writeBigInt64BE(1000n, 0);
    batches[0]?.bytes.writeInt32BE(5, 12);

    expect(batches.map((batch) => batch.bytes)).toEqual([bytes]);
  });

  it('keeps timestamps as they are: 0, −1, the largest, out of order', () => {
    const timestamps = [0, -1, 1_700_000_000_000, 1, -1, Number.MAX_SAFE_INTEGER, 0];

    const records = written(encode(setOf(...timestamps.map((timestampMs) => ({ timestampMs })))));

    expect([...records].map(({ timestampMs }) => timestampMs)).toEqual(timestamps);
  });

  it('begins another batch where the distance of two timestamps is no exact number', () => {
    const timestamps = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

    const batches = encode(setOf(...timestamps.map((timestampMs) => ({ timestampMs }))));

    expect(batches).toHaveLength(2);
    expect([...written(batches)].map(({ timestampMs }) => timestampMs)).toEqual(timestamps);
  });

  it.each([Number.NaN, 1.5, 2 ** 53, Number.POSITIVE_INFINITY])('refuses what is no timestamp: %d', (timestampMs) => {
    expect(() => encode(setOf({}, { timestampMs }))).toThrow(InvalidRecordError);
  });

  it('puts the largest timestamp into the header, wherever it is', () => {
    const [batch] = encode(setOf({ timestampMs: 5 }, { timestampMs: 9 }, { timestampMs: 7 }));

    expect(batch?.bytes.readBigInt64BE(27)).toBe(5n);
    expect(batch?.bytes.readBigInt64BE(35)).toBe(9n);
  });

  it('cuts batches below the bound, header included, and loses nothing', () => {
    const records = numbered(500);

    const batches = encode(records, { maxBatchBytes: 400 });

    expect(batches.length).toBeGreaterThan(20);
    for (const { bytes } of batches) expect(bytes.length).toBeLessThanOrEqual(400);
    expect(plainRecords(written(batches))).toEqual(plainRecords(records));
  });

  it('fills a batch to the last byte', () => {
    const records = numbered(3);
    const sizeBytes = encode(records)[0]?.bytes.length ?? 0;

    expect(encode(records, { maxBatchBytes: sizeBytes })).toHaveLength(1);
    expect(encode(records, { maxBatchBytes: sizeBytes - 1 })).toHaveLength(2);
  });

  it('writes only the records asked for', () => {
    const batches = encode(numbered(10), { from: 3, to: 5 });

    expect(batches).toMatchObject([{ from: 3, to: 5, baseSequence: 0 }]);
    expect([...written(batches)].map(({ value }) => String(value))).toEqual(['value-3', 'value-4']);
  });

  it('writes nothing when nothing is asked for', () => {
    expect(encode(numbered(10), { from: 4, to: 4 })).toEqual([]);
  });

  it('counts sequence numbers on over the batches, and from 0 after 2^31 − 1', () => {
    const batches = encode(numbered(100), { maxBatchBytes: 400, baseSequence: 2 ** 31 - 10 });

    let expected = 2 ** 31 - 10;
    for (const { bytes, from, to, baseSequence } of batches) {
      expect(baseSequence).toBe(expected);
      expect(bytes.readInt32BE(53)).toBe(expected);
      expected = (expected + to - from) % 2 ** 31;
    }
    expect(sequenceAfter(2 ** 31 - 1, 1)).toBe(0);
    expect(sequenceAfter(2 ** 31 - 2, 1)).toBe(2 ** 31 - 1);
  });

  it('writes the producer, and for plain writes none', () => {
    const [ours] = encode(numbered(1));
    const batches = encode(numbered(50), { ...NO_PRODUCER, isTransactional: false, maxBatchBytes: 300 });

    expect([ours?.bytes.readBigInt64BE(43), ours?.bytes.readInt16BE(51)]).toEqual([77n, 3]);
    expect(ours?.bytes.readInt16BE(21)).toBe(0x10);
    expect(batches.length).toBeGreaterThan(1);
    for (const { bytes } of batches) {
      expect([bytes.readBigInt64BE(43), bytes.readInt16BE(51), bytes.readInt32BE(53)]).toEqual([-1n, -1, -1]);
      expect(bytes.readInt16BE(21)).toBe(0);
    }
  });

  it('refuses a record that no batch can hold, and says which (trap 35)', () => {
    const records = setOf({}, { key: 'the-large-one', value: 'x'.repeat(1_000) });

    expect(() => encode(records, { maxBatchBytes: 500 })).toThrow(
      expect.objectContaining({
        code: 'STREAMS_RECORD_TOO_LARGE',
        details: expect.objectContaining({ index: 1, key: 'the-large-one', valueBytes: 1_000, maxBytes: 500 }),
      }),
    );
  });
});

describe('a set with records that are too large', () => {
  const codec = codecs.byName('gzip') as RecordCodec;
  const refusedOf = (records: RecordSet, changes: Partial<EncodeBatchesOptions>) => {
    try {
      return encode(records, { maxBatchBytes: 500, ...changes }).length;
    } catch (error) {
      return error instanceof RecordTooLargeError ? error.refused : error;
    }
  };
  const noise = () => Array.from({ length: 2_000 }, (_, index) => (index * 7_919 + index ** 2) % 997).join('');

  it('is refused with the names of all of them', () => {
    const records = setOf({ value: 'a' }, { value: 'x'.repeat(600) }, { value: 'b' }, { value: 'y'.repeat(700) });

    expect(refusedOf(records, {})).toEqual([1, 3]);
    expect(refusedOf(records, { compression: codec })).toBe(4);
    expect(refusedOf(setOf({ value: 'x'.repeat(600) }, { value: noise() }), { compression: codec })).toEqual([1]);
  });

  it('is written in batches as small as the topic is known to take, but one record is tried alone', () => {
    const records = setOf({ value: 'x'.repeat(30) }, { value: 'y'.repeat(300) }, { value: 'z'.repeat(30) });

    const batches = encode(records, { maxBatchBytes: 1_000, packBytes: 200 });

    expect(batches.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });
});

describe('compressing record batches', () => {
  const writable = (['gzip', 'snappy', 'lz4'] as const).map((name) => codecs.byName(name) as RecordCodec);

  it.each(writable)('makes them smaller and readable again: $name', (compression) => {
    const records = numbered(1_000);

    const batches = encode(records, { compression });

    expect(batches[0]?.bytes.length).toBeLessThan((encode(records)[0]?.bytes.length ?? 0) / 1.5);
    expect(batches[0]?.bytes.readInt16BE(21)).toBe(0x10 | compression.id);
    expect(plainRecords(written(batches))).toEqual(plainRecords(records));
  });

  it.each(writable)('leaves a batch as it is when it would become larger: $name', (compression) => {
    const [batch] = encode(setOf({ key: null, value: '' }), { compression });

    expect(batch?.bytes.readInt16BE(21)).toBe(0x10);
  });

  it.each(writable)('takes a record that fits when it is compressed: $name', (compression) => {
    const records = setOf({ value: 'x'.repeat(5_000) });

    const batches = encode(records, { compression, maxBatchBytes: 500 });

    expect(plainRecords(written(batches))).toEqual(plainRecords(records));
    expect(() => encode(records, { compression, maxBatchBytes: 80 })).toThrow(RecordTooLargeError);
  });

  it('refuses a codec that can only be read', () => {
    const readOnly: RecordCodec = { id: 4, name: 'zstd', decompress: (bytes) => bytes, compress: undefined };

    expect(() => encode(numbered(1), { compression: readOnly })).toThrow(InvalidSettingError);
  });
});
