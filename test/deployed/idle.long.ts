import { expect, it } from 'vitest';
import { DeployedWordCount, PARTITIONS } from '../support/aws/deployed-word-count.js';
import { sleep } from '../support/wait-for.js';

const SNAPSHOT_INTERVAL_MS = 3_000;
const IDLE_MS = 190_000;

it('an application that has counted all costs three ticks in three minutes, and then counts on', async () => {
  const app = await DeployedWordCount.start({
    settings: {
      members: 2,
      tasksPerMember: PARTITIONS,
      numStandbyReplicas: 1,
      statestoreCacheMaxBytes: 0,
      idleTimeoutMs: 5_000,
      snapshotIntervalMs: SNAPSHOT_INTERVAL_MS,
      snapshotMinRecords: 100,
    },
  });
  try {
    await app.feed(500);
    await app.tick();
    await app.untilCounted();
    await app.untilIdle(SNAPSHOT_INTERVAL_MS);
    const before = await app.invocations();

    await sleep(IDLE_MS);
    const after = await app.invocations();
    await app.feed(500);
    await app.untilCounted();

    expect({ ...after, scheduler: 0 }).toEqual({ ...before, scheduler: 0 });
    expect(after.scheduler - before.scheduler).toBeGreaterThanOrEqual(3);
    expect(after.scheduler - before.scheduler).toBeLessThanOrEqual(4);
    expect(await app.wrong()).toEqual([]);
  } finally {
    await app.stop();
  }
});
