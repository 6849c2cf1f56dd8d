import { describe, expect, it } from 'vitest';
import { WARM_PATIENCE_MS } from '../../../lib/leases/drain-marks.js';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import type { Precedence } from '../../../lib/scheduler/precedence.js';
import type { ControlPlaneWorld } from '../../support/control-plane-world.js';
import {
  reportCopy,
  SETTLED_WITHIN,
  statefulOf,
  warmupsOf,
  withLongChangelogs,
} from '../../support/long-changelogs.js';

const listed = async (world: ControlPlaneWorld) => Object.keys((await world.newestPlan()).assignment).sort();

/** Three members, of which two are wanted, some rounds later. */
async function withFewerWanted(): Promise<ControlPlaneWorld> {
  const world = await withLongChangelogs();
  world.wanted = 2;
  for (let round = 0; round < 5; round += 1) await world.round();
  return world;
}

/** Rounds in which every warm-up of the newest plan is caught up at once, until nothing changes any more. */
async function warmAll(world: ControlPlaneWorld): Promise<void> {
  for (let round = 0; round < SETTLED_WITHIN; round += 1) {
    for (const { id, taskId } of warmupsOf(await world.newestPlan())) reportCopy(world, id, taskId, 5);
    await world.round();
  }
}

describe('a member that is beyond the number wanted', () => {
  it('keeps tasks with stores until others are warm, gives up the rest at once, and is given nothing', async () => {
    const world = await withLongChangelogs();
    const before = statefulOf(await world.newestPlan(), 'member-3');

    world.wanted = 2;
    await world.round();
    const first = await world.newestPlan();
    for (let round = 0; round < 5; round += 1) await world.round();
    const kept = await world.newestPlan();

    expect(before.length).toBeGreaterThan(0);
    expect(first.reason).toContain('2 members wanted, before 3');
    expect(kept.number).toBe(first.number); // nothing new while nothing changes
    expect(kept.assignment['member-3']).toEqual({ active: before, standby: [], warmup: [] });
    expect(kept.leaving).toEqual({ 'member-3': expect.any(Number) });
    expect(warmupsOf(kept)).toHaveLength(1);
  });

  it('ends with its last task, each moved to who is warm', async () => {
    const world = await withFewerWanted();
    const moves: (readonly [string, string])[] = [];
    const warmed = new Set<string>();
    for (let round = 0; round < SETTLED_WITHIN && (await listed(world)).length > 2; round += 1) {
      const before = await world.newestPlan();
      for (const { id, taskId } of warmupsOf(before)) {
        reportCopy(world, id, taskId, 5);
        warmed.add(`${id} ${taskId}`);
      }
      await world.round();
      const after = await world.newestPlan();
      for (const taskId of statefulOf(before, 'member-3')) {
        const to = (['member-1', 'member-2'] as const).find((id) => statefulOf(after, id).includes(taskId));
        if (to !== undefined) moves.push([to, taskId]);
      }
    }
    await world.settle(SETTLED_WITHIN);

    expect(moves.length).toBeGreaterThan(0);
    for (const [to, taskId] of moves) expect(warmed).toContain(`${to} ${taskId}`);
    expect((await world.slots()).map(({ memberId }) => memberId)).toEqual(['member-1', 'member-2']);
    expect((await world.newestPlan()).leaving).toBeUndefined();
  });

  it('ends all the same once patience is over, also for a scheduler that has begun meanwhile', async () => {
    const world = await withFewerWanted();
    const at = (await world.newestPlan()).leaving?.['member-3'] ?? 0;
    const left = at - world.host.clock.now();
    const watch = createHeartbeatWatch();

    await world.host.advance(left - 1_000);
    await world.membersAct();
    await world.round({ watch });
    const before = await listed(world);
    for (let round = 0; round < 10; round += 1) await world.round({ watch });

    expect(left).toBeLessThanOrEqual(WARM_PATIENCE_MS);
    expect(before).toContain('member-3');
    expect(await listed(world)).toEqual(['member-1', 'member-2']);
  });

  it('is waited for no longer once it has died', async () => {
    const world = await withFewerWanted();

    world.member(3).crash();
    await world.settle(SETTLED_WITHIN);

    expect(await listed(world)).toEqual(['member-1', 'member-2']);
    expect(Object.keys(await world.loads()).sort()).toEqual(['member-1', 'member-2']);
  });

  it('keeps what it has when as many are wanted again, and waits anew the next time', async () => {
    const world = await withFewerWanted();
    const kept = statefulOf(await world.newestPlan(), 'member-3');
    const before = (await world.newestPlan()).leaving?.['member-3'] ?? 0;

    world.wanted = 3;
    await world.settle(SETTLED_WITHIN);
    const again = await world.newestPlan();
    world.wanted = 2;
    for (let round = 0; round < 5; round += 1) await world.round();

    expect(statefulOf(again, 'member-3')).toEqual(kept);
    expect(again.leaving).toBeUndefined();
    expect((await world.newestPlan()).leaving?.['member-3']).toBeGreaterThan(before);
  });

  it('is not counted as a member where the scheduler decides how many there are', async () => {
    const world = await withLongChangelogs();
    const elastic = { members: { min: 1, max: 2 } };
    for (let round = 0; round < 5; round += 1) await world.round(elastic);
    const { number, leaving, elastic: state } = await world.newestPlan();

    for (let round = 0; round < 20; round += 1) await world.round(elastic);

    expect(leaving).toEqual({ 'member-3': expect.any(Number) });
    expect((await world.newestPlan()).number).toBe(number);
    expect((await world.newestPlan()).elastic).toEqual(state);
  });

  it('is run again for the tasks that it keeps where nobody may plan for a while, though it slept', async () => {
    const world = await withFewerWanted();
    const { number } = await world.newestPlan();
    const watch = createHeartbeatWatch();
    const precedence: Precedence = { holdsBack: () => true, noteBegun: () => undefined };
    await world.member(3).end();

    for (let round = 0; round < 5; round += 1) await world.round({ watch, precedence, members: 3 });

    expect((await world.newestPlan()).number).toBe(number);
    expect(world.member(3).self.incarnation).toBe(2);
  });

  it('moves at once where an operator says so', async () => {
    const world = await withFewerWanted();

    await world.leases.markDrain('member-3', { wantedBefore: 3, warmUntilMs: 0 });
    await world.settle(SETTLED_WITHIN);

    expect(await listed(world)).toEqual(['member-1', 'member-2']);
  });

  it('leaves the others balanced', async () => {
    const world = await withFewerWanted();

    await warmAll(world);

    expect(await world.loads()).toEqual({ 'member-1': 4, 'member-2': 4 });
  });
});
