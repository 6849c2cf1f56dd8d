import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLog, type MemoryLog } from '../../../lib/log/memory/memory-log.js';
import { LogScene, records } from '../../../lib/testing/conformance/log/scene.js';
import { createTestHost, type TestHost } from '../../support/test-host.js';

let host: TestHost;
let log: MemoryLog;
let scene: LogScene;

beforeEach(async () => {
  host = createTestHost();
  log = await createMemoryLog({ host, defaults: { retentionCheckIntervalMs: 1_000 } });
  const supports = { topicIds: true, promptTransactionTimeout: true, promptRetention: true };
  scene = new LogScene(log, { name: 'memory', createLog: async () => log, supports });
});

const SMALL_SEGMENTS = { 'segment.bytes': '2000' };
const kilobyte = (timestampMs: number, key = 'k') => records({ key, value: 'x'.repeat(1_000), timestampMs });

describe('compaction in the background', () => {
  it('keeps the log near the size of what is live, and the last value of every key', async () => {
    const at = await scene.partition({ 'cleanup.policy': 'compact', ...SMALL_SEGMENTS });
    const rounds = 3_000;
    for (let round = 0; round < rounds; round += 1) await log.append(at, records(`k${round % 10}=${round}`));

    const { records: left } = await scene.read(at);
    const last = new Map(left.map((line) => line.slice(line.indexOf(':') + 1).split('=') as [string, string]));

    expect(left.length).toBeLessThan(rounds / 4);
    expect([...last.values()].map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, index) => rounds - 10 + index),
    );
  });

  it('lets transactions run meanwhile, and does not touch what is open', async () => {
    const at = await scene.partition({ 'cleanup.policy': 'compact', ...SMALL_SEGMENTS });
    for (let round = 0; round < 100; round += 1) await log.append(at, records(`k=${round}`));
    const open = await scene.producer();
    await open.send(at, records('k=open'));
    for (let round = 0; round < 500; round += 1) await log.append(at, records(`k=later${round}`));

    const uncommitted = await scene.read(at, 'readUncommitted');
    await open.commit();
    const committed = await scene.read(at);

    expect(uncommitted.records).toContain('100:k=open');
    expect(uncommitted.records.filter((line) => line.includes('later'))).toHaveLength(500);
    expect(committed.nextOffset).toBe(602);
    expect(committed.records.at(-1)).toBe('600:k=later499');
  });

  it('leaves what is younger than min.compaction.lag.ms, and all after it', async () => {
    const nowMs = host.clock.now();
    const at = await scene.partition({ 'cleanup.policy': 'compact', 'min.compaction.lag.ms': '1000' });
    await log.append(at, records({ key: 'k', value: 'old', timestampMs: nowMs - 2_000 }));
    await log.append(at, records({ key: 'k', value: 'older', timestampMs: nowMs - 3_000 }));
    await log.compact(at.topic);
    await log.append(at, records({ key: 'k', value: 'young', timestampMs: nowMs }));
    await log.append(at, records({ key: 'k', value: 'last', timestampMs: nowMs - 2_000 }));
    await log.compact(at.topic);
    const before = (await scene.read(at)).records;

    await host.advance(1_001);
    await log.compact(at.topic);

    expect(before).toEqual(['1:k=older', '2:k=young', '3:k=last']);
    expect((await scene.read(at)).records).toEqual(['3:k=last']);
  });

  it('does not compact a topic whose policy is delete', async () => {
    const at = await scene.partition(SMALL_SEGMENTS);
    for (let round = 0; round < 500; round += 1) await log.append(at, records(`k=${round}`));

    expect((await scene.read(at)).records).toHaveLength(500);
  });
});

describe('retention', () => {
  it('is looked at every five minutes by default, so that records older than it can be read until then', async () => {
    const usual = await createMemoryLog({ host });
    await usual.createTopic({ name: 't', partitions: 1, config: {} });
    const at = { topic: 't', partition: 0 };
    await usual.append(at, kilobyte(1));
    await host.advance(299_999);
    const before = [...(await usual.listOffsets([at], 'earliest')).values()];
    await host.advance(1);

    expect([before, [...(await usual.listOffsets([at], 'earliest')).values()]]).toEqual([[0], [1]]);
  });

  it('by size deletes the oldest segments while enough is left, and never the active one', async () => {
    const at = await scene.partition({ 'retention.bytes': '3500', ...SMALL_SEGMENTS });
    const start = host.clock.now();
    for (let count = 0; count < 10; count += 1) await log.append(at, kilobyte(start));
    await host.advance(1_000);

    const earliest = await scene.offset(at, 'earliest');

    // A segment takes one record of about 1,000 bytes: four of them are the least that is not below 3,500.
    expect(earliest).toBe(6);
  });

  it('by time deletes the active segment too when all of it is old', async () => {
    const at = await scene.partition({ 'retention.ms': '10000' });
    await log.append(at, kilobyte(host.clock.now()));
    await host.advance(9_000);
    const before = await scene.offset(at, 'earliest');
    await host.advance(2_000);

    expect([before, await scene.offset(at, 'earliest')]).toEqual([0, 1]);
  });

  it('takes the time of the append for records without a timestamp', async () => {
    const at = await scene.partition({ 'retention.ms': '10000' });
    await log.append(at, kilobyte(-1));
    await host.advance(9_000);
    const before = await scene.offset(at, 'earliest');
    await host.advance(2_000);

    expect([before, await scene.offset(at, 'earliest')]).toEqual([0, 1]);
  });

  it('deletes nothing at or above an open transaction', async () => {
    const at = await scene.partition({ 'retention.ms': '1000', ...SMALL_SEGMENTS });
    await log.append(at, kilobyte(1));
    const open = await scene.producer();
    await open.send(at, kilobyte(1));
    await log.append(at, kilobyte(1));
    await host.advance(2_000);

    expect(await scene.offset(at, 'earliest')).toBe(1);
  });

  it('does not touch a topic whose policy is compact alone', async () => {
    const at = await scene.partition({ 'cleanup.policy': 'compact', 'retention.ms': '1000' });
    await log.append(at, kilobyte(1));
    await host.advance(5_000);

    expect(await scene.offset(at, 'earliest')).toBe(0);
  });

  it('and compaction both work on a topic whose policy is compact,delete', async () => {
    const at = await scene.partition({
      'cleanup.policy': 'compact,delete',
      'retention.ms': '10000',
      ...SMALL_SEGMENTS,
    });
    const start = host.clock.now();
    await log.append(at, kilobyte(1, 'old'));
    await log.append(at, kilobyte(start, 'young'));
    await log.append(at, kilobyte(start + 5_000, 'young'));
    await log.compact(at.topic);
    await host.advance(2_000);

    expect(await scene.offset(at, 'earliest')).toBe(2);
    expect((await scene.fetch(at, 2)).records.size).toBe(1);
  });

  it('of committed offsets counts from the last commit of each partition', async () => {
    const short = await createMemoryLog({ host, defaults: { offsetsRetentionMs: 1_000 } });
    await short.createTopic({ name: 't', partitions: 2, config: {} });
    const [left, right] = [
      { topic: 't', partition: 0 },
      { topic: 't', partition: 1 },
    ];
    const commit = (at: typeof left) =>
      short.commitOffsets(
        'g',
        new Map([[`${at.topic}-${at.partition}` as never, { nextOffset: 1 as never, metadata: '' }]]),
      );
    await commit(left);
    await commit(right);
    await host.advance(600);
    await commit(right);
    await host.advance(600);

    const found = await short.committedOffsets('g', [left, right]);

    expect([...found.keys()]).toEqual(['t-1']);
  });
});
