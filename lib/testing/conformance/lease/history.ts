import {
  DEATHS_KEPT_PER_SLOT,
  type MemberDeath,
  PLANS_EXPLAINED,
  type PlanExplanation,
  STARTS_KEPT_PER_TASK,
  type TaskStart,
} from '../../../leases/history.js';
import type { LeaseStore } from '../../../leases/lease-store.js';
import type { LeaseEpoch } from '../../../leases/records.js';
import { taskId } from '../../../model/task-id.js';
import type { TestRunner } from '../test-runner.js';

/** Moves of a plan that is larger than an item of any table. */
const MANY_MOVES = 200_000;

function explanation(planNumber: number, trigger = 'member-2 joined'): PlanExplanation {
  return {
    planNumber,
    seenAtMs: 1_000 * planNumber,
    decidedAtMs: 1_000 * planNumber + 20.5,
    trigger,
    assignor: 'steady',
    wasPlaced: true,
    members: [
      {
        memberId: 'member-2',
        live: true,
        capacity: 4,
        tags: { zone: 'a' },
        activeBefore: 0,
        active: 1,
        standby: 1,
        warmup: 0,
      },
    ],
    tasks: { stateful: 2, stateless: 1 },
    settings: { numStandbyReplicas: '1' },
    score: [
      { goal: 'balance', before: 3, after: 1, unit: 'tasks between the fullest member and the emptiest' },
      { goal: 'moves', before: null, after: 1, unit: 'tasks' },
    ],
    moves: [
      { taskId: taskId(0, 1), role: 'active', from: 'member-1', to: 'member-2', lagRecords: 7, reason: 'it joined' },
      { taskId: taskId(1, 0), role: 'warmup', from: null, to: 'member-2', lagRecords: null, reason: 'it is new' },
    ],
    movesLeftOut: 0,
  };
}

function start(leaseEpoch: number): TaskStart {
  return {
    taskId: taskId(0, 1),
    leaseEpoch: leaseEpoch as LeaseEpoch,
    owner: { memberId: 'member-2', incarnation: 1 },
    from: { memberId: 'member-1', incarnation: 3 },
    releasedAtMs: null,
    planNumber: 4,
    takenAtMs: 1_000 * leaseEpoch,
    fencedAfterMs: 12.5,
    restoredAfterMs: 300,
    restoredRecords: 42,
    firstCommitAfterMs: null,
  };
}

function death(incarnation: number): MemberDeath {
  const seenAtMs = 1_000 * incarnation;
  return { memberId: 'member-1', incarnation, because: 'session timeout', lastSeenAtMs: seenAtMs - 900, seenAtMs };
}

/** Y1 of history.ts: what is kept, and what takes whose place. */
export function historyConformance(open: () => Promise<LeaseStore>, { describe, it, expect }: TestRunner): void {
  describe('history', () => {
    it('there is none at first', async () => {
      const store = await open();

      const found = await Promise.all([store.listExplanations(), store.listDeaths(), store.listStarts()]);

      expect(found).toEqual([[], [], []]);
      expect(await store.readExplanation(1)).toBe(null);
    });

    it('an entry is read as it was written, with all that it may hold', async () => {
      const store = await open();

      await store.keepExplanation(explanation(4, 'member-2 „joined“'));
      await store.keepDeath(death(3));
      await store.keepStart(start(7));

      expect(await store.readExplanation(4)).toEqual(explanation(4, 'member-2 „joined“'));
      expect(await store.listDeaths()).toEqual([death(3)]);
      expect(await store.listStarts()).toEqual([start(7)]);
    });

    it('what is newer takes the place of what is older, and what comes late takes none', async () => {
      const store = await open();
      const later = 2 + PLANS_EXPLAINED;

      for (const number of [1, 2, later, 2]) await store.keepExplanation(explanation(number));
      for (const incarnation of [1, 1 + DEATHS_KEPT_PER_SLOT, 1]) await store.keepDeath(death(incarnation));
      for (const epoch of [1, 1 + STARTS_KEPT_PER_TASK, 1]) await store.keepStart(start(epoch));

      expect((await store.listExplanations()).map(({ planNumber }) => planNumber)).toEqual([1, later]);
      expect(await store.readExplanation(2)).toBe(null);
      expect(await store.listDeaths()).toEqual([death(1 + DEATHS_KEPT_PER_SLOT)]);
      expect(await store.listStarts()).toEqual([start(1 + STARTS_KEPT_PER_TASK)]);
    });

    it('entries are listed in order: plans by number, deaths and starts by time', async () => {
      const store = await open();

      for (const number of [10, 9, 11]) await store.keepExplanation(explanation(number));
      for (const incarnation of [3, 2]) await store.keepDeath(death(incarnation));
      for (const epoch of [12, 9]) await store.keepStart(start(epoch));

      expect((await store.listExplanations()).map(({ planNumber }) => planNumber)).toEqual([9, 10, 11]);
      expect((await store.listDeaths()).map(({ incarnation }) => incarnation)).toEqual([2, 3]);
      expect((await store.listStarts()).map(({ leaseEpoch }) => leaseEpoch)).toEqual([9, 12]);
    });

    it('of an explanation that is too large for an entry as many moves are kept as fit, and the others counted', async () => {
      const store = await open();
      const moves = Array.from({ length: MANY_MOVES }, (_, partition) => ({
        taskId: taskId(0, partition),
        role: 'active' as const,
        from: 'member-1' as const,
        to: 'member-2' as const,
        lagRecords: (partition * 104_729) % 1_000_003,
        reason: `the copy lacked ${(partition * 7_919) % 100_003} records`,
      }));

      await store.keepExplanation({ ...explanation(5), moves });
      const found = await store.readExplanation(5);

      expect((found?.moves.length ?? 0) + (found?.movesLeftOut ?? 0)).toBe(MANY_MOVES);
      expect(found?.moves[0]).toEqual(moves[0]);
    });
  });
}
