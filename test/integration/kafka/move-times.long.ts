/** What users notice of tasks that move between processes: pauses and gaps on a broker, held to figures. For a machine that does nothing else. */
import { afterEach, describe, expect, inject, it } from 'vitest';
import { ProcessCluster, type ProcessClusterOptions } from '../../support/processes/process-cluster.js';
import { type Pause, pausesOf, percentile } from '../../support/processes/timings.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const PARTITIONS = 12;
const PAUSE_P99_MS = 500;
const GAP_MS = 2_000;
/** Members come and go so often. */
const ROUNDS = 6;

function start(options: Partial<ProcessClusterOptions>): Promise<ProcessCluster> {
  return ProcessCluster.start(
    {
      brokers: inject('kafkaBrokers'),
      partitions: PARTITIONS,
      ratePerPartition: 50,
      stateKeys: 200_000,
      settings: { members: 3, heartbeatIntervalMs: 1_000, sessionTimeoutMs: 10_000, acceptableRecoveryLag: 500 },
      ...options,
    },
    cleanUps,
  );
}

const inWords = (pauses: readonly Pause[], gaps: readonly number[]): string => {
  const figures = pauses.map(({ ms }) => ms);
  const part = (of: number) => `p${100 * of} ${percentile(figures, of)}`;
  return `${pauses.length} moves: pause ${part(0.5)}, ${part(0.99)} ms; longest gap of an output partition ${Math.max(...gaps)} ms`;
};

describe('tasks under load, on a machine that does nothing else', () => {
  it('pause for half a second at most when members join and leave (features G3, G4)', async () => {
    const cluster = await start({});
    await cluster.untilAtWork();
    const [mark, fromMs] = [cluster.events.length, Date.now()];

    for (let round = 0; round < ROUNDS; round += 1) {
      await cluster.growTo(4);
      await cluster.growTo(3);
    }
    const gaps = cluster.output.longestGaps(fromMs, Date.now());

    expect(await cluster.finish()).toEqual([]);
    const pauses = pausesOf(cluster.events.slice(mark));
    process.stdout.write(`join and leave: ${inWords(pauses, gaps)}\n`);
    expect(pauses.length).toBeGreaterThanOrEqual(2 * ROUNDS * 3);
    expect(
      percentile(
        pauses.map(({ ms }) => ms),
        0.99,
      ),
    ).toBeLessThanOrEqual(PAUSE_P99_MS);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(GAP_MS);
  });

  it('go on through a deployment without a gap above two seconds (features E10, G7)', async () => {
    const lifetimeMs = (memberId: string, incarnation: number) =>
      incarnation > 1 ? undefined : 45_000 + 5_000 * Number(memberId.at(-1));
    const cluster = await start({ lifetimeMs });
    await cluster.untilAtWork();
    const [mark, fromMs, before] = [cluster.events.length, Date.now(), (await cluster.plan()).number];

    await cluster.untilRenewed(2);
    const gaps = cluster.output.longestGaps(fromMs, Date.now());

    expect(await cluster.finish()).toEqual([]);
    const pauses = pausesOf(cluster.events.slice(mark));
    process.stdout.write(`deployment: ${inWords(pauses, gaps)}\n`);
    expect(pauses).toHaveLength(PARTITIONS);
    expect((await cluster.plan()).number - before).toBeLessThanOrEqual(1);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(GAP_MS);
  });
});
