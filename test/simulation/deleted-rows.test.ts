/** Items of the tables that somebody deletes by hand (traps 42). */
import { describe, expect, it } from 'vitest';
import { countsOf, exactCounts, runScene } from '../support/simulation/fault-scene.js';

/** So short that a slot has had several incarnations by then. */
const QUICK_TURNS_MS = 3_000;
const ONE_MEMBER = { members: 1, taskTimeoutMs: QUICK_TURNS_MS };

describe('an item deleted by hand', () => {
  it('of the only member is made again, said, and its next incarnation takes what the last one held (trap 42)', async () => {
    const fault = { kind: 'row-deleted', table: 'members', atMs: 10_500, row: 0 };

    const run = await runScene([fault], ONE_MEMBER);

    const deletedAtMs = run.fault('row-deleted').atMs;
    const [recreated] = run.entries('slot-recreated');
    const takenAfter = run.entries('task-taken').filter(({ atMs }) => atMs > deletedAtMs);
    expect(Number(recreated?.fields.after)).toBeGreaterThan(1);
    expect(Number(takenAfter[0]?.fields.incarnation)).toBe(Number(recreated?.fields.after) + 1);
    expect((takenAfter[0]?.atMs ?? Number.POSITIVE_INFINITY) - deletedAtMs).toBeLessThan(2_000);
    expect(run.violations).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  });

  it('of a lease that is held makes its owner let go and take it anew, and every word counts once (trap 42)', async () => {
    const fault = { kind: 'row-deleted', table: 'leases', atMs: 2_000, row: 2 };

    const run = await runScene([fault], { ...ONE_MEMBER, taskTimeoutMs: 60_000 });

    const { atMs, fields } = run.fault('row-deleted');
    const { taskId } = fields.lease as { readonly taskId: string };
    const ofTask = (event: string) =>
      run.entries(event).filter((entry) => entry.atMs > atMs && entry.fields.taskId === taskId);
    expect(ofTask('task-migrated')).toHaveLength(1);
    expect(ofTask('task-taken')[0]?.fields.leaseEpoch).toBe(1);
    expect(run.violations).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
