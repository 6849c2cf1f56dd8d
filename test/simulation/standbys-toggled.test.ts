/** Hot standbys come and go while records are processed (features F5). */
import { expect, it } from 'vitest';
import { defineApp, long, StreamsBuilder, string } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import { inVirtualTime } from '../../lib/testing/index.js';

const PARTITIONS = 4;
const WORDS = ['ash', 'birch', 'cedar', 'elm', 'fir', 'oak', 'pine', 'yew'];
const ROUNDS = 120;
const EVERY_MS = 100;
const lines = { key: string(), value: string() };
const counts = { key: string(), value: long() };

/** Counts words for a while; `standbys` answers how many are wanted from a round on, if that is to change. */
function run(standbys: (round: number) => number | undefined) {
  return inVirtualTime(async (host) => {
    const builder = new StreamsBuilder();
    builder.stream('words', lines).groupByKey().count({ store: 'counts' }).toStream().to('counts');
    const streams = await LocalStreams.start({
      app: defineApp({
        applicationId: 'toggled',
        topology: builder.build(),
        settings: {
          members: 3,
          standbyKind: 'hot',
          statestoreCacheMaxBytes: 0,
          heartbeatIntervalMs: 500,
          sessionTimeoutMs: 5_000,
          tickIntervalMs: 500,
        },
      }),
      topics: ['words', 'counts'].map((name) => ({ name, partitions: PARTITIONS })),
      host,
    });
    const copies: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const wanted = standbys(round);
      if (wanted !== undefined) await streams.setStandbyReplicas(wanted);
      await streams.append(
        'words',
        lines,
        WORDS.map((key) => ({ key, value: `${round}` })),
      );
      await host.clock.sleep(EVERY_MS);
      const { plan } = await streams.state();
      copies.push(Object.values(plan?.assignment ?? {}).flatMap(({ standby }) => standby).length);
    }
    await streams.untilCaughtUp();
    const output = (await streams.read('counts', counts)).map(({ partition, key, value }) => [
      partition,
      key,
      `${value}`,
    ]);
    await expect(streams.setStandbyReplicas(-1)).rejects.toMatchObject({ code: 'STREAMS_INVALID_SETTING' });
    await streams.close();
    return { output, copies: copies.filter((count, round) => count !== copies[round - 1]) };
  });
}

it('standbys that are added and taken away under load leave the output as it is without any', async () => {
  const plain = await run(() => undefined);
  const toggled = await run((round) => ({ 30: 2, 80: 0 })[round]);

  expect(plain.copies).toEqual([0]);
  expect(toggled.copies).toEqual([0, 2 * PARTITIONS, 0]);
  expect(plain.output).toHaveLength(ROUNDS * WORDS.length);
  expect(toggled.output).toEqual(plain.output);
});
