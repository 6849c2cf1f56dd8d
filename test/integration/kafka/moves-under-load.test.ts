/**
 * Tasks that move between processes under load on a real broker: members are added, and all are renewed as a deployment renews them. What a
 * read-committed reader of the output sees is exact; how long it waits is for move-times.long.ts.
 */
import { afterEach, describe, expect, inject, it } from 'vitest';
import { ProcessCluster } from '../../support/processes/process-cluster.js';
import { pausesOf } from '../../support/processes/timings.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const SETTINGS = {
  heartbeatIntervalMs: 500,
  sessionTimeoutMs: 10_000,
  tickIntervalMs: 200,
  acceptableRecoveryLag: 200,
};
/** Of the first incarnation of each slot: one after the other hands over. */
const LIFETIME_MS = 35_000;
const APART_MS = 3_000;

describe('tasks under load', () => {
  it('move to a member that joins once it is warm, and only as many as have to (features D6, G3)', async () => {
    const cluster = await ProcessCluster.start(
      {
        brokers: inject('kafkaBrokers'),
        partitions: 6,
        ratePerPartition: 50,
        stateKeys: 6_000,
        settings: { ...SETTINGS, members: 2 },
      },
      cleanUps,
    );
    await cluster.untilAtWork();
    const mark = cluster.events.length;

    await cluster.growTo(3);

    expect(await cluster.finish()).toEqual([]);
    const since = cluster.events.slice(mark);
    const moves = pausesOf(since);
    expect(moves.map(({ to }) => to)).toEqual(['member-3', 'member-3']);
    const starts = since.filter(({ event }) => event === 'task-running');
    for (const { fields } of starts) expect(fields.restoredFrom).toEqual(['memory']);
  });

  it('go on through a deployment that renews all members, without a new plan (features E8, E10, G7)', async () => {
    const cluster = await ProcessCluster.start(
      {
        brokers: inject('kafkaBrokers'),
        partitions: 4,
        ratePerPartition: 50,
        stateKeys: 2_000,
        settings: { ...SETTINGS, members: 2 },
        lifetimeMs: (memberId, incarnation) =>
          incarnation > 1 ? undefined : LIFETIME_MS + APART_MS * Number(memberId.at(-1)),
      },
      cleanUps,
    );
    await cluster.untilAtWork();
    const before = (await cluster.plan()).number;

    await cluster.untilRenewed(2);

    expect(await cluster.finish()).toEqual([]);
    expect((await cluster.plan()).number - before).toBeLessThanOrEqual(1);
    const renewals = pausesOf(cluster.events).filter(({ from, to }) => from === to);
    expect(renewals.map(({ taskId }) => taskId).sort()).toEqual(['0_0', '0_1', '0_2', '0_3']);
    expect(cluster.events.filter(({ event }) => event === 'member-declared-dead')).toEqual([]);
  });
});
