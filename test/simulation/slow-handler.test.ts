import { expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, StreamsBuilder, string } from '../../lib/index.js';
import { LocalStreams, RecordSetBuilder } from '../../lib/local/index.js';
import { VirtualTime } from '../../lib/testing/simulation/virtual-time.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';

const RECORDS = 200;
const SLOW_MS = 40_000;

it('a handler that takes 40 s a record, far beyond every time-out, processes each offset once and in order (trap 46)', async () => {
  const time = new VirtualTime();
  const seen: number[] = [];
  const events: LoggedEvent[] = [];
  const builder = new StreamsBuilder();
  builder
    .stream('in', { key: string(), value: string() })
    .peek(async (_, value) => {
      seen.push(Number(value));
      await time.clock.sleep(SLOW_MS);
    })
    .to('out');
  const records = new RecordSetBuilder();
  for (let number = 0; number < RECORDS; number += 1) records.append(null, Buffer.from(`${number}`), number);

  await time.run(
    (async () => {
      const streams = await LocalStreams.start({
        app: defineApp({ applicationId: 'slow', topology: builder.build(), settings: { members: 1 } }),
        host: { ...createNodeHost({ logger: listeningLogger(events) }), clock: time.clock },
        topics: ['in', 'out'].map((name) => ({ name, partitions: 1, config: {} })),
      });
      await streams.log.append({ topic: 'in', partition: 0 }, records.build());
      await time.clock.sleep(2 * RECORDS * SLOW_MS);
      expect(await streams.isCaughtUp()).toBe(true);
      await streams.close();
    })(),
  );

  expect(seen).toEqual(Array.from({ length: RECORDS }, (_, number) => number));
  expect(events.filter(({ event }) => event === 'task-recovering' || event === 'task-failed')).toEqual([]);
});
