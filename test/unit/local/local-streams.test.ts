import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import wordCount from '../../../examples/wordcount/word-count.js';
import type { TaskAssignor } from '../../../lib/assignment/index.js';
import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { defineApp, string } from '../../../lib/index.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import {
  LocalStreams,
  type LocalStreamsOptions,
  offset,
  type RecordSet,
  RecordSetBuilder,
} from '../../../lib/local/index.js';
import { UnavailableError } from '../../../lib/model/errors.js';

const serdes = { key: string(), value: string() };
const topics = ['lines', 'counts'].map((name) => ({ name, partitions: 2 }));
const quick = { heartbeatIntervalMs: 50, sessionTimeoutMs: 500, tickIntervalMs: 50, commitIntervalMs: 10 };

const open: LocalStreams[] = [];
afterEach(async () => {
  for (const streams of open.splice(0)) await streams.close();
});

async function start(settings = {}, options: Partial<LocalStreamsOptions> = {}): Promise<LocalStreams> {
  const { applicationId, topology } = wordCount;
  const streams = await LocalStreams.start({
    app: defineApp({ applicationId, topology, settings: { ...quick, ...settings } }),
    topics,
    host: createNodeHost({ logger: createJsonLinesLogger({ level: 'silent' }) }),
    ...options,
  });
  open.push(streams);
  return streams;
}

describe('the local system', () => {
  it('counts what was appended once it is caught up, and answers queries', async () => {
    const streams = await start();

    await streams.append('lines', serdes, [
      { key: 'a', value: 'to be or not' },
      { key: null, value: 'to be' },
    ]);
    await streams.untilCaughtUp(AbortSignal.timeout(10_000));

    expect(await streams.query('counts', 'be')).toMatchObject({ found: true, value: 2 });
    expect(await streams.query('counts', 'never')).toMatchObject({ found: false, value: null });
  });

  it('puts records of one key into one partition, in order', async () => {
    const streams = await start();
    const records = Array.from({ length: 20 }, (_, index) => ({ key: 'same', value: `${index}` }));

    await streams.append('lines', serdes, records);

    const read = await streams.log.fetch(
      [0, 1].map((partition) => ({ topic: 'lines', partition, fromOffset: offset(0) })),
      { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 1_000_000 },
    );
    const sizes = read.map((result) => result.records.size).sort((a, b) => a - b);
    const values = read.flatMap((result) =>
      [...result.records].map(({ value }) => Buffer.from(value ?? []).toString()),
    );
    expect(sizes).toEqual([0, 20]);
    expect(values).toEqual(records.map(({ value }) => value));
  });

  it('reads all that is committed in a topic, each partition in order', async () => {
    const streams = await start();

    await streams.append('lines', serdes, [
      { key: 'same', value: 'first', timestampMs: 5, headers: [{ key: 'h', value: null }] },
      { key: null, value: 'no key' },
      { key: 'same', value: null, timestampMs: 4 },
    ]);
    const open = await streams.log.initProducer({ transactionalId: 'open', transactionTimeoutMs: 60_000 });
    await open.send({ topic: 'lines', partition: 0 }, oneRecord('not committed'));
    const reading = streams.read('lines', serdes);
    await open.abort();
    const read = await reading;

    const same = read.filter(({ key }) => key === 'same');
    expect(same).toMatchObject([
      { value: 'first', timestampMs: 5, headers: [{ key: 'h', value: null }], offset: 0 },
      { value: null, timestampMs: 4, headers: [], offset: 1 },
    ]);
    expect(same[0]?.partition).toBe(same[1]?.partition);
    expect(read.map(({ value }) => value).sort()).toEqual(['first', 'no key', null].sort());
  });

  it('reads over what was aborted up to the end, and nothing where there is nothing', async () => {
    const streams = await start();
    const producer = await streams.log.initProducer({ transactionalId: 'aborts', transactionTimeoutMs: 60_000 });

    await producer.send({ topic: 'lines', partition: 1 }, oneRecord('aborted'));
    await producer.abort();

    expect(await streams.read('lines', serdes)).toEqual([]);
    await expect(streams.read('nowhere', serdes)).rejects.toMatchObject({ code: 'STREAMS_UNKNOWN_TOPIC' });
  });

  it('takes input that has to be there before any member runs, and does not start where that fails', async () => {
    const before: unknown[] = [];
    const streams = await start(
      {},
      {
        async beforeMembers(early) {
          before.push((await early.state()).members.length);
          await early.append('lines', serdes, [{ key: 'a', value: 'to be' }]);
        },
      },
    );
    await streams.untilCaughtUp(AbortSignal.timeout(10_000));

    expect(before).toEqual([0]);
    expect(await streams.query('counts', 'be')).toMatchObject({ found: true, value: 1 });
    const refused = start({}, { beforeMembers: (early) => early.append('nowhere', serdes, []) });
    await expect(refused).rejects.toMatchObject({ code: 'STREAMS_UNKNOWN_TOPIC' });
  });

  it('gives up waiting when the signal fires', async () => {
    const streams = await start({}, { processes: () => nobody });

    await streams.append('lines', serdes, [{ key: 'a', value: 'never counted' }]);

    await expect(streams.untilCaughtUp(AbortSignal.timeout(100))).rejects.toMatchObject({ code: 'STREAMS_ABORTED' });
  });

  it('refuses to append to a topic that does not exist', async () => {
    const streams = await start();

    await expect(streams.append('nowhere', serdes, [])).rejects.toMatchObject({ code: 'STREAMS_UNKNOWN_TOPIC' });
  });

  it('refuses numbers of members and standbys that there are not, however many at once, and goes on as it was', async () => {
    const streams = await start();

    const asked = [streams.setMembers(-1), streams.setMembers(1.5), streams.setStandbyReplicas(-1)];

    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'STREAMS_INVALID_SETTING' } });
    expect(streams.members).toBe(1);
    await streams.append('lines', serdes, [{ key: null, value: 'still here' }]);
    await streams.untilCaughtUp(AbortSignal.timeout(10_000));
  });

  it('keeps the number of members asked for last, though the call before it fails late', async () => {
    const leases = createMemoryLeaseStore();
    const streams = await start({ tickIntervalMs: 60_000 }, { leases });
    const listLeases = leases.listLeases.bind(leases);
    let isAway = true;
    leases.listLeases = async () => {
      if (!isAway) return listLeases();
      await setTimeout(100);
      throw new UnavailableError('the table is away');
    };

    const failing = streams.setMembers(3).catch((thrown: unknown) => thrown);
    await setTimeout(20);
    isAway = false;
    await streams.setMembers(4);

    expect(await failing).toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
    expect(streams.members).toBe(4);
  });

  it('places tasks by an assignor of the user’s', async () => {
    const allOnTheFirst: TaskAssignor = {
      name: 'first',
      assign: ({ tasks, members }) => {
        const active = tasks.map(({ id }) => id);
        const placed = members.slice(0, 1).map(({ id }) => [id, { active, standby: [], warmup: [] }] as const);
        return { members: new Map(placed), followUp: false };
      },
    };
    const streams = await start({ members: 2, assignor: 'first' }, { assignors: [allOnTheFirst] });

    await streams.append('lines', serdes, [{ key: 'a', value: 'x' }]);
    await streams.untilCaughtUp(AbortSignal.timeout(10_000));

    const { members } = await streams.state();
    expect(members.map(({ tasks }) => tasks.length)).toEqual([4, 0]);
  });
});

function oneRecord(value: string): RecordSet {
  const builder = new RecordSetBuilder();
  builder.append(null, Buffer.from(value), 0);
  return builder.build();
}

/** Processes that never run anything. */
const nobody = {
  slots: new Set<never>(),
  run: async () => {},
  crash: () => false,
  stop: async () => false,
  end: () => {},
};
