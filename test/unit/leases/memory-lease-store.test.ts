import { describe, expect, it } from 'vitest';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Plan } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';

describe('the tables in memory', () => {
  it('copy what they are given: a caller cannot change an item afterwards', async () => {
    const store = createMemoryLeaseStore();
    const report = { running: [taskId(0, 0)], positions: [], recordsProcessed: 0 };
    await store.createMember('member-1');
    await store.claimMember({ memberId: 'member-1', incarnation: 1, report, tags: {} });

    report.running.push(taskId(0, 1));

    expect((await store.readMember('member-1'))?.report.running).toEqual(['0_0']);
  });

  it('answer frozen items, down to the leaves', async () => {
    const store = createMemoryLeaseStore();
    const plan: Plan = {
      number: 1,
      createdAtMs: 0,
      reason: '',
      assignor: 'steady',
      assignment: { 'member-1': { active: [taskId(0, 0)], standby: [], warmup: [] } },
      dead: [],
      partitions: {},
    };

    const written = await store.writePlan(plan);
    const read = await store.readPlan();

    expect(Object.isFrozen(written.item?.assignment['member-1']?.active)).toBe(true);
    expect(Object.isFrozen(read?.assignment['member-1']?.active)).toBe(true);
    expect(Object.isFrozen(plan)).toBe(false);
  });

  it('keep the newest plan, however few are kept', async () => {
    const store = createMemoryLeaseStore({ plansKept: 0 });
    const plan = { createdAtMs: 0, reason: '', assignor: 'steady', assignment: {}, dead: [], partitions: {} };
    await store.writePlan({ ...plan, number: 1 });
    await store.writePlan({ ...plan, number: 2 });

    expect((await store.readPlan())?.number).toBe(2);
    expect(await store.readPlanNumber(1)).toBe(null);
  });
});
