import { describe, expect, it } from 'vitest';
import { readBatches } from '../../../../lib/log/kafka/records/read-batches.js';
import { CorruptRecordError, UnsupportedRecordFormatError } from '../../../../lib/model/errors.js';
import { offset } from '../../../../lib/model/offset.js';
import {
  handMadeBatch,
  handMadeMarker,
  handMadeRecord,
  handMadeTransaction,
  LOG_APPEND_TIME,
  varint,
  withChecksum,
} from '../../../support/record-batches/hand-made-batch.js';
import { readOptions } from '../../../support/record-batches/read-options.js';
import { plainRecords, recordedBatch } from '../../../support/record-batches/recorded-batches.js';

const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());

describe('reading record batches', () => {
  it.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'].flatMap((codec) => [`${codec}Runs`, `${codec}Random`]))(
    'gives the records that Kafka wrote: %s',
    (name) => {
      const { bytes, records } = recordedBatch(name);

      const read = readBatches(bytes, readOptions());

      expect(plainRecords(read.records)).toEqual(records);
      expect(read.nextOffset).toBe(1000 + records.length);
    },
  );

  it.each(['logAppendTime', 'deleteHorizon', 'oddTimestamps'])(
    'keeps timestamps as they are in the log: %s',
    (name) => {
      const { bytes, records } = recordedBatch(name);

      expect(plainRecords(readBatches(bytes, readOptions()).records)).toEqual(records);
    },
  );

  it('takes the timestamp of the batch when the broker has set it', () => {
    const records = [{ timestampDelta: 5 }, { timestampDelta: -7 }];
    const byClient = handMadeBatch({ records });
    const byBroker = handMadeBatch({ records, attributes: LOG_APPEND_TIME });

    expect([...readBatches(byClient, readOptions()).records].map(({ timestampMs }) => timestampMs)).toEqual([
      1005, 993,
    ]);
    expect([...readBatches(byBroker, readOptions()).records].map(({ timestampMs }) => timestampMs)).toEqual([
      2000, 2000,
    ]);
  });

  it('tells null keys, values and header values from empty ones', () => {
    const records = [
      { key: null, value: '' },
      { key: '', value: null },
      {
        key: 'k',
        value: 'v',
        headers: [
          ['twice', null],
          ['twice', ''],
          ['ærø', 'x'],
        ] as const,
      },
    ];

    const read = [...readBatches(handMadeBatch({ records }), readOptions()).records];

    expect(read.map(({ key, value }) => [text(key), text(value)])).toEqual([
      [null, ''],
      ['', null],
      ['k', 'v'],
    ]);
    expect(read.map(({ headers }) => headers.map((header) => [header.key, text(header.value)]))).toEqual([
      [],
      [],
      records[2]?.headers,
    ]);
  });

  it('does not copy keys and values of batches that are not compressed', () => {
    const bytes = Buffer.concat([
      handMadeBatch({ records: [{ key: 'a', value: 'b' }] }),
      handMadeBatch({ baseOffset: 1, records: [{ key: 'c', value: 'd' }] }),
    ]);

    const { records } = readBatches(bytes, readOptions());

    expect(records.size).toBe(2);
    expect(records.bytes).toBe(bytes);
  });

  it('reads batches of several codecs as one set', () => {
    const gap = handMadeBatch({ baseOffset: 1200, records: [{ key: 'k', value: 'between' }] });
    const late = recordedBatch('lz4Runs').bytes;
    late.writeBigInt64BE(2000n, 0);

    const { records, nextOffset } = readBatches(
      Buffer.concat([recordedBatch('gzipRuns').bytes, gap, late]),
      readOptions(),
    );

    expect(records.size).toBe(201);
    expect(text(records.value(100))).toBe('between');
    expect(plainRecords(records).slice(101)).toEqual(
      recordedBatch('lz4Runs').records.map(([at, ...rest]) => [at + 1000, ...rest]),
    );
    expect(nextOffset).toBe(2100);
  });

  it('leaves out records below the first offset wanted, and still moves on', () => {
    const bytes = handMadeBatch({
      baseOffset: 10,
      records: [{ key: 'a' }, { key: 'b', headers: [['h', 'b']] }, { key: 'c' }],
    });

    const middle = readBatches(bytes, readOptions({ fromOffset: offset(11) }));
    const beyond = readBatches(bytes, readOptions({ fromOffset: offset(20) }));

    expect([...middle.records].map((record) => [record.offset, text(record.key), record.headers.length])).toEqual([
      [11, 'b', 1],
      [12, 'c', 0],
    ]);
    expect(beyond).toMatchObject({ records: { size: 0 }, nextOffset: 20 });
  });

  it('moves over a batch whose records compaction has taken, also when it comes alone (trap 1)', () => {
    const { bytes } = recordedBatch('empty');

    expect(readBatches(bytes, readOptions({ fromOffset: offset(1000) }))).toMatchObject({
      records: { size: 0 },
      nextOffset: 1042,
    });
  });

  it('reads on behind the last offset a batch was written with, not behind its last record', () => {
    const bytes = handMadeBatch({ baseOffset: 5, lastOffsetDelta: 9, records: [{ offsetDelta: 3 }] });

    const { records, nextOffset } = readBatches(bytes, readOptions());

    expect([...records].map((record) => record.offset)).toEqual([8]);
    expect(nextOffset).toBe(15);
  });

  it('ends behind a commit marker: [data 0, commit 1] is read to 2 (trap 2)', () => {
    const bytes = Buffer.concat([handMadeTransaction(0, 7n, 'data'), handMadeMarker(1, 7n, 1)]);

    expect(readBatches(bytes, readOptions())).toMatchObject({ records: { size: 1 }, nextOffset: 2 });
    expect(readBatches(bytes, readOptions({ fromOffset: offset(1) }))).toMatchObject({
      records: { size: 0 },
      nextOffset: 2,
    });
  });

  it('hides control records from a reader of uncommitted records too', () => {
    const bytes = Buffer.concat([handMadeTransaction(0, 7n, 'lost'), handMadeMarker(1, 7n, 0)]);
    const abortedTransactions = [{ producerId: 7n, firstOffset: 0 }];

    const read = readBatches(bytes, readOptions({ isolation: 'readUncommitted', abortedTransactions }));

    expect([...read.records].map(({ value }) => text(value))).toEqual(['lost']);
    expect(read.nextOffset).toBe(2);
  });

  it('leaves a last batch that is cut off to the next read, wherever it is cut', () => {
    const whole = handMadeTransaction(0, 7n, 'one', 'two');
    const next = handMadeTransaction(2, 7n, 'three');

    for (let length = 0; length < next.length; length += 1) {
      const read = readBatches(Buffer.concat([whole, next.subarray(0, length)]), readOptions());
      expect(read).toMatchObject({ records: { size: 2 }, nextOffset: 2 });
    }
  });

  it('answers nothing to nothing', () => {
    const read = readBatches(Buffer.alloc(0), readOptions({ fromOffset: offset(9) }));

    expect(read).toMatchObject({ records: { size: 0 }, nextOffset: 9 });
  });

  it('stops when it has decompressed enough, and goes on where it stopped', () => {
    const codec = readOptions().codecs.byName('gzip');
    const batch = (baseOffset: number) =>
      handMadeBatch({
        baseOffset,
        attributes: 1,
        count: 1,
        body: codec?.compress?.(handMadeRecord({ value: Buffer.alloc(10_000_000) })) ?? Buffer.alloc(0),
      });
    const bytes = Buffer.concat([batch(0), batch(1), batch(2)]);

    const first = readBatches(bytes, readOptions());
    const second = readBatches(bytes, readOptions({ fromOffset: first.nextOffset }));

    expect([...first.records].map((record) => record.offset)).toEqual([0, 1]);
    expect(first.nextOffset).toBe(2);
    expect([...second.records].map((record) => record.offset)).toEqual([2]);
  });

  it('reads a batch of 200,000 records', () => {
    const records = Array.from({ length: 200_000 }, (_, index) => ({ key: `${index}` }));

    const read = readBatches(handMadeBatch({ records }), readOptions());

    expect(read).toMatchObject({ records: { size: 200_000 }, nextOffset: 200_000 });
    expect(text(read.records.key(199_999))).toBe('199999');
  });
});

describe('bytes that are no log', () => {
  const one = { key: 'k', value: 'v' };
  const wrong: Readonly<Record<string, Buffer>> = {
    'not one whole batch': handMadeBatch({ records: [one] }).subarray(0, 65),
    'a few bytes': Buffer.from([0, 0, 1]),
    'a length shorter than the header': lengthSet(handMadeBatch({ records: [one] }), 20),
    'a negative length': lengthSet(handMadeBatch({ records: [one] }), -1),
    'an unknown format': handMadeBatch({ records: [one], magic: 3 }),
    'a negative base offset': handMadeBatch({ records: [one], baseOffset: -1 }),
    'an offset beyond 2^53': handMadeBatch({ records: [one], baseOffset: 2n ** 53n }),
    'a last offset beyond 2^53': handMadeBatch({ records: [one], baseOffset: 2n ** 53n - 2n, lastOffsetDelta: 3 }),
    'a last offset before the first': handMadeBatch({ records: [one], lastOffsetDelta: -1 }),
    'batches that overlap': Buffer.concat([handMadeTransaction(0, 7n, 'a', 'b'), handMadeTransaction(1, 7n, 'c')]),
    'more records than bytes': handMadeBatch({ records: [one], count: 2 ** 31 - 1 }),
    'a negative count': handMadeBatch({ records: [one], count: -1 }),
    'fewer records than bytes': handMadeBatch({ records: [one, one, one], count: 2 }),
    'an offset twice': handMadeBatch({ records: [one, { offsetDelta: 0 }] }),
    'an offset beyond its batch': handMadeBatch({ records: [one, { offsetDelta: 2 }] }),
    'a key beyond its record': withBody(
      Buffer.concat([varint(8), Buffer.from([0, 0, 0]), varint(900), Buffer.alloc(7)]),
    ),
    'a value beyond its record': withBody(Buffer.from([16, 0, 0, 0, 1, 100, 0, 0, 0])),
    'a record longer than its batch': withBody(Buffer.concat([varint(900), Buffer.alloc(20)])),
    'a record of negative length': withBody(Buffer.concat([varint(-5), Buffer.alloc(20)])),
    'a record shorter than its parts': withBody(Buffer.from([10, 0, 0, 0, 1, 1, 0, 0])),
    'an integer without end': withBody(Buffer.alloc(20, 0xff)),
    'a negative number of headers': withBody(Buffer.from([12, 0, 0, 0, 1, 1, 1, 0])),
    'more headers than bytes': withBody(Buffer.concat([varint(10), Buffer.from([0, 0, 0, 1, 1]), varint(2 ** 31 - 1)])),
    'a header without a name': withBody(Buffer.from([16, 0, 0, 0, 1, 1, 2, 1, 1])),
    'a header beyond its record': withBody(Buffer.from([16, 0, 0, 0, 1, 1, 2, 0, 100])),
  };

  it.each(Object.entries(wrong))('are refused as corrupt: %s', (_, bytes) => {
    expect(() => readBatches(bytes, readOptions())).toThrow(CorruptRecordError);
  });

  it('are found by the checksum, whichever bit has changed', () => {
    const bytes = handMadeBatch({ records: [{ key: 'k', value: 'v' }] });

    for (let bit = 17 * 8; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => readBatches(changed, readOptions())).toThrow('checksum');
    }
  });

  it.each(['magic0', 'magic1'])('are told from records of old formats: %s', (name) => {
    expect(() => readBatches(recordedBatch(name).bytes, readOptions())).toThrow(UnsupportedRecordFormatError);
  });

  it.each([5, 6, 7])('are told from records of a codec that Kafka does not have: %i', (attributes) => {
    expect(() => readBatches(handMadeBatch({ records: [one], attributes }), readOptions())).toThrow(
      UnsupportedRecordFormatError,
    );
  });

  it.each([2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n])(
    'are told from timestamps that no number holds: %s',
    (timestamp) => {
      const far = { baseTimestampMs: timestamp, records: [one] };
      const delta = { baseTimestampMs: 0, records: [{ ...one, timestampDelta: timestamp }] };

      expect(() => readBatches(handMadeBatch(far), readOptions())).toThrow(UnsupportedRecordFormatError);
      expect(() => readBatches(handMadeBatch(delta), readOptions())).toThrow(UnsupportedRecordFormatError);
    },
  );
});

function withBody(body: Buffer): Buffer {
  return handMadeBatch({ body, count: 1 });
}

function lengthSet(bytes: Buffer, length: number): Buffer {
  bytes.writeInt32BE(length, 8);
  return withChecksum(bytes);
}
