/** Events of Kafka event source mappings become doorbells, whatever form keys, values and headers have. */
import type { MSKEvent, SelfManagedKafkaEvent } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTaskEvent } from '../../../lib/lambda/task-event.js';
import { InvalidPayloadError } from '../../../lib/model/errors.js';

const decode = (event: unknown) => decodeTaskEvent(event, 'word-count');

const record = {
  topic: 'lines',
  partition: 0,
  offset: 15,
  timestamp: 1_545_084_650_987,
  timestampType: 'CREATE_TIME' as const,
  key: 'a2V5',
  value: 'dmFsdWU=',
  headers: [{ trace: [97, 98] }],
};

const msk: MSKEvent = {
  eventSource: 'aws:kafka',
  eventSourceArn: 'arn:aws:kafka:eu-west-1:111122223333:cluster/a/b',
  bootstrapServers: 'b-1:9094,b-2:9094',
  records: { 'lines-0': [record, { ...record, offset: 17 }], 'lines-3': [{ ...record, partition: 3, offset: 0 }] },
};

const selfManaged: SelfManagedKafkaEvent = {
  eventSource: 'SelfManagedKafka',
  bootstrapServers: 'broker:9092',
  records: { 'my-lines-0': [{ ...record, topic: 'my-lines' }] },
};

const withRecord = (fields: object) => ({ ...msk, records: { 'lines-0': [{ ...record, ...fields }] } });

describe('the event of a Kafka event source mapping', () => {
  it('from MSK names each partition once, up to behind its last record', () => {
    expect(decode(msk)).toEqual({
      type: 'doorbell',
      applicationId: 'word-count',
      expiresAtMs: Number.MAX_SAFE_INTEGER,
      partitions: [
        { topic: 'lines', partition: 0, toOffset: 18 },
        { topic: 'lines', partition: 3, toOffset: 1 },
      ],
    });
  });

  it('from self-managed Kafka is read alike, dashes in topic names included', () => {
    expect(decode(selfManaged)).toMatchObject({ partitions: [{ topic: 'my-lines', partition: 0, toOffset: 16 }] });
  });

  it('from self-managed Kafka under its older name rings too', () => {
    expect(decode({ ...selfManaged, eventSource: 'aws:SelfManagedKafka' })).toEqual(decode(selfManaged));
  });

  it.each([
    ['a null value', { value: null }],
    ['a missing value', { value: undefined }],
    ['an empty value', { value: '' }],
    ['a null key', { key: null }],
    ['a missing key', { key: undefined }],
    ['an empty key', { key: '' }],
    ['a value that is no base64', { value: '%%%' }],
    ['null headers', { headers: null }],
    ['missing headers', { headers: undefined }],
    ['no headers', { headers: [] }],
    ['a header of bytes', { headers: [{ trace: [0, 255] }] }],
    ['a header that is null', { headers: [{ trace: null }] }],
  ])('rings with %s, whatever form a tombstone has (trap 33)', (_, fields) => {
    expect(decode(JSON.parse(JSON.stringify(withRecord(fields))))).toMatchObject({
      partitions: [{ topic: 'lines', partition: 0, toOffset: 16 }],
    });
  });

  it('answers the greatest offset of each partition, in whatever order records come', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ partition: fc.nat(5), offset: fc.nat(Number.MAX_SAFE_INTEGER - 1) }), { minLength: 1 }),
        (records) => {
          const event = { ...msk, records: { lines: records.map((at) => ({ ...record, ...at })) } };
          const greatest = new Map<number, number>();
          for (const { partition, offset } of records)
            greatest.set(partition, Math.max(offset + 1, greatest.get(partition) ?? 0));

          const doorbell = decode(event);

          expect(doorbell.type === 'doorbell' ? doorbell.partitions : []).toEqual(
            [...greatest].map(([partition, toOffset]) => ({ topic: 'lines', partition, toOffset })),
          );
        },
      ),
    );
  });

  it.each([
    ['no records', { ...msk, records: undefined }],
    ['a batch that is no list', { ...msk, records: { 'lines-0': record } }],
    ['a record that is null', { ...msk, records: { 'lines-0': [null] } }],
    ['a record without topic', withRecord({ topic: undefined })],
    ['a partition as text', withRecord({ partition: '0' })],
    ['a negative offset', withRecord({ offset: -1 })],
    ['an offset as text', withRecord({ offset: '15' })],
    ['an offset beyond 2^53', withRecord({ offset: 2 ** 53 })],
    ['the last offset there is', withRecord({ offset: Number.MAX_SAFE_INTEGER })],
    ['an unknown source', { ...msk, eventSource: 'aws:kinesis' }],
  ])('is refused with %s', (_, event) => {
    expect(() => decode(event)).toThrow(InvalidPayloadError);
  });
});
