import { describe, expect, it } from 'vitest';
import type { AbortedTransaction } from '../../../../lib/log/kafka/records/aborted-transactions.js';
import { readBatches } from '../../../../lib/log/kafka/records/read-batches.js';
import { CorruptRecordError } from '../../../../lib/model/errors.js';
import { offset } from '../../../../lib/model/offset.js';
import {
  CONTROL,
  handMadeBatch,
  handMadeMarker,
  handMadeTransaction,
  TRANSACTIONAL,
} from '../../../support/record-batches/hand-made-batch.js';
import { readOptions } from '../../../support/record-batches/read-options.js';
import { recordedBatch } from '../../../support/record-batches/recorded-batches.js';

const A = 11n;
const B = 22n;
const ABORT = 0;
const COMMIT = 1;
const record = handMadeTransaction;
const marker = handMadeMarker;

function read(log: readonly Buffer[], abortedTransactions: readonly AbortedTransaction[], fromOffset = 0) {
  const result = readBatches(Buffer.concat(log), readOptions({ abortedTransactions, fromOffset: offset(fromOffset) }));
  return {
    values: [...result.records].map(({ value }) => Buffer.from(value ?? []).toString()),
    nextOffset: result.nextOffset,
  };
}

describe('records of aborted transactions', () => {
  it('are skipped when two overlap and the later one is aborted first', () => {
    const log = [
      record(0, A, 'a0'),
      record(1, B, 'b1'),
      record(2, A, 'a2'),
      marker(3, B, ABORT),
      record(4, A, 'a4'),
      marker(5, A, ABORT),
      record(6, B, 'kept'),
      marker(7, B, COMMIT),
    ];

    // In the order of their ends, as a broker sends them: not of their beginnings.
    const aborted = [
      { producerId: B, firstOffset: 1 },
      { producerId: A, firstOffset: 0 },
    ];

    expect(read(log, aborted)).toEqual({ values: ['kept'], nextOffset: 8 });
  });

  it('are skipped in turn with committed ones of the same producer', () => {
    const log: Buffer[] = [];
    const aborted: AbortedTransaction[] = [];
    for (let base = 0; base < 15; base += 5) {
      aborted.push({ producerId: A, firstOffset: base });
      log.push(record(base, A, 'lost', 'lost'), marker(base + 2, A, ABORT));
      log.push(record(base + 3, A, `kept-${base}`), marker(base + 4, A, COMMIT));
    }

    expect(read(log, aborted)).toEqual({ values: ['kept-0', 'kept-5', 'kept-10'], nextOffset: 15 });
  });

  it('are skipped although one of them has the bytes of an abort marker as its key', () => {
    const keys = [1, 0, 2, 3].map((key) => Buffer.from([0, 0, 0, key]));
    const log = [
      ...keys.map((key, index) =>
        handMadeBatch({
          baseOffset: index,
          producerId: A,
          attributes: TRANSACTIONAL,
          records: [{ key, value: 'lost' }],
        }),
      ),
      marker(4, A, ABORT),
      handMadeBatch({
        baseOffset: 5,
        producerId: A,
        attributes: TRANSACTIONAL,
        records: [{ key: keys[1] as Buffer, value: 'kept' }],
      }),
      marker(6, A, COMMIT),
    ];

    expect(read(log, [{ producerId: A, firstOffset: 0 }])).toEqual({ values: ['kept'], nextOffset: 7 });
  });

  it('are skipped over many fetches when the transaction is longer than one', () => {
    const log = Array.from({ length: 100 }, (_, index) => record(index, A, 'lost'));
    log.push(marker(100, A, ABORT), record(101, A, 'kept'), marker(102, A, COMMIT));
    const aborted = [{ producerId: A, firstOffset: 0 }];
    const values: string[] = [];

    let at = 0;
    let fetches = 0;
    for (; at < 103; fetches += 1) {
      const result = read(log.slice(at, at + 7), at <= 100 ? aborted : [], at);
      values.push(...result.values);
      expect(result.nextOffset).toBeGreaterThan(at);
      at = result.nextOffset;
    }

    expect({ values, at, fetches }).toEqual({ values: ['kept'], at: 103, fetches: 15 });
  });

  it('take offsets: [aborted 0 … 4, abort 5] is read to 6 (trap 2)', () => {
    const log = [record(0, A, 'l', 'o', 's', 't', '!'), marker(5, A, ABORT)];

    expect(read(log, [{ producerId: A, firstOffset: 0 }])).toEqual({ values: [], nextOffset: 6 });
  });

  it('do not take others with them: another producer, a plain write of the same one', () => {
    const log = [
      record(0, A, 'lost'),
      record(1, B, 'of another'),
      handMadeBatch({ baseOffset: 2, producerId: A, records: [{ value: 'not of a transaction' }] }),
      handMadeBatch({ baseOffset: 3, records: [{ value: 'of nobody' }] }),
    ];

    expect(read(log, [{ producerId: A, firstOffset: 0 }]).values).toEqual([
      'of another',
      'not of a transaction',
      'of nobody',
    ]);
  });

  it('begin at their first offset: a committed transaction before is kept', () => {
    const log = [record(0, A, 'kept'), marker(1, A, COMMIT), record(2, A, 'lost')];

    expect(read(log, [{ producerId: A, firstOffset: 2 }]).values).toEqual(['kept']);
  });

  it('are not ended by a commit marker', () => {
    const log = [record(0, A, 'lost'), marker(1, A, COMMIT), record(2, A, 'lost too')];

    expect(read(log, [{ producerId: A, firstOffset: 0 }]).values).toEqual([]);
  });

  it('are ended by the marker that Kafka writes', () => {
    const log = [record(998, 77n, 'lost', 'lost'), recordedBatch('abortMarker').bytes, record(1001, 77n, 'kept')];

    expect(read(log, [{ producerId: 77n, firstOffset: 998 }])).toEqual({ values: ['kept'], nextOffset: 1002 });
  });

  it('are not ended by a marker whose record compaction has taken', () => {
    const emptied = handMadeBatch({
      baseOffset: 1,
      producerId: A,
      attributes: TRANSACTIONAL | CONTROL,
      lastOffsetDelta: 0,
    });

    expect(
      read([record(0, A, 'lost'), emptied, record(2, A, 'lost too')], [{ producerId: A, firstOffset: 0 }]),
    ).toEqual({
      values: [],
      nextOffset: 3,
    });
  });

  it('are not guessed at when a marker can not be read', () => {
    const noType = handMadeBatch({
      producerId: A,
      attributes: TRANSACTIONAL | CONTROL,
      records: [{ key: Buffer.from([0, 0]), value: '' }],
    });

    expect(() => read([noType], [{ producerId: A, firstOffset: 0 }])).toThrow(CorruptRecordError);
  });
});
