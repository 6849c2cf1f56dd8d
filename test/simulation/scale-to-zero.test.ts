import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import type { SettingsInput } from '../../lib/index.js';
import { LocalStreams, RecordSetBuilder } from '../../lib/local/index.js';
import { VirtualTime } from '../../lib/testing/simulation/virtual-time.js';
import { listeningLogger } from '../support/listening-logger.js';
import { SINK_TOPICS, SOURCE_TOPICS, standardApp } from '../support/simulation/standard-app.js';
import { readCounts } from '../support/word-count-reader.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

const SLEEPY: SettingsInput = { members: 2, idleTimeoutMs: 10 * SECOND_MS, tickIntervalMs: 30 * SECOND_MS };

/** The local system in virtual time. */
async function start(time: VirtualTime, tickMs: number): Promise<LocalStreams> {
  return LocalStreams.start({
    app: standardApp(SLEEPY, tickMs),
    host: { ...createNodeHost({ logger: listeningLogger([]) }), clock: time.clock },
    topics: Object.entries({ ...SOURCE_TOPICS, ...SINK_TOPICS }).map(([name, partitions]) => ({
      name,
      partitions,
      config: {},
    })),
  });
}

const inVirtualTime = (program: (time: VirtualTime) => Promise<void>): Promise<void> => {
  const time = new VirtualTime();
  return time.run(program(time));
};

async function writeLine(streams: LocalStreams, time: VirtualTime, line: string): Promise<void> {
  const records = new RecordSetBuilder();
  records.append(null, Buffer.from(line), time.clock.now());
  await streams.log.append({ topic: 'lines', partition: 0 }, records.build());
}

const running = async (streams: LocalStreams) => (await streams.state()).members.filter((member) => member.running);

describe('an application without work', () => {
  it('runs no member, however long: its lag is 0 behind the markers; and wakes for new input (trap 20)', () =>
    inVirtualTime(async (time) => {
      const streams = await start(time, 1_000 * HOUR_MS);
      await writeLine(streams, time, 'one two');
      await time.clock.sleep(60 * SECOND_MS);
      const plan = (await streams.state()).plan?.number;
      for (let hour = 0; hour < 3; hour += 1) {
        expect(await running(streams)).toEqual([]);
        await time.clock.sleep(HOUR_MS);
      }
      expect((await streams.state()).plan?.number).toBe(plan);

      await writeLine(streams, time, 'two');
      await time.clock.sleep(100 * SECOND_MS);

      expect(await streams.isCaughtUp()).toBe(true);
      expect([...(await readCounts(streams.log, 'counts', SINK_TOPICS.counts))].sort()).toEqual([
        ['one', [1]],
        ['two', [1, 2]],
      ]);
      await streams.close();
    }));

  it('wakes for each wall-clock punctuation, and sleeps in between', () =>
    inVirtualTime(async (time) => {
      const streams = await start(time, HOUR_MS);
      await time.clock.sleep(60 * SECOND_MS);
      let asleep = 0;
      for (let minute = 0; minute < 5 * 60; minute += 1) {
        await time.clock.sleep(60 * SECOND_MS);
        if ((await running(streams)).length === 0) asleep += 1;
      }

      const ticks = await readCounts(streams.log, 'ticks', SINK_TOPICS.ticks);
      expect([...ticks.values()]).toEqual([
        [1, 2, 3, 4, 5],
        [1, 2, 3, 4, 5],
      ]);
      expect(asleep).toBeGreaterThan(4.5 * 60);
      await streams.close();
    }));
});
