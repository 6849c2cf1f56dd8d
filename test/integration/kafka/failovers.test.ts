/**
 * A member's process is killed under load on a real broker: without a copy of its tasks, with snapshots, and with hot standbys; heard of by a failure
 * event, and by the session time-out. How long it takes is no matter of these tests.
 */
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { SettingsInput } from '../../../lib/model/settings.js';
import { SNAPSHOTS_OFF } from '../../../lib/model/settings.js';
import { ProcessCluster, type ProcessClusterOptions } from '../../support/processes/process-cluster.js';
import { waitFor } from '../../support/wait-for.js';

const PARTITIONS = 4;
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function start(settings: SettingsInput, options: Partial<ProcessClusterOptions> = {}): Promise<ProcessCluster> {
  return ProcessCluster.start(
    {
      brokers: inject('kafkaBrokers'),
      partitions: PARTITIONS,
      ratePerPartition: 50,
      stateKeys: 2_000,
      settings: {
        members: 2,
        heartbeatIntervalMs: 500,
        sessionTimeoutMs: 10_000, // longer than a busy machine keeps a process waiting
        tickIntervalMs: 200,
        ...settings,
      },
      ...options,
    },
    cleanUps,
  );
}

/** What the tasks of the killed began with at the next owner. */
const startsOf = (resumptions: readonly { readonly restoredFrom?: unknown }[]) =>
  new Set(resumptions.flatMap(({ restoredFrom }) => restoredFrom as readonly string[]));

describe('a member whose process is killed under load', () => {
  it('is replaced without any copy of its state: the changelogs are read anew (features F11, H2)', async () => {
    const cluster = await start({ numStandbyReplicas: 0, snapshotMinRecords: SNAPSHOTS_OFF });
    await cluster.untilAtWork();

    const killed = await cluster.killBusiest();
    await cluster.untilResumed(killed);

    expect(await cluster.finish()).toEqual([]);
    expect(cluster.deathOf(killed).because).toBe('failure event');
    const resumptions = cluster.resumptionsAfter(killed);
    expect(startsOf(resumptions)).toEqual(new Set(['log']));
    for (const { restoredRecords } of resumptions) expect(Number(restoredRecords)).toBeGreaterThan(100);
  });

  it('is replaced from snapshots that the standby function keeps, and the tails behind them (features F11, H2)', async () => {
    const cluster = await start({
      numStandbyReplicas: 1,
      standbyKind: 'snapshot',
      snapshotMinRecords: 200,
      snapshotIntervalMs: 500,
    });
    await cluster.untilAtWork();
    const written = () => cluster.events.filter(({ event }) => event === 'snapshot-written').length;
    await waitFor('snapshots of all tasks', async () => written() >= PARTITIONS);

    const killed = await cluster.killBusiest();
    await cluster.untilResumed(killed);

    expect(await cluster.finish()).toEqual([]);
    expect(startsOf(cluster.resumptionsAfter(killed))).toEqual(new Set(['snapshot+tail']));
  });

  it('is replaced by hot standbys, which are promoted in place and read the tail alone (features F9, H1)', async () => {
    const cluster = await start({ numStandbyReplicas: 1, standbyKind: 'hot' });
    await cluster.untilAtWork();

    const killed = await cluster.killBusiest();
    await cluster.untilResumed(killed);

    expect(await cluster.finish()).toEqual([]);
    expect(cluster.deathOf(killed).because).toBe('failure event');
    const resumptions = cluster.resumptionsAfter(killed);
    expect(resumptions).toHaveLength(killed.partitions.length);
    expect(startsOf(resumptions)).toEqual(new Set(['memory']));
    for (const { memberId, restoredRecords } of resumptions) {
      expect(memberId).not.toBe(killed.memberId);
      expect(Number(restoredRecords)).toBeLessThan(1_000);
    }
  });

  it('is found by its heartbeat that stands still where nobody reports its death (features E1, F10)', async () => {
    const cluster = await start({ numStandbyReplicas: 1, standbyKind: 'hot' }, { reportsDeaths: false });
    await cluster.untilAtWork();

    const killed = await cluster.killBusiest();
    await cluster.untilResumed(killed);

    expect(await cluster.finish()).toEqual([]);
    const death = cluster.deathOf(killed);
    expect(death.because).toBe('session timeout');
    expect(death.atMs - killed.atMs).toBeGreaterThan(6_000);
    expect(startsOf(cluster.resumptionsAfter(killed))).toEqual(new Set(['memory']));
  });
});
