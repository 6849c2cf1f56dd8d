import { describe, expect, it } from 'vitest';
import type { TaskAssignor } from '../../../lib/assignment/task-assignor.js';
import type { MemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Plan } from '../../../lib/leases/records.js';
import { InvalidAssignmentError, UnavailableError } from '../../../lib/model/errors.js';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

const BOUND = 60;

/** Three members that have settled over 8 tasks. */
const settled = async (members = 3): Promise<ControlPlaneWorld> => {
  const world = await ControlPlaneWorld.create({ members });
  await world.settle(BOUND);
  return world;
};

const planNumber = async (world: ControlPlaneWorld): Promise<number> => (await world.leases.readPlan())?.number ?? 0;
const reason = async (world: ControlPlaneWorld): Promise<string> => (await world.leases.readPlan())?.reason ?? '';
const types = (actions: readonly { readonly type: string }[] = []): string[] => actions.map(({ type }) => type);

/** Between two looks at an hour in which nothing is to happen. */
const LOOK_EVERY_S = 5;

describe('a first start', () => {
  it('makes the internal topics, writes one plan over the slots it invokes, and then falls quiet', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });

    const first = await world.round();
    await world.settle(BOUND);

    expect(types(first?.done)).toEqual([
      'CreateInternalTopic',
      'CreateInternalTopic',
      'WritePlan',
      'CreateSlot',
      'AnnouncePlan',
      'InvokeMember',
      'CreateSlot',
      'AnnouncePlan',
      'InvokeMember',
    ]);
    expect(await planNumber(world)).toBe(1);
    expect(await reason(world)).toBe('first plan (tick: test)');
    expect(await world.owners()).toEqual({
      '0_0': 'member-1',
      '0_1': 'member-2',
      '0_2': 'member-1',
      '0_3': 'member-2',
      '1_0': 'member-1',
      '1_1': 'member-2',
      '1_2': 'member-1',
      '1_3': 'member-2',
    });
    const topics = await world.log.describeTopics(['app-words', 'app-counts-changelog']);
    expect(topics.get('app-words')?.partitions).toBe(4);
    expect(topics.get('app-counts-changelog')?.config['cleanup.policy']).toBe('compact');
  });

  it('gives the tasks of a slot that never starts to the others after the session time-out', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });
    await world.tick();
    world.invocations.splice(1); // the second is lost
    await world.deliverAll();
    for (let round = 0; round < 6; round += 1) {
      await world.host.advance(200);
      await world.tick();
      await world.membersAct();
    }

    expect(await world.loads()).toEqual({ 'member-1': 8 });
    expect(await reason(world)).toContain('member-2 did not come back');
  });
});

describe('a stable application', () => {
  it('is written to by no tick, however many there are', async () => {
    const world = await settled();
    const before = JSON.stringify([await world.leases.readPlan(), await world.leases.listLeases()]);

    for (let tick = 0; tick < 50; tick += 1) {
      const outcome = await world.round();

      expect(outcome?.done).toEqual([]);
    }
    expect(JSON.stringify([await world.leases.readPlan(), await world.leases.listLeases()])).toBe(before);
  });

  it('gets one plan from two ticks that overlap', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });

    const [one, other] = await Promise.all([world.tick(), world.tick({ watch: createHeartbeatWatch() })]);

    expect([one?.overtaken, other?.overtaken].sort()).toEqual([false, true]);
    expect(await planNumber(world)).toBe(1);
    await world.settle(BOUND);
    expect(await planNumber(world)).toBe(1);
  });
});

describe('the row of the newest plan that is deleted by hand (trap 42)', () => {
  it('is made again with a number that members hear of, moves nothing, and whoever joins then is given its share', async () => {
    const world = await settled(2);
    for (const members of [3, 2, 3, 2]) {
      world.wanted = members;
      await world.settle(BOUND);
    }
    const [before, owners] = [await planNumber(world), await world.owners()];
    expect(before).toBeGreaterThan(4);

    (world.leases as MemoryLeaseStore).deleteItem('plans', 'newest');
    await world.settle(BOUND);

    expect(await planNumber(world)).toBeGreaterThan(before);
    expect(await world.owners()).toEqual(owners);
    expect(world.host.lines.filter(({ event }) => event === 'plan-recreated')).toHaveLength(1);
    world.wanted = 3;
    await world.settle(BOUND);
    expect(Object.values(await world.loads()).sort()).toEqual([2, 3, 3]);
  });
});

describe('more or fewer members', () => {
  it('bring a newcomer its share in one plan, and move nothing else', async () => {
    const world = await ControlPlaneWorld.create({ members: 3 }, 6);
    await world.settle(BOUND);
    const before = await world.owners();

    world.wanted = 4;
    await world.settle(BOUND);

    const after = await world.owners();
    const moved = Object.keys(after).filter((task) => after[task] !== before[task]);
    expect(moved).toHaveLength(3);
    expect(moved.every((task) => after[task] === 'member-4')).toBe(true);
    expect(await planNumber(world)).toBe(3);
    expect((await world.leases.readPlanNumber(2))?.reason).toContain('4 members wanted, before 3');
    expect(await reason(world)).toContain('member-4 joined');
  });

  it('let a surplus member hand over, end, and its slot go', async () => {
    const world = await settled();

    world.wanted = 2;
    await world.settle(BOUND);

    expect(await world.loads()).toEqual({ 'member-1': 4, 'member-2': 4 });
    expect((await world.slots()).map(({ memberId }) => memberId)).toEqual(['member-1', 'member-2']);
    expect(await planNumber(world)).toBe(2);
    expect(await reason(world)).toContain('2 members wanted, before 3');
  });

  it('never use an incarnation number twice when a slot goes and comes back', async () => {
    const world = await settled(2);

    world.wanted = 1;
    await world.settle(BOUND);
    world.wanted = 2;
    await world.settle(BOUND);

    expect(world.member(2).self.incarnation).toBe(2);
    expect(await world.loads()).toEqual({ 'member-1': 4, 'member-2': 4 });
  });
});

describe('the end of a member', () => {
  it('keeps its tasks with its slot if it was reported and the next incarnation claims in time', async () => {
    const world = await settled();
    const before = await world.owners();
    const { self } = world.member(2);
    world.member(2).crash();

    const outcome = await world.round({ failed: [self] });
    await world.settle(BOUND);

    expect(types(outcome?.done)).toEqual(['DeclareDead', 'InvokeMember']);
    expect(await world.owners()).toEqual(before);
    expect(await planNumber(world)).toBe(1);
    expect(world.member(2).self.incarnation).toBe(2);
  });

  it('keeps its tasks with its slot if it ended cleanly and the next incarnation claims in time', async () => {
    const world = await settled();
    const before = await world.owners();

    await world.member(3).end();
    await world.settle(BOUND);

    expect(await world.owners()).toEqual(before);
    expect(await planNumber(world)).toBe(1);
  });

  it('is seen by the session time-out plus one tick, and moves only its tasks (trap 39)', async () => {
    const world = await settled();
    const before = await world.owners();
    world.member(2).crash();

    let rounds = 0;
    for (; !(await reason(world)).includes('member-2 died (session timeout)'); rounds += 1) {
      await world.host.advance(200);
      await world.tick();
      await world.membersAct();
    }

    const after = await world.owners();
    expect(rounds * 200).toBeLessThanOrEqual(1_000 + 200);
    for (const [task, owner] of Object.entries(before)) if (owner !== 'member-2') expect(after[task]).toBe(owner);
    expect(Object.values(after)).not.toContain('member-2');
    expect((await world.leases.readPlan())?.dead).toEqual([{ memberId: 'member-2', incarnation: 1 }]);
  });

  it('is not declared by a scheduler that has just begun to watch, whatever the wall clock says (trap 39)', async () => {
    const world = await settled();
    await world.host.advance(3_600_000);

    const outcome = await world.tick({ watch: createHeartbeatWatch() });

    expect(types(outcome?.done)).toEqual([]);
  });

  it('is forgotten by the plans once nobody owns a lease in its name', async () => {
    const world = await settled();
    world.member(2).crash();
    for (let round = 0; round < 8; round += 1) {
      await world.host.advance(200);
      await world.tick();
      await world.membersAct();
    }

    await world.settle(BOUND); // the slot's next incarnation joins

    expect((await world.leases.readPlan())?.dead).toEqual([]);
    expect(await reason(world)).toContain('member-2 joined');
  });

  it('brings back what they had if all members die at once', async () => {
    const world = await settled();
    const before = await world.owners();
    for (const process of world.living) process.crash();

    await world.settle(BOUND);

    expect(await world.owners()).toEqual(before);
    expect(await planNumber(world)).toBe(1);
  });

  it('lets a task that was on its way from it be taken, though its slot comes back (trap 36)', async () => {
    const world = await settled(2);
    world.wanted = 3;
    await world.round();
    world.member(1).isFrozen = true;
    world.member(2).isFrozen = true;
    await world.round(); // member-3 has joined; nobody releases
    const { self } = world.member(1);
    world.member(1).crash();
    world.member(2).isFrozen = false;

    await world.round({ failed: [self] });
    await world.settle(BOUND);

    expect(Object.values(await world.loads()).sort()).toEqual([2, 3, 3]);
  });

  it('is no reason to invoke a slot that keeps failing on every tick', async () => {
    const world = await ControlPlaneWorld.create({ members: 1 });
    let invoked = 0;

    for (let round = 0; round < 50; round += 1) {
      await world.host.advance(200);
      const outcome = await world.tick();
      invoked += types(outcome?.done).filter((type) => type === 'InvokeMember').length;
      await world.deliverAll();
      for (const process of world.living) await process.end();
    }

    expect(invoked).toBeGreaterThan(3);
    expect(invoked).toBeLessThanOrEqual(20); // 10 s: a few quick tries, then one per half session time-out
  });

  it('asks again for an invocation that was lost when it has expired, later each time', async () => {
    const world = await ControlPlaneWorld.create({ members: 1 });
    const atMs: number[] = [];

    for (let round = 0; round < 60; round += 1) {
      await world.host.advance(200);
      const outcome = await world.tick();
      if (types(outcome?.done).includes('InvokeMember')) atMs.push(world.host.clock.monotonic() - 200);
    }

    expect(atMs).toEqual([0, 1_000, 3_000, 7_000]);
  });
});

describe('tasks on their way', () => {
  it('are not sent elsewhere by a newcomer before they have arrived (trap 47)', async () => {
    const world = await settled(1);
    world.wanted = 2;
    await world.round();
    world.member(1).isFrozen = true;
    await world.round(); // plan 3 moves four tasks to member-2; member-1 does not release yet
    expect(await planNumber(world)).toBe(3);

    world.wanted = 3;
    await world.round();
    const waiting = await world.round();

    expect(waiting?.waitingFor).toHaveLength(1);
    expect(await planNumber(world)).toBe(4); // only lists the slot that is wanted now
    expect((await world.leases.readPlan())?.assignment['member-3']?.active).toEqual([]);
    world.member(1).isFrozen = false;
    await world.settle(BOUND);
    expect(Object.values(await world.loads()).sort()).toEqual([2, 3, 3]);
    expect(await planNumber(world)).toBe(5);
  });

  it('hold a newcomer up for no longer than a session time-out (trap 47)', async () => {
    const world = await settled(1);
    world.wanted = 2;
    await world.round();
    const late = world.member(1);
    late.isFrozen = true;
    await world.round();
    world.wanted = 3;

    for (let round = 0; round < 9; round += 1) {
      // the owner heartbeats but hands nothing over
      await world.leases.heartbeat({ ...late.self, report: { running: [], positions: [], recordsProcessed: 0 } });
      await world.round();
    }

    expect(await reason(world)).toContain('member-3 joined');
  });

  it('stay on their way when others are with nobody and have to be placed (trap 47)', async () => {
    const world = await settled(2);
    world.wanted = 3;
    await world.round();
    for (const process of world.living) process.isFrozen = process.self.memberId !== 'member-3';
    await world.round();
    const moving = (await world.leases.readPlan())?.assignment['member-3']?.active ?? [];

    await world.leases.freeMember(world.member(2).self);
    world.member(2).crash();
    for (let round = 0; round < 6; round += 1) {
      await world.leases.heartbeat({
        ...world.member(1).self,
        report: { running: [], positions: [], recordsProcessed: 0 },
      });
      world.invocations.splice(0); // member-2 cannot come back
      await world.host.advance(200);
      await world.tick();
      await world.membersAct();
    }

    const plan = await world.leases.readPlan();
    expect(plan?.reason).toContain('member-2 did not come back');
    expect(plan?.assignment['member-3']?.active).toEqual(expect.arrayContaining([...moving]));
    world.member(1).isFrozen = false;
    await world.settle(BOUND);
    expect(Object.values(await world.loads()).sort()).toEqual([2, 3, 3]);
  });
});

describe('topics', () => {
  it('that are read must exist, and nothing is touched without them', async () => {
    const world = await ControlPlaneWorld.create();
    await world.log.deleteTopic('lines');

    await expect(world.tick()).rejects.toMatchObject({ code: 'STREAMS_MISSING_SOURCE_TOPIC' });

    expect(await world.log.listTopics()).toEqual([]);
    expect(await world.slots()).toEqual([]);
  });

  it('must keep the partition count that was recorded', async () => {
    const world = await settled(1);
    await world.log.deleteTopic('lines');
    await world.log.createTopic({ name: 'lines', partitions: 5, config: {} });
    const before = await planNumber(world);

    await expect(world.tick()).rejects.toMatchObject({
      code: 'STREAMS_PARTITION_COUNT_CHANGED',
      details: { topic: 'lines', recorded: 4, found: 5 },
    });

    expect(await planNumber(world)).toBe(before);
  });

  it('must keep the partitioner that was recorded (feature B14)', async () => {
    const world = await settled(1);
    const plan = await world.leases.readPlan();
    const partitioners = { 'app-words': 'byRegion' };
    await world.leases.writePlan({ ...(plan as Plan), number: (plan?.number ?? 0) + 1, partitioners });
    const before = await planNumber(world);

    await expect(world.tick()).rejects.toMatchObject({
      code: 'STREAMS_PARTITIONER_CHANGED',
      details: { topic: 'app-words', recorded: 'byRegion', partitioner: 'default' },
    });

    expect(plan?.partitioners).toEqual({});
    expect(await planNumber(world)).toBe(before);
  });

  it.each([
    ['partitions', { partitions: 3, config: { 'cleanup.policy': 'compact' } }, 4, 3],
    ['cleanup.policy', { partitions: 4, config: { 'cleanup.policy': 'delete' } }, 'compact', 'delete'],
  ])('that are internal must fit: %s', async (setting, found, wanted, has) => {
    const world = await ControlPlaneWorld.create();
    await world.log.createTopic({ name: 'app-counts-changelog', ...found });

    await expect(world.tick()).rejects.toMatchObject({
      code: 'STREAMS_INTERNAL_TOPIC_MISMATCH',
      details: { topic: 'app-counts-changelog', setting, wanted, found: has },
    });

    expect(await world.leases.readPlan()).toBeNull();
  });

  it('that are internal are not made again in silence when they are lost', async () => {
    const world = await settled(1);
    await world.log.deleteTopic('app-counts-changelog');

    await expect(world.tick()).rejects.toMatchObject({
      code: 'STREAMS_INTERNAL_TOPIC_MISMATCH',
      details: { topic: 'app-counts-changelog', found: null },
    });

    expect(await world.log.listTopics()).not.toContain('app-counts-changelog');
  });

  it('get the replication factor of the settings', async () => {
    const world = await ControlPlaneWorld.create({ replicationFactor: 1 });

    const outcome = await world.tick();

    expect(outcome?.done[0]).toMatchObject({ type: 'CreateInternalTopic', spec: { replicationFactor: 1 } });
  });
});

describe('assignors', () => {
  const faulty: TaskAssignor = { name: 'steady', assign: () => ({ members: new Map(), followUp: false }) };

  it('whose answer is faulty leave the old plan in force and the rest of the tick going', async () => {
    const world = await settled(2);
    const before = await planNumber(world);
    world.member(1).crash();
    for (let round = 0; round < 5; round += 1) {
      await world.round({ assignors: [faulty] });
    }

    const outcome = await world.round({ assignors: [faulty] });

    expect(outcome?.planNumber).toBe(before);
    expect(world.host.lines.some(({ event, level }) => event === 'plan-rejected' && level === 'error')).toBe(true);
    expect(world.member(1).self.incarnation).toBe(2);
  });

  it('that throw, or answer with a promise, are refused by their names, and leave the old plan in force', async () => {
    const wrong = {
      'has thrown: no licence': () => {
        throw new Error('no licence');
      },
      'broke rule A0: its answer is a promise': async () => ({ members: new Map(), followUp: false }),
    };
    for (const [says, assign] of Object.entries(wrong)) {
      const world = await settled(2);
      const before = await planNumber(world);
      const assignor = { name: 'steady', assign } as unknown as TaskAssignor;
      world.wanted = 1; // a reason to ask

      const outcome = await world.round({ assignors: [assignor] });

      expect(outcome?.planNumber).toBe(before);
      expect(world.host.lines).toContainEqual(
        expect.objectContaining({
          event: 'plan-rejected',
          fields: expect.objectContaining({
            code: 'STREAMS_INVALID_ASSIGNMENT',
            message: expect.stringContaining(`assignor 'steady' ${says}`),
          }),
        }),
      );
    }
  });

  it('whose plan is too large for the table leave the old one in force and the rest of the tick going', async () => {
    const world = await settled(2);
    const before = await planNumber(world);
    const refused = new InvalidAssignmentError('the plan is too large', {});
    Object.assign(world.leases, { writePlan: () => Promise.reject(refused) });
    world.member(1).crash();
    world.wanted = 3;

    for (let round = 0; round < 7; round += 1) await world.round();

    expect(await planNumber(world)).toBe(before);
    expect(world.host.lines.some(({ event, level }) => event === 'plan-rejected' && level === 'error')).toBe(true);
    expect(world.member(1).self.incarnation).toBe(2);
  });

  it('whose first plan is too large for the table stop the start with the error', async () => {
    const world = await ControlPlaneWorld.create();
    const refused = new InvalidAssignmentError('the plan is too large', {});
    Object.assign(world.leases, { writePlan: () => Promise.reject(refused) });

    await expect(world.tick()).rejects.toBe(refused);

    expect(world.invocations).toEqual([]);
  });

  it('whose first answer is faulty stop the start with the rule', async () => {
    const world = await ControlPlaneWorld.create();

    await expect(world.tick({ assignors: [faulty] })).rejects.toMatchObject({
      code: 'STREAMS_INVALID_ASSIGNMENT',
      details: { rule: 'A1' },
    });

    expect(await world.slots()).toEqual([]);
  });

  it('of an unknown name are refused with the names there are', async () => {
    const world = await ControlPlaneWorld.create({ assignor: 'stedy' });

    await expect(world.tick()).rejects.toMatchObject({
      code: 'STREAMS_INVALID_SETTING',
      remedy: expect.stringContaining('steady, sticky'),
    });
  });

  it('that are not settled are asked again until they are, and every step is a plan', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });
    let asked = 0;
    const inSteps: TaskAssignor = {
      name: 'steady',
      assign: ({ tasks }) => {
        asked += 1;
        const all = { active: tasks.map(({ id }) => id), standby: [], warmup: [] };
        return { members: new Map([[asked < 3 ? 'member-1' : 'member-2', all]]), followUp: asked < 3 };
      },
    };
    for (let round = 0; round < 12; round += 1) await world.round({ assignors: [inSteps] });

    expect(asked).toBe(3);
    expect(await planNumber(world)).toBe(2);
    expect(await reason(world)).toContain('follow-up');
    expect(await world.loads()).toEqual({ 'member-2': 8 });
  });
});

describe('snapshot standbys', () => {
  it('are asked for, in groups, once per snapshot interval, for stateful tasks that have worked', async () => {
    const world = await ControlPlaneWorld.create({ members: 1, numStandbyReplicas: 1, snapshotIntervalMs: 1_000 }, 12);
    const asked: { readonly atMs: number; readonly taskIds: readonly string[] }[] = [];
    for (let round = 0; round < 12; round += 1) {
      const outcome = await world.round();
      for (const action of outcome?.done ?? [])
        if (action.type === 'InvokeStandby') asked.push({ atMs: round * 200, taskIds: action.taskIds });
    }

    const counting = Array.from({ length: 12 }, (_, partition) => `1_${partition}`);
    expect(asked.map(({ atMs, taskIds }) => [atMs, taskIds.length])).toEqual([
      [200, 10],
      [200, 2],
      [1_200, 10],
      [1_200, 2],
      [2_200, 10],
      [2_200, 2],
    ]);
    expect(asked.slice(0, 2).flatMap(({ taskIds }) => taskIds)).toEqual(counting);
  });

  it('are asked for once more after the tasks were released, and then left alone for an hour', async () => {
    const settings = { members: 1, numStandbyReplicas: 1, snapshotIntervalMs: 1_000, idleTimeoutMs: 60_000 };
    const world = await ControlPlaneWorld.create(settings);
    for (let round = 0; round < 10; round += 1) await world.round();
    await world.member(1).end();
    const asked: number[] = [];
    const look = async (seconds: number) => {
      await world.host.advance(LOOK_EVERY_S * 1_000);
      const outcome = await world.tick();
      if (types(outcome?.done).includes('InvokeStandby')) asked.push(seconds);
    };

    for (let seconds = LOOK_EVERY_S; seconds < 3_700; seconds += LOOK_EVERY_S) await look(seconds);

    expect(asked).toEqual([LOOK_EVERY_S, expect.any(Number)]);
    expect(asked[1]).toBeGreaterThanOrEqual(3_600);
  });

  it('are not asked for without numStandbyReplicas', async () => {
    const world = await settled(1);

    await world.host.advance(1_000_000);
    const outcome = await world.tick({ watch: createHeartbeatWatch() });

    expect(types(outcome?.done)).not.toContain('InvokeStandby');
  });
});

describe('history', () => {
  it('has each plan with its trigger, what the assignor was asked, and a reason for every move', async () => {
    const world = await settled(2);

    world.wanted = 3;
    await world.settle(BOUND);
    const plan = await world.leases.readPlan();
    const explained = await world.leases.readExplanation(plan?.number ?? 0);

    expect(explained).toMatchObject({ planNumber: plan?.number, trigger: plan?.reason, wasPlaced: true });
    expect(explained?.members.map(({ memberId, active }) => [memberId, active])).toEqual([
      ['member-1', 3],
      ['member-2', 3],
      ['member-3', 2],
    ]);
    expect(explained?.moves.filter(({ role }) => role === 'active')).toHaveLength(2);
    for (const { taskId, from, reason } of explained?.moves ?? []) {
      expect(reason).toContain(`${taskId} moved from ${from} to member-3: `);
    }
  });

  it('has each death, with the last sign of life', async () => {
    const world = await settled();
    world.member(2).crash();

    await world.settle(BOUND);

    const [death] = await world.leases.listDeaths();
    expect(death).toMatchObject({ memberId: 'member-2', incarnation: 1, because: 'session timeout' });
    const { sessionTimeoutMs } = world.app.settings;
    expect((death?.seenAtMs ?? 0) - (death?.lastSeenAtMs ?? 0)).toBeGreaterThanOrEqual(sessionTimeoutMs);
  });

  it('that the table does not take stops no tick', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });
    world.leases.keepExplanation = () => Promise.reject(new UnavailableError('away'));

    await world.settle(BOUND);

    expect(await planNumber(world)).toBe(1);
    expect(await world.leases.listExplanations()).toEqual([]);
  });
});
