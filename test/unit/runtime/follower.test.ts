import { beforeEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import type { Log } from '../../../lib/log/log.js';
import { createMemoryLog } from '../../../lib/log/memory/memory-log.js';
import { byteKey } from '../../../lib/model/byte-key.js';
import { type Offset, offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { createFollower, type Follower } from '../../../lib/runtime/follower.js';
import { emptyStore } from '../../../lib/runtime/load-store.js';
import type { TransactionalStore } from '../../../lib/state/byte-store.js';
import { listeningLogger } from '../../support/listening-logger.js';

const AT = { topic: 'log', partition: 0 };
const STALL_MS = 250;

let log: Log;
let store: TransactionalStore;
const host = createNodeHost({ logger: listeningLogger([]) });

beforeEach(async () => {
  log = await createMemoryLog({ host });
  await log.createTopic({ name: 'log', partitions: 1, config: {} });
  store = emptyStore({ name: 'store' });
});

const records = (...entries: readonly [string, string | null][]) => {
  const builder = new RecordSetBuilder();
  for (const [key, value] of entries) builder.append(Buffer.from(key), value === null ? null : Buffer.from(value), 5);
  return builder.build();
};

async function transaction(outcome: 'commit' | 'abort', ...entries: readonly [string, string | null][]) {
  const producer = await log.initProducer({ transactionalId: 'writer', transactionTimeoutMs: 5_000 });
  await producer.send(AT, records(...entries));
  await producer[outcome]();
}

const follower = (from = 0, more: { trackChanges?: boolean } = {}): Follower =>
  createFollower({
    log,
    clock: host.clock,
    store,
    changelog: AT,
    fromOffset: offset(from),
    fetchMaxBytes: 1_024,
    ...more,
  });

const end = async (): Promise<Offset> => {
  const found = (await log.listOffsets([AT], 'highWatermark')).get(topicPartitionKey(AT));
  return found ?? offset(0);
};

const textOf = async (key: string) => {
  const stored = await store.get(byteKey(Buffer.from(key)));
  return stored === null ? null : Buffer.from(stored.value).toString();
};

describe('a follower', () => {
  it('reaches the end by position, over markers and aborted records (trap 3)', async () => {
    await transaction('commit', ['a', '1']);
    await transaction('abort', ['a', 'never'], ['b', 'never']);
    const following = follower();

    await following.followTo({ target: await end(), stallTimeoutMs: STALL_MS });

    expect(following.position).toBe(await end());
    expect(following.recordsApplied).toBe(1);
    expect([await textOf('a'), await textOf('b')]).toEqual(['1', null]);
  });

  it('deletes on a tombstone, also of a key that was never there (traps 17, 18)', async () => {
    await log.append(AT, records(['a', '1'], ['a', null], ['ghost', null]));

    await follower().followTo({ target: await end(), stallTimeoutMs: STALL_MS });

    expect(store.size).toBe(0);
  });

  it('applies nothing at or beyond the target', async () => {
    await log.append(AT, records(['a', '1'], ['a', '2'], ['a', '3']));
    const following = follower();

    await following.followTo({ target: offset(2), stallTimeoutMs: STALL_MS });

    expect([following.position, await textOf('a')]).toEqual([2, '2']);
  });

  it('goes on where it stopped', async () => {
    await log.append(AT, records(['a', '1']));
    const following = follower();
    await following.followTo({ target: await end(), stallTimeoutMs: STALL_MS });
    await log.append(AT, records(['a', '2']));

    await following.followTo({ target: await end(), stallTimeoutMs: STALL_MS });

    expect([following.recordsApplied, await textOf('a')]).toEqual([2, '2']);
  });

  it('waits for an open transaction below the target, and applies what becomes of it (trap 5)', async () => {
    const producer = await log.initProducer({ transactionalId: 'writer', transactionTimeoutMs: 5_000 });
    await producer.send(AT, records(['a', '1']));
    const done = follower().followTo({ target: await end(), stallTimeoutMs: 5_000 });

    await producer.commit();
    await done;

    expect(await textOf('a')).toBe('1');
  });

  it('gives up where the log was truncated below its target, and says so (trap 6)', async () => {
    await log.append(AT, records(['a', '1']));

    const stalled = follower().followTo({ target: offset(80), stallTimeoutMs: STALL_MS });

    await expect(stalled).rejects.toThrow(/truncated/);
  });

  it('refuses to skip what the log no longer has, instead of asking for it for ever (trap 14)', async () => {
    await log.append(AT, records(['a', '1'], ['a', '2'], ['a', '3']));
    await log.deleteRecords(new Map([[topicPartitionKey(AT), offset(2)]]));

    const refused = follower(0).followTo({ target: await end(), stallTimeoutMs: STALL_MS });

    await expect(refused).rejects.toMatchObject({ code: 'STREAMS_OFFSET_OUT_OF_RANGE' });
  });

  it('remembers which keys were written, deletes included, if asked to', async () => {
    await log.append(AT, records(['a', '1'], ['b', null]));
    const tracking = follower(0, { trackChanges: true });
    await tracking.followTo({ target: await end(), stallTimeoutMs: STALL_MS });

    expect([...(tracking.changedKeys ?? [])]).toEqual(['a', 'b']);
    expect(follower().changedKeys).toBeNull();
  });
});
