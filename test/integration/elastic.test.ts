/** Members between bounds, in the embedded system: they come with a burst, and go after it (features G12). */
import { afterEach, describe, expect, it } from 'vitest';
import { createJsonLinesLogger } from '../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, json, long, type SettingsInput, StreamsBuilder, string } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import { waitFor } from '../support/wait-for.js';

const PARTITIONS = 4;
const RECORDS = 2_000;
const KEYS = 40;
const MS_PER_RECORD = 2;
const PATIENCE_MS = 40_000;
const TEST_TIMEOUT_MS = 3 * PATIENCE_MS;

const quick: SettingsInput = {
  heartbeatIntervalMs: 50,
  sessionTimeoutMs: 2_000,
  tickIntervalMs: 50,
  commitIntervalMs: 20,
  membersCooldownMs: 400,
  membersLagTargetMs: 200,
};

const open: LocalStreams[] = [];
afterEach(async () => {
  for (const streams of open.splice(0)) await streams.close();
});

/** Counts by key, and takes its time for each record. */
async function start(settings: SettingsInput): Promise<LocalStreams> {
  const builder = new StreamsBuilder();
  builder
    .stream('events', { key: string(), value: json<number>() })
    .mapValues(async (value) => {
      await new Promise((resolve) => setTimeout(resolve, MS_PER_RECORD));
      return value;
    })
    .groupByKey()
    .count({ store: 'counts' })
    .toStream()
    .to('totals', { key: string(), value: long() });
  const streams = await LocalStreams.start({
    app: defineApp({ applicationId: 'elastic', topology: builder.build(), settings: { ...quick, ...settings } }),
    topics: ['events', 'totals'].map((name) => ({ name, partitions: PARTITIONS })),
    host: createNodeHost({ logger: createJsonLinesLogger({ level: 'silent' }) }),
  });
  open.push(streams);
  return streams;
}

const burst = (streams: LocalStreams) =>
  streams.append(
    'events',
    { key: string(), value: json<number>() },
    Array.from({ length: RECORDS }, (_, index) => ({ key: `k${index % KEYS}`, value: index })),
  );

const wanted = async (streams: LocalStreams) => (await streams.state()).membersWanted;

describe('members between bounds', () => {
  it(
    'rise with a burst, fall to the least after it, and count every record once',
    async () => {
      const streams = await start({ members: { min: 1, max: 4 } });
      expect(await wanted(streams)).toBe(1);

      await burst(streams);
      await waitFor('three members', async () => (await wanted(streams)) >= 3, PATIENCE_MS);
      await streams.untilCaughtUp(AbortSignal.timeout(PATIENCE_MS));
      await waitFor('one member', async () => (await wanted(streams)) === 1, PATIENCE_MS);

      const { members, plan } = await streams.state();
      expect(members.map(({ id }) => id)).toContain('member-1');
      expect(plan?.reason).toContain('1 members wanted, before 2');
      expect(await streams.query('counts', 'k7')).toMatchObject({ value: RECORDS / KEYS });
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'where the least is 0 all end without work, and come back for a record',
    async () => {
      const streams = await start({ members: { min: 0, max: 4 }, idleTimeoutMs: 300 });
      await burst(streams);
      await streams.untilCaughtUp(AbortSignal.timeout(PATIENCE_MS));

      const running = async () => (await streams.state()).members.filter((member) => member.running).length;
      await waitFor('none', async () => (await running()) === 0 && (await wanted(streams)) === 1, PATIENCE_MS);
      await burst(streams);
      await streams.untilCaughtUp(AbortSignal.timeout(PATIENCE_MS));

      expect(await streams.query('counts', 'k7')).toMatchObject({ value: (2 * RECORDS) / KEYS });
    },
    TEST_TIMEOUT_MS,
  );
});
