/** What a log with a compression leaves in the broker's own files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KafkaLogOptions } from '../../../lib/log/kafka/kafka-log-options.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { type KafkaCluster, startKafka } from '../../support/kafka/kafka-cluster.js';
import { newName, newPartition, openLog, readAll, valuesOf } from '../../support/kafka/log-kit.js';

type Compression = NonNullable<KafkaLogOptions['compression']>;
/** Kafka's numbers: the lowest three bits of a batch's attributes. */
const CODECS = { none: 0, gzip: 1, snappy: 2, lz4: 3 } as const satisfies Partial<Record<Compression, number>>;
const LENGTH_AT = 8;
const BEFORE_BATCH_BYTES = 12;
const ATTRIBUTES_AT = 21;
const CODEC_MASK = 0b111;
const CONTROL = 0b10_0000;
/** Nothing that compresses can miss. */
const VALUE = 'a word and the same word again, '.repeat(200);

let kafka: KafkaCluster;
beforeAll(async () => {
  kafka = await startKafka({ brokers: 1 });
});
afterAll(() => kafka?.stop());

/** Codec and size of each batch of records in the partition's first segment. */
async function batchesOf(topic: string): Promise<readonly { readonly codec: number; readonly sizeBytes: number }[]> {
  const segment = await readFile(join(kafka.dir, 'data-1', `${topic}-0`, '00000000000000000000.log'));
  const batches: { codec: number; sizeBytes: number }[] = [];
  for (let at = 0; at + ATTRIBUTES_AT + 2 <= segment.length; ) {
    const sizeBytes = BEFORE_BATCH_BYTES + segment.readInt32BE(at + LENGTH_AT);
    const attributes = segment.readInt16BE(at + ATTRIBUTES_AT);
    if ((attributes & CONTROL) === 0) batches.push({ codec: attributes & CODEC_MASK, sizeBytes });
    at += sizeBytes;
  }
  return batches;
}

it.each(Object.entries(CODECS) as [keyof typeof CODECS, number][])(
  'batches of a log with compression %s are so in the log of the broker, and read back as they were',
  async (compression, codec) => {
    const log = await openLog(kafka.brokers, { compression });
    const at = await newPartition(log, compression);
    const producer = await log.initProducer({ transactionalId: newName('compressed'), transactionTimeoutMs: 10_000 });
    const records = new RecordSetBuilder();
    for (let index = 0; index < 20; index += 1) records.append(Buffer.from('k'), Buffer.from(VALUE), Date.now());

    await producer.send(at, records.build());
    await producer.commit();

    const batches = await batchesOf(at.topic);
    const sizeBytes = batches.reduce((sum, batch) => sum + batch.sizeBytes, 0);
    expect([...new Set(batches.map((batch) => batch.codec))]).toEqual([codec]);
    expect(sizeBytes < VALUE.length).toBe(compression !== 'none');
    expect(valuesOf(await readAll(log, at))).toEqual(Array.from({ length: 20 }, () => VALUE));
    await producer.close();
    await log.close();
  },
);
