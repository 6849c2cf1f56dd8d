import { describe, expect, it } from 'vitest';
import { countsOf, exactCounts, runScene } from '../../../../support/simulation/fault-scene.js';

describe('an operator', () => {
  it('who wants more members gets them', async () => {
    const run = await runScene([
      { kind: 'member-added', atMs: 6_500, members: 1 },
      { kind: 'schedule-repeated', atMs: 6_600, times: 1 },
    ]);

    const claimed = new Set(run.entries('member-claimed').map(({ fields }) => fields.memberId));
    expect([...claimed].sort()).toEqual(['member-1', 'member-2', 'member-3']);
    expect(await countsOf(run)).toEqual(exactCounts());
  });

  it('who wants fewer members lets the others have their tasks', async () => {
    const run = await runScene([
      { kind: 'member-drained', atMs: 6_500, members: 1 },
      { kind: 'schedule-repeated', atMs: 6_600, times: 1 },
    ]);

    const { atMs } = run.fault('member-drained');
    expect(run.cloud.members).toBe(1);
    const taken = run.entries('task-taken').filter((entry) => entry.atMs > atMs + 6_000);
    expect(taken.every(({ fields }) => fields.memberId === 'member-1')).toBe(true);
    expect(await countsOf(run)).toEqual(exactCounts());
  });

  it('who drains a slot lets the others have its tasks, and has it back when that is taken back', async () => {
    const drain = { kind: 'slot-drained', atMs: 6_500, row: 1, warmMs: 2_000 };
    const forGood = await runScene([{ ...drain, cancelledAfterMs: 0 }]);
    const forAWhile = await runScene([{ ...drain, cancelledAfterMs: 1 }]);

    const { atMs } = forGood.fault('slot-drained');
    const taken = forGood.entries('task-taken').filter((entry) => entry.atMs > atMs + 6_000);
    expect(taken.every(({ fields }) => fields.memberId === 'member-1')).toBe(true);
    const marks = async ({ cloud }: typeof forGood) =>
      (await cloud.leases.listMembers()).filter(({ drain: mark }) => mark !== undefined).length;
    expect([await marks(forGood), await marks(forAWhile)]).toEqual([1, 0]);
    expect([await countsOf(forGood), await countsOf(forAWhile)]).toEqual([exactCounts(), exactCounts()]);
  });

  it('who deploys new code lets every function begin in a new environment', async () => {
    const run = await runScene([{ kind: 'code-redeployed', atMs: 7_000 }]);

    const started = run.entries('invocation-started').filter(({ who }) => who.startsWith('task'));
    const before = new Set(started.filter(({ atMs }) => atMs < 7_000).map(({ who }) => who));
    const after = started.filter(({ atMs }) => atMs > 7_000).map(({ who }) => who);
    expect(after.length).toBeGreaterThan(0);
    expect(after.some((who) => before.has(who))).toBe(false);
  });

  it("whose schedule's event comes more often than once has schedulers at work at one time", async () => {
    const run = await runScene([{ kind: 'schedule-repeated', atMs: 10, times: 2 }]);

    const started = run
      .entries('invocation-started')
      .filter(({ who, atMs }) => who.startsWith('scheduler') && atMs < 500);
    expect(new Set(started.map(({ who }) => who)).size).toBe(3);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
