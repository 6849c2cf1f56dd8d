import { describe, expect, it } from 'vitest';
import type { Lease, LeaseEpoch, MemberReport, Plan } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';
import { isAsleep } from '../../../lib/scheduler/sleep.js';
import type { ObservedMember } from '../../../lib/scheduler/state.js';
import { ControlPlaneWorld, countingApp } from '../../support/control-plane-world.js';

const BOUND = 60;
const IDLE_MS = 60_000;
const TASK = taskId(1, 0);

describe('hot standbys', () => {
  it('take over at once from a member whose end was reported, though its slot would come back', async () => {
    const hot = { members: 2, numStandbyReplicas: 1, standbyKind: 'hot', assignor: 'highAvailability' } as const;
    const world = await ControlPlaneWorld.create(hot);
    await world.settle(BOUND);
    const { self } = world.member(2);
    const standbys = (await world.leases.readPlan())?.assignment['member-1']?.standby ?? [];
    world.member(2).crash();

    const outcome = await world.tick({ failed: [self] });

    expect(standbys.length).toBeGreaterThan(0);
    expect(outcome?.done.map(({ type }) => type)).toContain('WritePlan');
    expect((await world.leases.readPlan())?.assignment['member-1']?.active).toEqual(
      expect.arrayContaining([...standbys]),
    );
  });
});

describe('a slot that holds copies alone and has ended in order', () => {
  const plan: Plan = {
    ...{ number: 1, createdAtMs: 0, reason: 'test', assignor: 'test', dead: [], partitions: {} },
    assignment: {
      'member-1': { active: [TASK], standby: [], warmup: [] },
      'member-2': { active: [], standby: [TASK], warmup: [] },
    },
  };
  const member = (memberId: 'member-1' | 'member-2', more: Partial<ObservedMember>): ObservedMember => ({
    ...{ memberId, incarnation: 1, heartbeatVersion: 0, planNumber: 1, tags: {}, stillMs: 0, status: 'claimed' },
    report: { running: [], positions: [], recordsProcessed: 0 },
    ...more,
  });
  const asleepBeside = (report: Partial<MemberReport>): boolean => {
    const owner = member('member-1', { report: { running: [TASK], positions: [], recordsProcessed: 0, ...report } });
    const holder = member('member-2', { status: 'free' });
    const lease: Lease = { taskId: TASK, epoch: 1 as LeaseEpoch, owner, offsets: null };
    const app = countingApp({ idleTimeoutMs: IDLE_MS });
    return isAsleep({ app, plan, leases: [lease], members: [owner, holder], inputs: new Map(), nowMs: 0 }, holder);
  };

  it('is asked for while their task is at work, and sleeps when that is idle', () => {
    expect(asleepBeside({})).toBe(false);
    expect(asleepBeside({ idleForMs: IDLE_MS - 1 })).toBe(false);
    expect(asleepBeside({ idleForMs: IDLE_MS })).toBe(true);
  });
});
