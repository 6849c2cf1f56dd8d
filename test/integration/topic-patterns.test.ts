import { afterEach, describe, expect, it } from 'vitest';
import { createJsonLinesLogger } from '../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, long, type SettingsInput, StreamsBuilder, string } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';

const text = { key: string(), value: string() };
const quick = { heartbeatIntervalMs: 50, sessionTimeoutMs: 500, tickIntervalMs: 50, commitIntervalMs: 10 };
const counts = { key: string(), value: long() };

const open: LocalStreams[] = [];
afterEach(async () => {
  for (const streams of open.splice(0)) await streams.close();
});

/** Counts records by value, over all topics of a pattern. */
async function start(topics: Readonly<Record<string, number>>, settings: SettingsInput = {}): Promise<LocalStreams> {
  const builder = new StreamsBuilder();
  builder
    .stream(/orders-.*/, text)
    .groupBy((_, country) => country)
    .count({ store: 'counts' })
    .toStream()
    .to('out', counts);
  const streams = await LocalStreams.start({
    app: defineApp({ applicationId: 'app', topology: builder.build(), settings: { ...quick, ...settings } }),
    topics: Object.entries({ ...topics, out: 1 }).map(([name, partitions]) => ({ name, partitions, config: {} })),
    host: createNodeHost({ logger: createJsonLinesLogger({ level: 'silent' }) }),
  });
  open.push(streams);
  return streams;
}

async function create({ log }: LocalStreams, name: string, partitions: number): Promise<void> {
  await log.createTopic({ name, partitions, config: {} });
}

const settled = (streams: LocalStreams) => streams.untilCaughtUp(AbortSignal.timeout(20_000));
const append = (streams: LocalStreams, topic: string, ...values: readonly string[]) =>
  streams.append(
    topic,
    text,
    values.map((value, index) => ({ key: `${index}`, value })),
  );

describe('a source with a pattern', () => {
  it.each([
    ['members that run', {}],
    ['members that sleep', { idleTimeoutMs: 100 }],
    ['several members', { members: 3 }],
  ])('reads topics that were there and those that come while it runs, with %s', async (_, settings) => {
    const streams = await start({ 'orders-dk': 2, bills: 2 }, settings);
    await append(streams, 'orders-dk', 'dk', 'dk', 'x');
    await append(streams, 'bills', 'x');
    await settled(streams);

    await create(streams, 'orders-se', 2);
    await append(streams, 'orders-se', 'se', 'x', 'x', 'x');
    await append(streams, 'orders-dk', 'dk');
    await settled(streams);

    const values = [];
    for (const key of ['dk', 'se', 'x']) values.push((await streams.query('counts', key)).value);
    expect(values).toEqual([3, 1, 4]);
  });

  it('waits for its first topic', async () => {
    const streams = await start({});
    expect(await streams.isCaughtUp()).toBe(true);
    await expect(streams.query('counts', 'dk')).rejects.toMatchObject({ code: 'STREAMS_QUERY_REFUSED' });

    await create(streams, 'orders-dk', 3);
    await append(streams, 'orders-dk', 'dk', 'dk');
    await settled(streams);

    expect((await streams.query('counts', 'dk')).value).toBe(2);
  });

  it('goes on without a topic that is deleted, and reads one of that name from its start', async () => {
    const streams = await start({ 'orders-dk': 1, 'orders-se': 1 });
    await append(streams, 'orders-dk', 'dk');
    await append(streams, 'orders-se', 'se');
    await settled(streams);

    await streams.log.deleteTopic('orders-se');
    await append(streams, 'orders-dk', 'dk');
    await settled(streams);
    await create(streams, 'orders-se', 1);
    await append(streams, 'orders-se', 'se', 'se');
    await settled(streams);

    const values = [];
    for (const key of ['dk', 'se']) values.push((await streams.query('counts', key)).value);
    expect(values).toEqual([2, 3]);
  });

  it('stops, and says why, where a topic comes whose partitions its state was not made for', async () => {
    const streams = await start({ 'orders-dk': 1 });
    await append(streams, 'orders-dk', 'dk');
    await settled(streams);

    await create(streams, 'orders-se', 2);

    expect(await streams.failed).toMatchObject({
      code: 'STREAMS_INTERNAL_TOPIC_MISMATCH',
      details: { setting: 'partitions', wanted: 2, found: 1 },
    });
  });
});
