/** Items of the tables that somebody deletes by hand (traps 42). */
import { describe, expect, it } from 'vitest';
import { countsOf, exactCounts, runScene } from '../support/simulation/fault-scene.js';

/** So short that a slot has had several incarnations by then. */
const QUICK_TURNS_MS = 3_000;
const CALLS_BEFORE_CLAIM_MOST = 40;
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

  it('of a member that stands still between its claim and its first lease leaves no two of one name (trap 42)', async () => {
    const frozenAfter = (call: number) => ({ kind: 'freeze', call, before: false, ms: 1_500 });
    const calls = Array.from({ length: CALLS_BEFORE_CLAIM_MOST }, (_, call) => call);
    const probes = await Promise.all(calls.map((call) => runScene([frozenAfter(call)], ONE_MEMBER)));
    const atClaim = probes.findIndex((probe) => probe.fault('freeze').fields.method === 'claimMember');
    const claimedAtMs = probes[atClaim]?.fault('freeze').atMs ?? Number.NaN;

    const run = await runScene(
      [frozenAfter(atClaim), { kind: 'row-deleted', table: 'members', atMs: claimedAtMs + 50, row: 0 }],
      ONE_MEMBER,
    );

    const claims = run.entries('member-claimed').map(({ fields }) => `${fields.memberId}#${fields.incarnation}`);
    expect(run.fault('row-deleted').fields.member).toMatchObject({ status: 'claimed' });
    expect(run.entries('slot-recreated')).toHaveLength(1);
    expect(new Set(claims).size).toBe(claims.length);
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

  it('of the newest plan is made again beyond what members know, so that all hear of what comes after (trap 42)', async () => {
    const deleted = { kind: 'row-deleted', table: 'plans', atMs: 2_000, row: 0 };
    const later = { kind: 'member-added', atMs: 3_000, members: 1 };

    const run = await runScene([deleted, later], { taskTimeoutMs: 60_000 });

    const [recreated, ...others] = run.entries('plan-recreated');
    const number = Number(recreated?.fields.planNumber);
    const before = run.entries('plan-written').filter(({ atMs }) => atMs < run.fault('row-deleted').atMs);
    expect(others).toEqual([]);
    expect(number).toBeGreaterThan(Math.max(...before.map(({ fields }) => Number(fields.planNumber))));
    const heard = run.entries('plan-announced').filter(({ fields }) => Number(fields.planNumber) >= number);
    expect(heard.length).toBeGreaterThan(0);
    expect(run.violations).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
