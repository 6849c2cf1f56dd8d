/** Calls that wait at a broker, and what ends them. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { FetchOptions } from '../../../lib/log/log.js';
import { offset } from '../../../lib/model/offset.js';
import type { TopicPartition } from '../../../lib/model/topic-partition.js';
import { offsetsOf, records } from '../../../lib/testing/conformance/log/scene.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { newName, newPartition, openLog } from '../../support/kafka/log-kit.js';

/** Far more than an abort takes, far less than the poll would. */
const AT_ONCE_MS = 250;

let log: KafkaLog;

beforeAll(async () => {
  log = await openLog(inject('kafkaBrokers'));
});
afterAll(() => log.close());

function poll(on: KafkaLog, at: TopicPartition, options: Partial<FetchOptions> = {}) {
  return on.fetch([{ ...at, fromOffset: offset(0) }], {
    isolation: 'readCommitted',
    maxWaitMs: 30_000,
    maxBytes: 1_000,
    ...options,
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe('a long poll', () => {
  it('ends at once when its signal fires, and the next one gets what comes', async () => {
    const at = await newPartition(log, 'abort');
    const tookMs: number[] = [];

    for (let round = 0; round < 20; round += 1) {
      const giveUp = new AbortController();
      const waiting = codeOf(poll(log, at, { signal: giveUp.signal }));
      await pause(5);
      const startedMs = performance.now();
      giveUp.abort();
      expect(await waiting).toBe('STREAMS_ABORTED');
      tookMs.push(performance.now() - startedMs);
    }
    const waiting = poll(log, at);
    await log.append(at, records('a=1'));

    expect(Math.max(...tookMs)).toBeLessThan(AT_ONCE_MS);
    expect((await waiting)[0]?.records.size).toBe(1);
  });

  it('holds up nothing else: not fifty of them', async () => {
    const at = await newPartition(log, 'many');
    const giveUp = new AbortController();
    const polls = Array.from({ length: 50 }, (_, index) =>
      codeOf(poll(log, at, { signal: giveUp.signal, maxBytes: 1_000 + index })),
    );
    await pause(50);

    const startedMs = performance.now();
    const other = await newPartition(log, 'other');
    await log.append(other, records('a=1'));
    const found = await poll(log, other);
    const tookMs = performance.now() - startedMs;
    giveUp.abort();

    expect(found[0]?.records.size).toBe(1);
    expect(tookMs).toBeLessThan(5_000);
    expect(new Set(await Promise.all(polls))).toEqual(new Set(['STREAMS_ABORTED']));
  });

  it('ends when the log is closed, which takes no longer for it and leaves no connection', async () => {
    const closing = await openLog(inject('kafkaBrokers'));
    const at = await newPartition(log, 'close');
    const waiting = codeOf(poll(closing, at));
    const initialised = await closing.initProducer({ transactionalId: newName('close'), transactionTimeoutMs: 10_000 });
    await pause(20);

    const startedMs = performance.now();
    await closing.close();
    const code = await waiting;
    const tookMs = performance.now() - startedMs;
    await closing.close();
    await pause(50);

    expect(code).toBe('STREAMS_ABORTED');
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
    expect(closing.openConnections).toBe(0);
    expect(await codeOf(closing.listTopics())).toBe('STREAMS_ABORTED');
    expect(await codeOf(initialised.send(at, records('a=1')))).toBe('STREAMS_ABORTED');
  });

  it('of two readers that ask the same is answered to both', async () => {
    const at = await newPartition(log, 'two');
    const both = [poll(log, at), poll(log, at)];
    await pause(20);

    await log.append(at, records('a=1'));

    expect((await Promise.all(both)).map((results) => results[0]?.records.size)).toEqual([1, 1]);
  });
});

describe('stable committed offsets', () => {
  it('are waited for while a transaction that commits them is open, and no longer than there is time', async () => {
    const at = await newPartition(log, 'stable');
    const groupId = newName('group');
    await log.commitOffsets(groupId, offsetsOf([at, 1]));
    const owner = await log.initProducer({ transactionalId: newName('stable'), transactionTimeoutMs: 20_000 });
    await owner.sendOffsets(groupId, offsetsOf([at, 2]));
    const impatient = await openLog(inject('kafkaBrokers'), { retryTimeoutMs: 300 });

    const startedMs = performance.now();
    const code = await codeOf(impatient.committedOffsets(groupId, [at]));
    const tookMs = performance.now() - startedMs;
    const asked = log.committedOffsets(groupId, [at]);
    await owner.commit();
    await impatient.close();

    expect(code).toBe('STREAMS_UNAVAILABLE');
    expect(tookMs).toBeGreaterThan(200);
    expect([...(await asked).values()].map(({ nextOffset }) => nextOffset)).toEqual([2]);
  });

  it('are right immediately after each of many commits', async () => {
    const at = await newPartition(log, 'stable');
    const groupId = newName('group');
    const owner = await log.initProducer({ transactionalId: newName('stable'), transactionTimeoutMs: 20_000 });
    const seen: (number | undefined)[] = [];

    for (let next = 1; next <= 30; next += 1) {
      await owner.send(at, records(`k=${next}`));
      await owner.sendOffsets(groupId, offsetsOf([at, next]));
      await owner.commit();
      const [found] = (await log.committedOffsets(groupId, [at])).values();
      seen.push(found?.nextOffset);
    }

    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });
});

describe('a topic that is deleted and created again', () => {
  it('has another id, other offsets, and takes records without a new connection (trap 25)', async () => {
    const at = await newPartition(log, 'again');
    await log.append(at, records('a=1', 'b=2'));
    const idOf = async () => (await log.describeTopics([at.topic])).get(at.topic)?.topicId;
    const before = await idOf();

    await log.deleteTopic(at.topic);
    await log.createTopic({ name: at.topic, partitions: 1, config: {} });
    const after = await idOf();
    const first = await log.append(at, records('c=3'));

    expect([typeof before, typeof after]).toEqual(['string', 'string']);
    expect(after).not.toBe(before);
    expect(first).toBe(0);
    expect(await codeOf(poll(log, at).then((results) => results[0]?.nextOffset))).toBe('no error');
  });
});
