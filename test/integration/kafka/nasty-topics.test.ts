/**
 * Twelve topics that readers of Kafka have got wrong, and the Java client's answer to each: same records, offsets, timestamps,
 * keys, values and headers (one SHA-256 over all), whether a fetch may bring a megabyte or less than one batch.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Log } from '../../../lib/log/log.js';
import { offset } from '../../../lib/model/offset.js';
import type { RecordSet } from '../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { runJavaTool } from '../../support/kafka/java-tool.js';
import { javaTruth } from '../../support/kafka/java-truth.js';
import { openLog } from '../../support/kafka/log-kit.js';
import { readCommitted } from '../../support/kafka/read-committed.js';
import { waitFor } from '../../support/wait-for.js';

const brokers = inject('kafkaBrokers');
const prefix = `nasty-${randomUUID().slice(0, 8)}`;

const settled = ['interleaved', 'repeated', 'zero-key', 'long', 'headers', 'gzip', 'snappy', 'lz4', 'zstd'];
/** Compacted topics, and the records that are left at most once the cleaner was there. */
const compacted = [
  { name: 'compacted', atMost: 500 },
  { name: 'empty-tail', atMost: 802 },
];
const openFirst = 'open-first';

const fetchSizes = [
  { size: '1 MB', maxBytes: 1024 * 1024 },
  { size: '4 KB', maxBytes: 4 * 1024 },
];
const cleanerTimeoutMs = 120_000;
const maxComparisons = 10;

const at = (name: string) => ({ topic: `${prefix}-${name}`, partition: 0 });

let log: Log;

async function endOf(name: string): Promise<number> {
  const ends = await log.listOffsets([at(name)], 'lastStable');
  return ends.get(topicPartitionKey(at(name))) ?? 0;
}

const read = async (name: string, maxBytes: number) =>
  readCommitted(log, at(name), { endOffset: await endOf(name), maxBytes });

async function javaRead(name: string) {
  const [truth] = await javaTruth([at(name).topic], { brokers });
  return truth && { records: truth.records, sha: truth.sha };
}

beforeAll(async () => {
  log = await openLog(brokers);
  await runJavaTool('NastyTopics', [prefix], { brokers });
});

afterAll(async () => {
  for (const name of [...settled, ...compacted.map(({ name }) => name), openFirst])
    await log.deleteTopic(at(name).topic);
  await log.close();
});

describe.each(fetchSizes)('read with fetches of $size, equal to what the Java client reads', ({ maxBytes }) => {
  it.each(settled)('is the topic %s', async (name) => {
    const ours = await read(name, maxBytes);

    expect(ours).toEqual(await javaRead(name));
    expect(ours.records).toBeGreaterThan(0);
  });

  it.each(compacted)('is the topic $name, after the cleaner was there', async ({ name, atMost }) => {
    await waitFor(
      `the cleaner of ${name}`,
      async () => (await read(name, 1024 * 1024)).records <= atMost,
      cleanerTimeoutMs,
    );

    // The cleaner may come by again: what we read before and after the Java client must be the same to compare.
    for (let comparison = 1; ; comparison += 1) {
      const before = await read(name, maxBytes);
      const java = await javaRead(name);
      const after = await read(name, maxBytes);
      if (before.sha !== after.sha && comparison < maxComparisons) continue;
      expect(before).toEqual(java);
      break;
    }
  });
});

describe('an open transaction at the start of a partition', () => {
  /** What one long poll from the start brings. */
  const poll = (name: string, maxBytes: number, maxWaitMs: number) =>
    log.fetch([{ ...at(name), fromOffset: offset(0) }], { isolation: 'readCommitted', maxWaitMs, maxBytes });

  async function expectNothingToRead(name: string): Promise<void> {
    for (const { maxBytes } of fetchSizes) {
      const blocked = await poll(name, maxBytes, 500);
      expect(blocked.flatMap(({ records }) => [...records])).toEqual([]);
      expect(blocked.every(({ nextOffset }) => nextOffset === 0)).toBe(true);
    }
    expect(await endOf(name)).toBe(0);
  }

  /** Reads on with fetches of each size, as the Java client does. @returns the values */
  async function readOn(name: string): Promise<readonly string[]> {
    const endOffset = await waitFor('the transaction to end', () => endOf(name));
    const java = await javaRead(name);
    let values: string[] = [];
    for (const { maxBytes } of fetchSizes) {
      values = [];
      const onRecords = (records: RecordSet) => {
        for (const { value } of records) values.push(Buffer.from(value ?? []).toString());
      };
      expect(await readCommitted(log, at(name), { endOffset, maxBytes, onRecords })).toEqual(java);
    }
    return values;
  }

  it('holds back what was committed behind it, until it is aborted', async () => {
    await expectNothingToRead(openFirst);
    const written = await log.listOffsets([at(openFirst)], 'highWatermark');
    expect(written.get(topicPartitionKey(at(openFirst)))).toBe(4);

    const waiting = fetchSizes.map(({ maxBytes }) => poll(openFirst, maxBytes, 30_000));
    const successor = await log.initProducer({ transactionalId: `${prefix}-b`, transactionTimeoutMs: 10_000 });
    await Promise.all(waiting);

    expect(await readOn(openFirst)).toEqual(['behind-1', 'behind-2']);
    await successor.close();
  });

  it('holds back what was committed behind it, until it is committed', async () => {
    const name = 'committed-first';
    await log.createTopic({ name: at(name).topic, partitions: 1, config: {} });
    const [open, behind] = await Promise.all(
      ['open', 'behind'].map((id) =>
        log.initProducer({ transactionalId: `${prefix}-${id}`, transactionTimeoutMs: 60_000 }),
      ),
    );
    await open?.send(at(name), recordsOf('open', 'x'.repeat(3_000)));
    await behind?.send(at(name), recordsOf('behind-1', 'behind-2'));
    await behind?.commit();
    await expectNothingToRead(name);

    const waiting = fetchSizes.map(({ maxBytes }) => poll(name, maxBytes, 30_000));
    await open?.commit();
    await Promise.all(waiting);

    expect(await readOn(name)).toEqual(['open', 'x'.repeat(3_000), 'behind-1', 'behind-2']);
    await Promise.all([open?.close(), behind?.close(), log.deleteTopic(at(name).topic)]);
  });
});

function recordsOf(...values: readonly string[]): RecordSet {
  const builder = new RecordSetBuilder();
  for (const value of values) builder.append(Buffer.from('k'), Buffer.from(value), Date.now());
  return builder.build();
}
