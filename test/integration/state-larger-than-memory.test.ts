import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, long, type SettingsInput, string } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';
import { countingTopology, INPUT, OUTPUT } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const WORDS = 4_000;
const BUDGET_BYTES = 250_000;
const words = Array.from({ length: WORDS }, (_, number) => `word-${String(number).padStart(5, '0')}`);
const text = { key: string(), value: string() };

let dir: string;
let events: LoggedEvent[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'millrace-state-'));
  events = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function start(settings: SettingsInput): Promise<LocalStreams> {
  const app = defineApp({
    applicationId: 'app',
    topology: countingTopology(),
    settings: {
      maxStateBytesPerMember: BUDGET_BYTES,
      commitIntervalMs: 20,
      heartbeatIntervalMs: 100,
      snapshotMinRecords: 1,
      ...settings,
    },
  });
  const topics = [INPUT, OUTPUT].map((name) => ({ name, partitions: 1, config: {} }));
  return LocalStreams.start({ app, dir, topics, host: createNodeHost({ logger: listeningLogger(events) }) });
}

/** Counts every word once more. */
async function countAll(streams: LocalStreams, count: number): Promise<void> {
  for (let from = 0; from < WORDS; from += 500) {
    const some = words.slice(from, from + 500);
    await streams.append(
      INPUT,
      text,
      some.map((word) => ({ key: word, value: word })),
    );
    const written = (count - 1) * WORDS + from + some.length;
    await waitFor(`${written} counts`, async () => (await outputs(streams)).length >= written || undefined, 30_000);
  }
}

/** Goes on with other input until what is in a snapshot has gone from memory. */
async function untilSmall(streams: LocalStreams): Promise<void> {
  const isSmall = async () => {
    await streams.append(INPUT, text, [{ key: 'tick', value: 'tick' }]);
    return (await streams.state()).stateBytes < BUDGET_BYTES || undefined;
  };
  await waitFor('memory to be within its bounds', isSmall, 30_000);
}

const outputs = async (streams: LocalStreams) =>
  (await streams.read(OUTPUT, { key: string(), value: long() })).filter(({ key }) => key !== 'tick');

describe('a state that is larger than what a member may hold', () => {
  it.each(['auto', 'lazy'] as const)(
    'is counted right with storeMode %s, and again by who starts anew',
    async (storeMode) => {
      const first = await start({ storeMode });
      await countAll(first, 1);
      await countAll(first, 2);
      await untilSmall(first);
      await first.close();
      const second = await start({ storeMode });
      await countAll(second, 3);
      const counts = new Map((await outputs(second)).map(({ key, value }) => [key, value]));
      await second.close();

      expect(counts.size).toBe(WORDS);
      expect([...counts.values()].every((count) => count === 3)).toBe(true);
      expect(events.filter(({ event }) => event === 'task-failed')).toEqual([]);
    },
    120_000,
  );

  it('lies in memory with storeMode auto for as long as it fits', async () => {
    const first = await start({ storeMode: 'auto', maxStateBytesPerMember: 100 * BUDGET_BYTES, snapshotIntervalMs: 0 });
    await countAll(first, 1);
    await first.close();
    events.length = 0;
    const second = await start({ storeMode: 'auto', maxStateBytesPerMember: 100 * BUDGET_BYTES });
    await countAll(second, 2);
    await second.close();

    const restored = events.find(({ event }) => event === 'restore-finished');
    expect(restored?.fields).toMatchObject({ mode: 'snapshot+tail' });
    expect(Number(restored?.fields.snapshotEntries)).toBeGreaterThan(0);
  }, 120_000);
});
