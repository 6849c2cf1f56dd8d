/** What a member says of its restores, and who shares the pace. */
import { expect, it } from 'vitest';
import type { MemberAssignment, Plan } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';
import { lonelyRestores } from '../../support/member-restores.js';
import { createTaskWorld } from '../../support/task-world.js';

const WAITS = taskId(0, 0);
const STARTS = taskId(0, 1);

it('a member reports each task that can not process yet once: in line, or as starting', async () => {
  const restores = lonelyRestores(await createTaskWorld(), { maxConcurrentRestores: 1 });
  const stop = new AbortController();
  const entered = restores.places
    .enter({ taskId: WAITS, leftBytes: 7, signal: stop.signal, waits: () => undefined })
    .catch(() => 'stopped');

  expect(restores.report([WAITS, STARTS])).toEqual({
    restores: [
      { taskId: WAITS, state: 'waiting', leftBytes: 7 },
      { taskId: STARTS, state: 'starting', leftBytes: 0 },
    ],
  });

  stop.abort();
  expect(await entered).toBe('stopped');
  expect(restores.report([])).toEqual({});
});

it('members that have nothing but copies have their part of the pace', async () => {
  const restores = lonelyRestores(await createTaskWorld(), { restoreMaxBytesPerSecond: 1_000 });
  const holding = (held: Partial<MemberAssignment>) => ({ active: [], standby: [], warmup: [], ...held });
  const plan: Plan = {
    number: 1,
    createdAtMs: 0,
    reason: 'first plan',
    assignor: 'steady',
    assignment: {
      'member-1': holding({ active: [WAITS] }),
      'member-2': holding({ standby: [WAITS] }),
      'member-3': holding({ warmup: [WAITS] }),
      'member-4': holding({}),
    },
    dead: [],
    partitions: {},
  };

  restores.follow(plan, new Set());

  expect(restores.pace?.bytesPerSecond).toBeCloseTo(1_000 / 3);
});
