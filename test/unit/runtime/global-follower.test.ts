import { beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../lib/host/host.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import type { Log } from '../../../lib/log/log.js';
import { createMemoryLog } from '../../../lib/log/memory/memory-log.js';
import { byteKey } from '../../../lib/model/byte-key.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { GlobalFollower } from '../../../lib/runtime/global-follower.js';
import { KeptStores } from '../../../lib/runtime/kept-stores.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { KeyValueStore } from '../../../lib/state/state-store.js';
import { defineApp } from '../../../lib/topology/app.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';

const text = { key: string(), value: string() };
const PATIENCE = { stallTimeoutMs: 250 };
const RETENTION_MS = 60_000;
const TOPIC = {
  name: 'rows',
  partitions: 3,
  config: { 'cleanup.policy': 'compact', 'delete.retention.ms': `${RETENTION_MS}` },
};

let log: Log;
let events: LoggedEvent[];
let host: Host;
/** How far the wall clock has moved on by itself, as it does while an environment stands still. */
let aheadMs: number;

beforeEach(async () => {
  events = [];
  aheadMs = 0;
  const node = createNodeHost({ logger: listeningLogger(events) });
  const clock = {
    now: () => node.clock.now() + aheadMs,
    monotonic: () => node.clock.monotonic(),
    sleep: (ms: number, signal?: AbortSignal) => node.clock.sleep(ms, signal),
  };
  host = { ...node, clock };
  log = await createMemoryLog({ host: node });
  await log.createTopic(TOPIC);
});

/** Counts how often its store was told of each key, and keeps the last value: applying a record twice would show. */
function counting() {
  const topology = new TopologyBuilder()
    .addGlobalStore(
      keyValueStore({ name: 'rows', ...text, logged: false }),
      { topic: 'rows', source: 'source', processor: 'update', ...text },
      () => {
        let store: KeyValueStore<string, string>;
        return {
          init(context) {
            store = context.getStateStore('rows');
          },
          async process({ key, value }) {
            const told = Number((await store.get(key))?.split('×')[0] ?? 0) + 1;
            await store.put(key, value === null ? null : `${told}×${value}`);
          },
        };
      },
    )
    .build();
  return defineApp({ applicationId: 'app', topology, settings: { fetchMaxBytes: 1_024 } });
}

const follower = (kept = new KeptStores(), on: Log = log): GlobalFollower =>
  new GlobalFollower({
    app: counting(),
    ports: { log: on, host },
    logger: host.logger,
    store: 'rows',
    topic: 'rows',
    kept,
  });

const records = (...entries: readonly [string, string | null][]) => {
  const builder = new RecordSetBuilder();
  for (const [key, value] of entries) builder.append(Buffer.from(key), value === null ? null : Buffer.from(value), 5);
  return builder.build();
};

const append = (partition: number, ...entries: readonly [string, string | null][]) =>
  log.append({ topic: 'rows', partition }, records(...entries));

const many = (count: number) =>
  Array.from({ length: count }, (_, index): [string, string] => [`key-${index}`, 'x'.repeat(20)]);

const textOf = async ({ store }: GlobalFollower, key: string) => {
  const stored = await store.get(byteKey(Buffer.from(key)));
  return stored === null ? null : Buffer.from(stored.value).toString();
};

const positions = (of: GlobalFollower) => of.positions.map(({ nextOffset }) => nextOffset);
const modes = () => events.filter(({ event }) => event === 'global-store-loading').map(({ fields }) => fields.mode);

describe('a global store held up with its topic', () => {
  it('has all that was committed in every partition when it is first shown, over markers and aborted records', async () => {
    const at = { topic: 'rows', partition: 1 };
    for (const outcome of ['commit', 'abort'] as const) {
      const producer = await log.initProducer({ transactionalId: 'writer', transactionTimeoutMs: 5_000 });
      await producer.send(at, records(['b', outcome]));
      await producer[outcome]();
    }
    await append(2, ...many(200), ['c', '3']);
    const following = follower();

    await following.bringUpToDate(PATIENCE);

    expect([await textOf(following, 'b'), await textOf(following, 'c')]).toEqual(['1×commit', '1×3']);
    expect(positions(following)).toEqual([0, 4, 201]);
  });

  it('is not shown before it is whole', async () => {
    await expect(async () => follower().store.get(byteKey(Buffer.from('a')))).rejects.toMatchObject({
      code: 'STREAMS_INVALID_STATE_STORE',
    });
  });

  it('reports how far it is behind the log', async () => {
    const lags: number[] = [];
    const gauge = (name: string, value: number) => void (name === 'global-store-lag-records' && lags.push(value));
    host = { ...host, metrics: { ...host.metrics, gauge } };
    for (let batch = 0; batch < 5; batch += 1) await append(0, ...many(30));

    await follower().bringUpToDate(PATIENCE);

    expect(lags[0]).toBeGreaterThan(0);
    expect(lags).toEqual([...lags].sort((a, b) => b - a));
    expect(lags.at(-1)).toBe(0);
  });

  it('applies what comes, each record once', async () => {
    await append(0, ['a', '1']);
    const following = follower();
    await following.bringUpToDate(PATIENCE);

    await append(0, ['a', '2']);
    await following.follow(1_000, new AbortController().signal);
    await following.bringUpToDate(PATIENCE);

    expect(await textOf(following, 'a')).toBe('2×2');
  });

  it('says what keeps it when a transaction stays open below its goal', async () => {
    const producer = await log.initProducer({ transactionalId: 'writer', transactionTimeoutMs: 60_000 });
    await producer.send({ topic: 'rows', partition: 1 }, records(['b', 'open']));
    const goal = { partitionAmong: () => 1, offset: offset(1) };

    const waiting = follower().bringUpToDate({ ...PATIENCE, atLeast: goal });

    await expect(waiting).rejects.toMatchObject({
      code: 'STREAMS_RESTORE_STALLED',
      details: { stuck: [{ partition: 1, position: 0, targetOffset: 1 }] },
    });
    await producer.close();
  });

  it('goes on from what this process has kept, without reading anything again', async () => {
    await append(0, ...many(300));
    const kept = new KeptStores();
    const before = follower(kept);
    await before.bringUpToDate(PATIENCE);
    await before.release();
    await append(0, ['key-0', 'later']);

    const after = follower(kept);
    await after.bringUpToDate(PATIENCE);

    expect(modes()).toEqual(['log', 'memory']);
    expect([await textOf(after, 'key-0'), await textOf(after, 'key-1')]).toEqual(['2×later', `1×${'x'.repeat(20)}`]);
  });

  it('goes on from where it was stopped while it was loaded', async () => {
    for (let batch = 0; batch < 20; batch += 1) await append(0, ...many(30));
    const kept = new KeptStores();
    const stop = new AbortController();
    const interrupted = new Proxy(log, {
      get(target, property) {
        if (property === 'fetch' && events.length > 0)
          return (...args: Parameters<Log['fetch']>) => {
            fetches += 1;
            if (fetches === 3) stop.abort();
            return target.fetch(...args);
          };
        const member: unknown = Reflect.get(target, property);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    let fetches = 0;
    const before = follower(kept, interrupted);
    await expect(before.bringUpToDate({ ...PATIENCE, signal: stop.signal })).rejects.toMatchObject({
      code: 'STREAMS_ABORTED',
    });
    await before.release();

    const after = follower(kept);
    await after.bringUpToDate(PATIENCE);

    expect(modes()).toEqual(['log', 'memory']);
    expect(await textOf(after, 'key-0')).toBe(`20×${'x'.repeat(20)}`);
    const loaded = events.find(({ event }) => event === 'global-store-loaded');
    expect(loaded?.fields.records).toBeLessThan(600);
  });

  it('is built anew where deletes may have been missed meanwhile, by whatever partition', async () => {
    await append(0, ['a', '1']);
    const kept = new KeptStores();
    const before = follower(kept);
    await before.bringUpToDate(PATIENCE);
    await before.release();
    aheadMs = RETENTION_MS;
    await append(2, ['c', '3']);

    const after = follower(kept);
    await after.bringUpToDate(PATIENCE);

    expect(modes()).toEqual(['log', 'log']);
    expect(await textOf(after, 'a')).toBe('1×1');
  });

  it('is shown as it was while its topic, created again, is read, and then as the new topic has it', async () => {
    await append(0, ['a', 'old']);
    const following = follower();
    await following.bringUpToDate(PATIENCE);

    await log.deleteTopic('rows');
    await log.createTopic(TOPIC);
    const before = await textOf(following, 'a');
    await append(1, ['b', 'new']);
    await following.bringUpToDate(PATIENCE);

    expect(before).toBe('1×old');
    expect([await textOf(following, 'a'), await textOf(following, 'b')]).toEqual([null, '1×new']);
    expect(positions(following)).toEqual([0, 1, 0]);
  });

  it('notices in the midst of following that its topic was created again', async () => {
    await append(0, ['a', 'old']);
    const following = follower();
    await following.bringUpToDate(PATIENCE);
    await log.deleteTopic('rows');
    await log.createTopic(TOPIC);

    const next = following.follow(0, new AbortController().signal);

    await expect(next).rejects.toMatchObject({ code: 'STREAMS_TOPIC_RECREATED' });
  });

  it('begins anew where the log has moved on without it', async () => {
    await append(0, ['a', '1']);
    const following = follower();
    await following.bringUpToDate(PATIENCE);
    await append(0, ['a', '2'], ['b', '2']);
    await log.deleteRecords(new Map([[topicPartitionKey({ topic: 'rows', partition: 0 }), offset(2)]]));

    await following.bringUpToDate(PATIENCE);

    expect([await textOf(following, 'a'), await textOf(following, 'b')]).toEqual([null, '1×2']);
  });

  it('says that its topic does not exist', async () => {
    await log.deleteTopic('rows');

    await expect(follower().bringUpToDate(PATIENCE)).rejects.toMatchObject({
      code: 'STREAMS_UNKNOWN_TOPIC',
      details: { topic: 'rows', store: 'rows' },
    });
  });
});
