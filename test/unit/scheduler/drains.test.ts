import { describe, expect, it } from 'vitest';
import type { ControlPlaneWorld } from '../../support/control-plane-world.js';
import {
  SETTLED_WITHIN as BOUND,
  reportCopy,
  settledWorld as settled,
  statefulOf,
  warmupsOf,
  withLongChangelogs,
} from '../../support/long-changelogs.js';

const FOR_LONG = 600_000;

const listed = async (world: ControlPlaneWorld) => Object.keys((await world.newestPlan()).assignment).sort();

describe('a member that an operator drains', () => {
  it('is given nothing more, ends once its tasks are elsewhere, and its slot stays empty', async () => {
    const world = await settled();

    await world.leases.markDrain('member-2', { wantedBefore: 3, warmUntilMs: 0 });
    await world.settle(BOUND);

    expect(await listed(world)).toEqual(['member-1', 'member-3']);
    expect((await world.newestPlan()).reason).toContain('member-2 is drained');
    expect(Object.keys(await world.loads()).sort()).toEqual(['member-1', 'member-3']);
    expect(await world.leases.readMember('member-2')).toMatchObject({ status: 'free', drain: { wantedBefore: 3 } });
    expect(world.living.map(({ self }) => self.memberId).sort()).toEqual(['member-1', 'member-3']);
  });

  it('leaves its slot empty also where it is the one of the highest number, and where fewer are wanted then', async () => {
    const world = await settled();
    await world.leases.markDrain('member-3', { wantedBefore: 3, warmUntilMs: 0 });
    await world.settle(BOUND);
    const slots = async () => (await world.slots()).map(({ memberId }) => memberId);
    const drained = [await listed(world), await slots()];

    world.wanted = 2;
    await world.settle(BOUND);

    expect(drained).toEqual([
      ['member-1', 'member-2'],
      ['member-1', 'member-2', 'member-3'],
    ]);
    expect([await listed(world), await slots()]).toEqual(drained);
  });

  it('is one of those that go when fewer are wanted, and comes back when the drain is taken back', async () => {
    const world = await settled();
    await world.leases.markDrain('member-2', { wantedBefore: 3, warmUntilMs: 0 });
    await world.settle(BOUND);
    const { number } = await world.newestPlan();

    world.wanted = 2;
    await world.settle(BOUND);
    const fewer = { slots: await listed(world), number: (await world.newestPlan()).number };
    world.wanted = 3;
    await world.leases.markDrain('member-2', null);
    await world.settle(BOUND);

    expect(fewer).toEqual({ slots: ['member-1', 'member-3'], number });
    expect(Object.keys(await world.loads()).sort()).toEqual(['member-1', 'member-2', 'member-3']);
  });

  it('costs no second plan where it is written about twice', async () => {
    const world = await settled();
    await world.leases.markDrain('member-2', { wantedBefore: 3, warmUntilMs: 0 });
    await world.settle(BOUND);
    const { number } = await world.newestPlan();

    await world.leases.markDrain('member-2', { wantedBefore: 3, warmUntilMs: 0 });
    await world.settle(BOUND);

    expect((await world.newestPlan()).number).toBe(number);
  });

  it('is replaced if it was the last one', async () => {
    const world = await settled(1);

    await world.leases.markDrain('member-1', { wantedBefore: 1, warmUntilMs: 0 });
    await world.settle(BOUND);

    expect(await world.loads()).toEqual({ 'member-2': 8 });
  });
});

describe('a member that is drained warm', () => {
  it('keeps tasks with stores until a copy elsewhere is caught up, no more prepared at once than the setting says', async () => {
    const world = await withLongChangelogs();
    const before = statefulOf(await world.newestPlan(), 'member-2');

    await world.leases.markDrain('member-2', { wantedBefore: 3, warmUntilMs: world.host.clock.now() + FOR_LONG });
    for (let round = 0; round < 10; round += 1) await world.round();
    const kept = await world.newestPlan();
    const warmups = warmupsOf(kept);

    expect(before.length).toBeGreaterThan(0);
    expect(statefulOf(kept, 'member-2')).toEqual(before);
    expect(kept.assignment['member-2']?.active).toEqual(before); // those without stores are gone
    expect(warmups).toHaveLength(1);
    expect(kept.followUp).toBe(true);

    const [warmup] = warmups;
    if (warmup === undefined) throw new Error('there is no warm-up');
    reportCopy(world, warmup.id, warmup.taskId, 5);
    for (let round = 0; round < 4; round += 1) await world.round();

    expect(statefulOf(await world.newestPlan(), 'member-2')).not.toContain(warmup.taskId);
  });

  it('moves them cold when patience is over', async () => {
    const world = await withLongChangelogs();

    await world.leases.markDrain('member-2', { wantedBefore: 3, warmUntilMs: world.host.clock.now() + 2_000 });
    await world.settle(BOUND);

    expect(await listed(world)).toEqual(['member-1', 'member-3']);
  });

  it('is waited for no longer once it has died', async () => {
    const world = await withLongChangelogs();
    await world.leases.markDrain('member-2', { wantedBefore: 3, warmUntilMs: world.host.clock.now() + FOR_LONG });
    for (let round = 0; round < 4; round += 1) await world.round();

    world.member(2).crash();
    await world.settle(BOUND);

    expect(await listed(world)).toEqual(['member-1', 'member-3']);
    expect(Object.keys(await world.loads()).sort()).toEqual(['member-1', 'member-3']);
  });
});
