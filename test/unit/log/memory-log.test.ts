import { beforeEach, describe, expect, it } from 'vitest';
import { GroupOffsets } from '../../../lib/log/memory/group-offsets.js';
import { createMemoryLog, type MemoryLog } from '../../../lib/log/memory/memory-log.js';
import { TRANSITIONS, type TransactionStatus, Transactions } from '../../../lib/log/memory/transactions.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { LogScene, offsetsOf, records, shown } from '../../../lib/testing/conformance/log/scene.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { createTestHost, settle, type TestHost } from '../../support/test-host.js';

let host: TestHost;
let log: MemoryLog;
let scene: LogScene;

beforeEach(async () => {
  host = createTestHost();
  log = await createMemoryLog({ host });
  const supports = { topicIds: true, promptTransactionTimeout: true, promptRetention: true };
  scene = new LogScene(log, { name: 'memory', createLog: async () => log, supports });
});

function bigSet(size: number) {
  const builder = new RecordSetBuilder();
  for (let index = 0; index < size; index += 1)
    builder.append(Buffer.from(`key-${index}`), Buffer.alloc(50, index), index);
  return builder.build();
}

describe('the embedded log', () => {
  it('copies nothing of a large set: what is fetched lies where it was written', async () => {
    const at = await scene.partition();
    const set = bigSet(4_000);
    await log.append(at, set);

    const { records: fetched } = await scene.fetch(at, 0);

    expect(fetched.bytes.buffer).toBe(set.bytes.buffer);
    expect(fetched.timestamps.buffer).toBe(set.timestamps.buffer);
  });

  it('does not keep a large buffer alive for one small record of it', async () => {
    const at = await scene.partition();
    const set = bigSet(4_000).slice(7, 8);
    await log.append(at, set);

    const { records: fetched } = await scene.fetch(at, 0);

    expect(fetched.bytes.buffer.byteLength).toBeLessThan(200);
    expect(shown(fetched)).toEqual([`0:key-7=${'\u0007'.repeat(50)}`]);
  });

  it('shares the bytes of one fetch between the partitions that have something', async () => {
    const topic = await scene.topic(3);
    for (const partition of [0, 2]) await log.append({ topic, partition }, bigSet(1_000));
    const requests = [0, 1, 2].map((partition) => ({ topic, partition, fromOffset: offset(0) }));

    const results = await log.fetch(requests, { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 6_000 });
    const sizes = new Map(results.map(({ partition, records: set }) => [partition, set.size]));

    expect(sizes.get(1)).toBe(0);
    // A record takes 65 to 67 bytes here.
    for (const partition of [0, 2]) {
      expect(sizes.get(partition)).toBeGreaterThan(25);
      expect(sizes.get(partition)).toBeLessThan(65);
    }
  });

  it('answers small appends together as one set, markers and all', async () => {
    const at = await scene.partition();
    for (let round = 0; round < 300; round += 1) await scene.commit(at, records(`k=${round}`));

    const { records: fetched, nextOffset } = await scene.fetch(at, 0);

    expect([fetched.size, nextOffset]).toEqual([300, 600]);
    expect(shown(fetched)[299]).toBe('598:k=299');
  });

  it('puts small appends together without losing an offset, a header or who aborted', async () => {
    const at = await scene.partition();
    const headers = [{ key: 'h', value: Buffer.from([9]) }];
    for (let round = 0; round < 700; round += 1) {
      if (round % 10 === 3) await scene.abort(at, records(`gone=${round}`));
      else await log.append(at, records({ key: 'k', value: `${round}`, timestampMs: round, headers }));
    }

    const all = [...(await scene.fetch(at, 0)).records];
    const uncommitted = await scene.read(at, 'readUncommitted');

    expect(all.map(({ timestampMs }) => timestampMs)).toEqual(
      Array.from({ length: 700 }, (_, round) => round).filter((round) => round % 10 !== 3),
    );
    expect(all.every((record) => record.headers[0]?.value?.[0] === 9)).toBe(true);
    expect(uncommitted.records.filter((line) => line.includes('gone'))).toHaveLength(70);
    expect(uncommitted.nextOffset).toBe(770);
  });

  it('logs a transaction that timed out', async () => {
    const at = await scene.partition();
    const slow = await scene.producer('slow', 1_000);
    await slow.send(at, records('a=0'));
    await host.advance(1_000);
    await log.listTopics();

    expect(host.lines.map(({ level, event, fields }) => [level, event, fields.transactionalId])).toEqual([
      ['warn', 'transaction-timed-out', 'slow'],
    ]);
  });

  it('wakes a waiting reader when an older transaction times out in front of committed records', async () => {
    const at = await scene.partition();
    const slow = await scene.producer('slow', 1_000);
    await slow.send(at, records('a=0'));
    await log.append(at, records('b=1'));

    const waiting = scene.fetch(at, 0, { maxWaitMs: 60_000 });
    await host.advance(1_000);

    expect(shown((await waiting).records)).toEqual(['1:b=1']);
  });

  it('refuses a transaction time-out above its maximum', async () => {
    const options = { transactionalId: 'x', transactionTimeoutMs: 900_001 };

    expect(await codeOf(log.initProducer(options))).toBe('STREAMS_INVALID_SETTING');
  });

  it('refuses defaults that make no sense', async () => {
    const opening = createMemoryLog({ host, defaults: { topicConfig: { 'retention.ms': 'x' } } });

    expect(await codeOf(opening)).toBe('STREAMS_INVALID_SETTING');
  });

  it('gives topics its defaults, under what they say themselves', async () => {
    const other = await createMemoryLog({
      host,
      defaults: { topicConfig: { 'retention.ms': '5', 'segment.ms': '6' } },
    });
    await other.createTopic({ name: 't', partitions: 1, config: { 'segment.ms': '7', 'min.insync.replicas': '2' } });

    const config = (await other.describeTopics(['t'])).get('t')?.config;

    expect([config?.['retention.ms'], config?.['segment.ms'], config?.['min.insync.replicas']]).toEqual([
      '5',
      '7',
      '2',
    ]);
  });

  it('ends waiting calls and refuses new ones when it is closed', async () => {
    const at = await scene.partition();
    const producer = await scene.producer();
    await producer.sendOffsets('g', offsetsOf([at, 1]));
    const waiting = [codeOf(scene.fetch(at, 0, { maxWaitMs: 60_000 })), codeOf(scene.committed('g', at))];
    await settle();

    await log.close();
    await log.close();

    expect(await Promise.all(waiting)).toEqual(['STREAMS_UNAVAILABLE', 'STREAMS_UNAVAILABLE']);
    expect(await codeOf(log.append(at, records('a=1')))).toBe('STREAMS_UNAVAILABLE');
    expect(await codeOf(producer.commit())).toBe('STREAMS_UNAVAILABLE');
  });

  it('of two commits of an offset takes the one that was sent later, whichever is decided last', async () => {
    const at = await scene.partition();
    const producer = await scene.producer();
    await producer.sendOffsets('g', offsetsOf([at, 1]));
    await log.commitOffsets('g', offsetsOf([at, 2]));
    await producer.commit();

    expect(await scene.committed('g', at)).toBe(2);
  });
});

describe('the transaction coordinator', () => {
  it('has no state from which a transaction can not go on', () => {
    const all = Object.keys(TRANSITIONS) as TransactionStatus[];

    for (const status of all) expect(TRANSITIONS[status].length).toBeGreaterThan(0);
    expect(new Set(Object.values(TRANSITIONS).flat())).toEqual(new Set(all));
  });

  it('refuses a step that the table does not have', () => {
    const transactions = new Transactions(new GroupOffsets(1_000));
    transactions.initialise({ transactionalId: 'x', producerId: 0, epoch: 0, timeoutMs: 1_000 });

    expect(() => transactions.end('x', 'commit', 0, 0)).toThrow("can't go from empty to prepareCommit");
  });

  it('gives a new producer id before the epochs run out', () => {
    const transactions = new Transactions(new GroupOffsets(1_000));
    transactions.initialise({ transactionalId: 'x', producerId: 4, epoch: 32_765, timeoutMs: 1_000 });
    const last = transactions.nextIdentity('x');
    transactions.initialise({ ...last, timeoutMs: 1_000 });

    expect(last).toEqual({ transactionalId: 'x', producerId: 4, epoch: 32_766 });
    expect(transactions.nextIdentity('x')).toEqual({ transactionalId: 'x', producerId: 5, epoch: 0 });
  });
});
