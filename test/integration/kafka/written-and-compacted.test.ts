/** Reading what is being written, and what is being compacted. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Log } from '../../../lib/log/log.js';
import type { RecordSet } from '../../../lib/model/record-set.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { runJavaTool } from '../../support/kafka/java-tool.js';
import { javaTruth } from '../../support/kafka/java-truth.js';
import { openLog } from '../../support/kafka/log-kit.js';
import { readCommitted } from '../../support/kafka/read-committed.js';
import { waitFor } from '../../support/wait-for.js';

const brokers = inject('kafkaBrokers');
const writingS = 15;
const smallFetch = 4 * 1024;
const largeFetch = 1024 * 1024;
const maxComparisons = 20;

let log: Log;
const topics: string[] = [];

beforeAll(async () => {
  log = await openLog(brokers);
});
afterAll(async () => {
  for (const topic of topics) await log.deleteTopic(topic);
  await log.close();
});

/** Starts to write a new topic, and waits until something is in it. */
async function churn(policy: 'compact' | 'delete') {
  const topic = `churn-${policy}-${randomUUID().slice(0, 8)}`;
  topics.push(topic);
  const state = { writing: true };
  const written = runJavaTool('Churn', [topic, policy, String(writingS)], { brokers }).finally(() => {
    state.writing = false;
  });
  const first = waitFor(
    'the first record',
    async () => (await log.listTopics()).includes(topic) && (await endOf(topic)),
  );
  await Promise.race([first, written]);
  return { topic, written, isWriting: () => state.writing };
}

async function endOf(topic: string): Promise<number> {
  const at = { topic, partition: 0 };
  return (await log.listOffsets([at], 'lastStable')).get(topicPartitionKey(at)) ?? 0;
}

it('a topic reads like the Java client reads it, at any moment while it is written', async () => {
  const { topic, written, isWriting } = await churn('delete');

  const ends = new Set<number>();
  while (isWriting()) {
    const endOffset = await endOf(topic);
    const maxBytes = ends.size % 2 === 0 ? smallFetch : largeFetch;
    const ours = await readCommitted(log, { topic, partition: 0 }, { endOffset, maxBytes });
    const [java] = await javaTruth([`${topic}@${endOffset}`], { brokers });
    expect({ topic, partition: 0, end: endOffset, ...ours }).toEqual(java);
    ends.add(endOffset);
  }

  await written;
  expect(ends.size).toBeGreaterThan(1);
});

it('a topic folds to one state, whether it is followed while it is compacted or read afterwards', async () => {
  const { topic, written } = await churn('compact');
  const at = { topic, partition: 0 };

  const followed = new Map<string, string>();
  let endOffset = Number.POSITIVE_INFINITY;
  const following = readCommitted(log, at, {
    endOffset: () => endOffset,
    maxBytes: smallFetch,
    onRecords: (records) => fold(followed, records),
  });
  await Promise.race([written, following]);
  endOffset = await endOf(topic);
  const { records: recordsFollowed } = await following;

  // The cleaner may come by again: what we read before and after the Java client must be the same to compare.
  for (let comparison = 1; ; comparison += 1) {
    const state = new Map<string, string>();
    const onRecords = (records: RecordSet) => fold(state, records);
    const ours = await readCommitted(log, at, { endOffset, maxBytes: smallFetch, onRecords });
    const [java] = await javaTruth([topic], { brokers });
    const again = await readCommitted(log, at, { endOffset, maxBytes: largeFetch });
    if (ours.sha !== again.sha && comparison < maxComparisons) continue;

    expect({ ...at, end: endOffset, ...ours }).toEqual(java);
    expect(sorted(state)).toEqual(sorted(followed));
    expect(ours.records, 'records that compaction has left').toBeLessThan(recordsFollowed);
    break;
  }
});

const sorted = (state: Map<string, string>) => [...state].sort(([a], [b]) => (a < b ? -1 : 1));

function fold(state: Map<string, string>, records: RecordSet): void {
  for (const { key, value } of records) {
    const name = Buffer.from(key ?? []).toString();
    if (value === null) state.delete(name);
    else state.set(name, Buffer.from(value).toString());
  }
}
