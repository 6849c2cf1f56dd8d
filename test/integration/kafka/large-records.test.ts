/** Topics of a broker that do not take what a task writes. */
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import { asStreamsError } from '../../../lib/model/errors.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { newName, newPartition, openLog, readAll, valuesOf } from '../../support/kafka/log-kit.js';
import { copyRecords } from '../../support/large-records.js';
import { waitFor } from '../../support/wait-for.js';

const brokers = inject('kafkaBrokers');
const large = (name: string) => `${name} ${'x'.repeat(5_000)}`;

let log: KafkaLog;
beforeAll(async () => {
  log = await openLog(brokers);
});
afterAll(() => log.close());

/** As somebody does it while the log holds the limit of before for the truth. */
async function lowerLimit(topic: string, maxMessageBytes: number): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const configEntries = [{ name: 'max.message.bytes', value: String(maxMessageBytes) }];
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
  await admin.disconnect();
  await untilRefused(topic, maxMessageBytes + 1);
}

/** The broker answers before its log has the new limit: transactions that are aborted show when it has, to a log of their own. */
async function untilRefused(topic: string, bytes: number): Promise<void> {
  const probing = await openLog(brokers);
  const producer = await probing.initProducer({ transactionalId: newName('probe'), transactionTimeoutMs: 10_000 });
  await waitFor(`${topic} to refuse ${bytes} bytes`, async () => {
    try {
      await producer.send({ topic, partition: 0 }, setOf(['x'.repeat(bytes)]));
    } catch (error) {
      if (asStreamsError(error).code === 'STREAMS_RECORD_TOO_LARGE') return true;
      throw error;
    }
    await producer.abort();
    return false;
  });
  await producer.close();
  await probing.close();
}

const setOf = (values: readonly string[]) => {
  const builder = new RecordSetBuilder();
  for (const value of values) builder.append(Buffer.from('k'), Buffer.from(value), Date.now());
  return builder.build();
};

it('records that their topic does not take are dead letters, and all others go through once', async () => {
  const values = ['a', large('b'), 'c', large('d'), 'e'];

  const copied = await copyRecords({ applicationId: newName('large'), log, maxMessageBytes: 2_000, values });

  expect(copied).toEqual({ out: ['a', 'c', 'e'], dead: [large('b'), large('d')], counted: values.length });
});

it('so it is with those that only the broker finds too large, since the limit was lowered meanwhile', async () => {
  const values = ['a', large('b'), 'c', large('d'), 'e'];

  const copied = await copyRecords({
    applicationId: newName('lowered'),
    log,
    maxMessageBytes: 100_000,
    values,
    afterFirst: (out) => lowerLimit(out, 2_000),
  });

  expect(copied).toEqual({ out: ['a', 'c', 'e'], dead: [large('b'), large('d')], counted: values.length });
});

it('a batch of records each of which fits is sent again in smaller ones', async () => {
  const at = await newPartition(log, 'batches');
  await log.append(at, setOf(['first']));
  await lowerLimit(at.topic, 2_000);
  const values = Array.from({ length: 100 }, (_, index) => `${index} ${'y'.repeat(100)}`);

  await expect(log.append(at, setOf(values))).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
  await log.append(at, setOf(values));

  expect(valuesOf(await readAll(log, at))).toEqual(['first', ...values]);
});

it('a transaction names the record that the broker has refused', async () => {
  const at = await newPartition(log, 'refused');
  await log.append(at, setOf(['first']));
  await lowerLimit(at.topic, 2_000);
  const producer = await log.initProducer({ transactionalId: newName('p'), transactionTimeoutMs: 10_000 });

  const refused = producer.send(at, setOf([large('alone')]));

  await expect(refused).rejects.toMatchObject({ code: 'STREAMS_RECORD_TOO_LARGE', refused: [0] });
  await producer.close();
});
