/** What a plan was placed by, besides who was there: settings and tags that change while everything runs. */
import { describe, expect, it } from 'vitest';
import { steady, type TaskAssignor } from '../../../lib/assignment/index.js';
import type { SettingsInput } from '../../../lib/index.js';
import { REQUEST_ID_TAG } from '../../../lib/leases/placement-tags.js';
import type { Plan } from '../../../lib/leases/records.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

const BOUND = 60;
const HOT: SettingsInput = { members: 3, standbyKind: 'hot' };

const standbysIn = ({ assignment }: Plan) => Object.values(assignment).flatMap(({ standby }) => standby).length;

describe('the number of standbys', () => {
  it('changed while all runs makes one plan that says so, and moves no active task', async () => {
    const world = await ControlPlaneWorld.create(HOT);
    await world.settle(BOUND);
    const before = await world.newestPlan();

    await world.round({ numStandbyReplicas: 2 });
    const after = await world.newestPlan();
    for (let round = 0; round < 5; round += 1) await world.round({ numStandbyReplicas: 2 });

    expect(after.reason).toBe('numStandbyReplicas 2, before 0 (tick: test)');
    expect([standbysIn(before), standbysIn(after)]).toEqual([0, 8]);
    const actives = ({ assignment }: Plan) => Object.entries(assignment).map(([id, { active }]) => [id, active]);
    expect(actives(after)).toEqual(actives(before));
    expect((await world.newestPlan()).number).toBe(after.number);
  });

  it('given back is a fact as well, and all standbys go', async () => {
    const world = await ControlPlaneWorld.create({ ...HOT, numStandbyReplicas: 2 });
    await world.settle(BOUND);
    expect(standbysIn(await world.newestPlan())).toBe(8);

    await world.round({ numStandbyReplicas: 0 });

    expect(standbysIn(await world.newestPlan())).toBe(0);
  });
});

describe('the tags of a member', () => {
  it('that its next incarnation states otherwise make a plan that says so', async () => {
    const world = await ControlPlaneWorld.create({ members: 2, rackAwareAssignmentStrategy: 'min_traffic' });
    world.tagsOf = () => ({ zone: 'a' });
    await world.settle(BOUND);
    world.tagsOf = (memberId) => ({ zone: memberId === 'member-2' ? 'b' : 'a' });
    await world.member(2).end();

    await world.settle(BOUND);

    const { reason, placedBy, number } = await world.newestPlan();
    expect(reason).toBe('member-2 has other tags (tick: test)');
    expect(placedBy?.tags).toEqual({ 'member-1': '[["zone","a"]]', 'member-2': '[["zone","b"]]' });
    await world.round();
    expect((await world.newestPlan()).number).toBe(number);
  });

  it('that nobody places by are no matter: a function runs in another zone each time', async () => {
    const world = await ControlPlaneWorld.create({ members: 2, rackAwareAssignmentTags: ['zone'] }); // and no hot standbys
    let zones = 0;
    world.tagsOf = () => {
      zones += 1;
      return { zone: `zone-${zones}`, disk: `disk-${zones}` };
    };
    await world.settle(BOUND);
    const { number } = await world.newestPlan();
    for (const member of [1, 2]) {
      await world.member(member).end();
      await world.settle(BOUND);
    }

    expect([1, 2].map((member) => world.member(member).self.incarnation)).toEqual([2, 2]);
    expect((await world.newestPlan()).number).toBe(number);
  });

  it('are all a matter to an assignor of one’s own, and to hot standbys those that keep them apart', async () => {
    const own: TaskAssignor = { name: 'steady', assign: (input) => steady.assign(input) };
    const apart: SettingsInput = { ...HOT, members: 2, numStandbyReplicas: 1, rackAwareAssignmentTags: ['disk'] };
    for (const [settings, assignors] of [
      [{ members: 2 }, [own]],
      [apart, []],
    ] as const) {
      const world = await ControlPlaneWorld.create(settings);
      world.tagsOf = (memberId) => ({ disk: memberId });
      for (let round = 0; round < 10; round += 1) await world.round({ assignors });
      world.tagsOf = () => ({ disk: 'other' });
      await world.member(2).end();
      for (let round = 0; round < 10; round += 1) await world.round({ assignors });

      expect((await world.newestPlan()).reason).toBe('member-2 has other tags (tick: test)');
    }
  });

  it('that say how much it bears always make a plan', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });
    await world.settle(BOUND);
    world.tagsOf = () => ({ capacity: '3' });
    await world.member(2).end();

    await world.settle(BOUND);

    const { reason, assignment } = await world.newestPlan();
    expect(reason).toBe('member-2 has other tags (tick: test)');
    expect(Object.values(assignment).map(({ active }) => active.length)).toEqual([2, 6]);
  });

  it('that name its invocation are no matter: each incarnation has its own', async () => {
    const world = await ControlPlaneWorld.create({ members: 2, rackAwareAssignmentStrategy: 'min_traffic' });
    let invocations = 0;
    world.tagsOf = () => {
      invocations += 1;
      return { zone: 'a', [REQUEST_ID_TAG]: `request-${invocations}` };
    };
    await world.settle(BOUND);
    const { number, placedBy } = await world.newestPlan();
    await world.member(2).end();

    await world.settle(BOUND);

    expect(world.member(2).self.incarnation).toBe(2);
    expect(placedBy?.tags).toEqual({ 'member-1': '[["zone","a"]]', 'member-2': '[["zone","a"]]' });
    expect((await world.newestPlan()).number).toBe(number);
  });

  it('mean nothing where a plan of an older version does not say them', async () => {
    const world = await ControlPlaneWorld.create({ members: 2, rackAwareAssignmentStrategy: 'min_traffic' });
    world.tagsOf = () => ({ zone: 'a' });
    await world.settle(BOUND);
    const { placedBy: _, ...older } = await world.newestPlan();
    await world.leases.writePlan({ ...older, number: older.number + 1 });

    await world.round({ numStandbyReplicas: 2 });

    expect((await world.newestPlan()).number).toBe(older.number + 1);
  });
});
