/** Three brokers, replication 3: each is killed in turn and restarted, while a producer writes and a reader follows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { TransactionalProducer } from '../../../lib/log/log.js';
import { StreamsError } from '../../../lib/model/errors.js';
import { offset } from '../../../lib/model/offset.js';
import { type TopicPartition, topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { offsetsOf, records, shown } from '../../../lib/testing/conformance/log/scene.js';
import { type KafkaCluster, startKafka } from '../../support/kafka/kafka-cluster.js';
import { newName, openLog, valuesOf } from '../../support/kafka/log-kit.js';
import { waitFor } from '../../support/wait-for.js';

const PARTITIONS = [0, 1, 2];

let kafka: KafkaCluster;
let log: KafkaLog;

beforeAll(async () => {
  kafka = await startKafka({ brokers: 3 });
  log = await openLog(kafka.brokers);
});
afterAll(async () => {
  await log?.close();
  await kafka?.stop();
});

describe('leaders that are killed in turn', () => {
  it('cost no record, bring none twice, and no error but such as say "begin the transaction again"', async () => {
    const topic = newName('leaders');
    const groupId = newName('group');
    const at = PARTITIONS.map((partition) => ({ topic, partition }));
    await log.createTopic({ name: topic, partitions: 3, replicationFactor: 3, config: { 'retention.ms': '-1' } });
    const work: Work = { written: 0, isDone: false };
    const writing = write(groupId, at, work);
    const reading = Promise.all(PARTITIONS.map((partition) => follow({ topic, partition }, work)));
    const untilMoreIsWritten = async (what: string) => {
      const before = work.written;
      await Promise.race([writing, reading, waitFor(what, async () => work.written >= before + 10, 60_000)]);
    };

    await untilMoreIsWritten('a beginning');
    for (const broker of [1, 2, 3]) {
      await kafka.kill(broker);
      await untilMoreIsWritten(`others to take over from broker ${broker}`);
      await kafka.restart(broker);
      await untilMoreIsWritten(`work to go on with broker ${broker}`);
    }
    work.isDone = true;
    await writing;
    const followed = await reading;

    const expected = Array.from({ length: work.written }, (_, index) => String(index));
    expect(followed.map(valuesOf)).toEqual([expected, expected, expected]);
  });
});

interface Work {
  written: number;
  isDone: boolean;
}

/** Number after number to all partitions, with the number as the offset that says where to go on after an unknown outcome. */
async function write(groupId: string, at: readonly TopicPartition[], work: Work): Promise<void> {
  const transactionalId = newName('leaders');
  const progress = { topic: at[0]?.topic ?? '', partition: 0 };
  let producer: TransactionalProducer | undefined;
  while (!work.isDone) {
    try {
      if (producer === undefined) {
        producer = await log.initProducer({ transactionalId, transactionTimeoutMs: 10_000 });
        const committed = await log.committedOffsets(groupId, [progress]);
        work.written = committed.get(topicPartitionKey(progress))?.nextOffset ?? 0;
      }
      const current = producer;
      const set = records(`k=${work.written}`);
      await Promise.all(at.map((partition) => current.send(partition, set)));
      await current.sendOffsets(groupId, offsetsOf([progress, work.written + 1]));
      await current.commit();
      work.written += 1;
    } catch (error) {
      if (!(error instanceof StreamsError) || error.kind !== 'transient') throw error;
      producer = undefined;
    }
  }
  await producer?.close();
}

/** Follows a partition until the writer is done and the end is reached; any error of a fetch fails the test. */
async function follow(at: TopicPartition, work: Work): Promise<readonly string[]> {
  const lines: string[] = [];
  let position = 0;
  for (;;) {
    const last = work.isDone;
    const [result] = await log.fetch([{ ...at, fromOffset: offset(position) }], {
      isolation: 'readCommitted',
      maxWaitMs: 1_000,
      maxBytes: 1024 * 1024,
    });
    if (result === undefined) continue;
    lines.push(...shown(result.records));
    const moved = result.nextOffset > position;
    position = result.nextOffset;
    if (last && !moved && position >= result.highWatermark) return lines;
  }
}
