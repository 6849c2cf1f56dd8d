import { expect, it } from 'vitest';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Incarnation } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import { LeaseHold } from '../../../lib/runtime/lease-hold.js';

const TASK = taskId(0, 0);
const owner: Incarnation = { memberId: 'member-1', incarnation: 1 };

/** A hold whose takes fail once, before or after they took effect. */
async function failingOnce(when: 'before' | 'after') {
  const table = createMemoryLeaseStore();
  const { item } = await table.takeLease({ taskId: TASK, owner, expected: null });
  if (item === null) throw new Error('not taken');
  let failures = 1;
  const hold = new LeaseHold(
    {
      ...table,
      async takeLease(take) {
        if (failures === 0) return table.takeLease(take);
        failures -= 1;
        if (when === 'after') await table.takeLease(take);
        throw new UnavailableError('the table is away');
      },
    },
    owner,
    item,
  );
  return { table, hold };
}

it('a new epoch that could not be taken is taken before the next initialisation: no second one under the same (trap 8)', async () => {
  const { table, hold } = await failingOnce('before');
  await expect(hold.takeNewEpoch()).rejects.toThrow('away');

  await hold.beReadyToInitialise();

  expect([hold.epoch, (await table.readLease(TASK))?.epoch]).toEqual([2, 2]);
  await hold.beReadyToInitialise();
  expect(hold.epoch).toBe(2);
});

it('a take whose answer was lost is found to have succeeded', async () => {
  const { hold } = await failingOnce('after');
  await expect(hold.takeNewEpoch()).rejects.toThrow('away');

  await hold.beReadyToInitialise();

  expect(hold.epoch).toBe(2);
  await hold.assertOurs();
});

it('a lease that somebody else has taken meanwhile is not taken back', async () => {
  const { table, hold } = await failingOnce('before');
  await expect(hold.takeNewEpoch()).rejects.toThrow('away');
  const expected = await table.readLease(TASK);
  await table.takeLease({ taskId: TASK, owner: { memberId: 'member-2', incarnation: 1 }, expected });

  await expect(hold.beReadyToInitialise()).rejects.toThrow('not ours');
});
