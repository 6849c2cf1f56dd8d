import type { LeaseStore } from '../../../leases/lease-store.js';
import type { Plan } from '../../../leases/records.js';
import { taskId } from '../../../model/task-id.js';
import type { TestRunner } from '../test-runner.js';

function plan(number: number, reason = 'first'): Plan {
  return {
    number,
    createdAtMs: 1_000 * number,
    reason,
    assignor: 'steady',
    assignment: { 'member-1': { active: [taskId(0, 0)], standby: [], warmup: [taskId(0, 1)] } },
    dead: [{ memberId: 'member-2', incarnation: 7 }],
    partitions: { orders: 2 },
  };
}

/** E4: the row of plans. */
export function plansConformance(open: () => Promise<LeaseStore>, { describe, it, expect }: TestRunner): void {
  describe('plans', () => {
    it('there is no plan before the first, and the first has number 1', async () => {
      const store = await open();

      const none = await store.readPlan();
      const second = await store.writePlan(plan(2));
      const first = await store.writePlan(plan(1));

      expect(none).toBe(null);
      expect(second).toEqual({ applied: false, item: null });
      expect(first).toEqual({ applied: true, item: plan(1) });
      expect(await store.readPlan()).toEqual(plan(1));
    });

    it('a plan is written only as the next after the newest, which a refused writer is shown', async () => {
      const store = await open();
      await store.writePlan(plan(1));

      const again = await store.writePlan(plan(1, 'another'));
      const skipping = await store.writePlan(plan(3));
      const next = await store.writePlan(plan(2, 'second'));

      expect([again, skipping]).toEqual([
        { applied: false, item: plan(1) },
        { applied: false, item: plan(1) },
      ]);
      expect(next.applied).toBe(true);
      expect(await store.readPlan()).toEqual(plan(2, 'second'));
    });

    it('numbers begin anew, with any, only where there is no plan', async () => {
      const store = await open();

      const first = await store.writePlan(plan(7), { anew: true });
      const again = await store.writePlan(plan(8), { anew: true });
      const next = await store.writePlan(plan(8), { anew: false });

      expect(first).toEqual({ applied: true, item: plan(7) });
      expect(again).toEqual({ applied: false, item: plan(7) });
      expect(next).toEqual({ applied: true, item: plan(8) });
    });

    it('a plan is read as it was written, with all that it may hold', async () => {
      const store = await open();
      const full: Plan = {
        ...plan(1, 'member-1 „joined“'),
        placedOver: ['member-1', 'member-10'],
        followUp: true,
        settingsDigest: '0123456789abcdef',
        partitioners: { 'app-moved-repartition': 'byRegion' },
      };

      const written = await store.writePlan(full);

      expect(written).toEqual({ applied: true, item: full });
      expect([await store.readPlan(), await store.readPlanNumber(1)]).toEqual([full, full]);
    });

    it('of two concurrent schedulers one writes the plan, and both then see the same', async () => {
      const store = await open();

      const writes = await Promise.all([store.writePlan(plan(1, 'a')), store.writePlan(plan(1, 'b'))]);

      expect(writes.map((one) => one.applied).sort()).toEqual([false, true]);
      expect(writes[0].item).toEqual(writes[1].item);
    });

    it('earlier plans are found by number, as many as are kept', async () => {
      const store = await open();
      for (let number = 1; number <= 5; number += 1) await store.writePlan(plan(number));

      const found = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => store.readPlanNumber(number)));

      expect(found.map((one) => one?.number ?? null)).toEqual([null, null, 3, 4, 5, null]);
    });
  });
}
