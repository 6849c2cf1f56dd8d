/** What a drain says of the copies that others have of the tasks that leave. */
import { expect, it } from 'vitest';
import { drainMember } from '../../../lib/cli/reports/drain.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { MemberId, Plan, StorePosition } from '../../../lib/leases/records.js';
import { memberId } from '../../../lib/leases/slots.js';
import { offset } from '../../../lib/model/offset.js';
import { taskId } from '../../../lib/model/task-id.js';

const T = taskId(1, 3);
const OWNER = memberId(1);

const at = (store: string, nextOffset: number, endOffset = nextOffset): StorePosition => ({
  taskId: T,
  store,
  nextOffset: offset(nextOffset),
  endOffset: offset(endOffset),
});

const nothing = { active: [], standby: [], warmup: [] };

/** Who is named as having a copy when the owner of a task is drained, by what the members report. */
async function copyOn(
  reported: Readonly<Record<MemberId, readonly StorePosition[]>>,
  acceptableRecoveryLag?: number,
): Promise<MemberId | null | undefined> {
  const leases = createMemoryLeaseStore();
  for (const [id, positions] of Object.entries(reported) as [MemberId, readonly StorePosition[]][]) {
    await leases.createMember(id);
    const report = { running: [], positions, recordsProcessed: 0 };
    await leases.claimMember({ memberId: id, incarnation: 1, report, tags: {} });
  }
  const settings = { acceptableRecoveryLag: JSON.stringify(acceptableRecoveryLag) };
  const plan: Plan = {
    number: 1,
    createdAtMs: 0,
    reason: 'first plan',
    assignor: 'steady',
    assignment: { [memberId(2)]: nothing, [memberId(3)]: nothing, [OWNER]: { ...nothing, active: [T] } },
    ...(acceptableRecoveryLag === undefined ? {} : { placedBy: { settings, tags: {} } }),
    dead: [],
    partitions: {},
  };
  await leases.writePlan(plan);
  const neverAsked = () => {
    throw new Error('asked for what a drain does not need');
  };
  const host = createNodeHost();
  const view = { applicationId: 'app', app: null, leases, log: neverAsked, snapshots: neverAsked, host, nowMs: 0 };
  const { tasks } = await drainMember(view, { memberId: OWNER, cancel: false, warmForMs: null });
  return tasks.find((one) => one.taskId === T)?.copyOn;
}

it('a copy of all stores that has caught up is named, the most current of several', async () => {
  const owner = [at('counts', 500), at('names', 40)];

  expect(
    await copyOn({
      [OWNER]: owner,
      [memberId(2)]: [at('counts', 490, 500), at('names', 40)],
      [memberId(3)]: [at('counts', 499, 500), at('names', 40)],
    }),
  ).toBe('member-3');
});

it('a copy that lacks a store is not named', async () => {
  const owner = [at('counts', 500), at('names', 40)];

  expect(await copyOn({ [OWNER]: owner, [memberId(2)]: [at('counts', 500)] })).toBeNull();
});

it('a copy that is on its way is not named, though it believes to be at the end', async () => {
  const owner = [at('counts', 500)];

  expect(await copyOn({ [OWNER]: owner, [memberId(2)]: [at('counts', 300, 500)] }, 100)).toBeNull();
  expect(await copyOn({ [OWNER]: owner, [memberId(2)]: [at('counts', 300)] }, 100)).toBeNull();
  expect(await copyOn({ [OWNER]: owner, [memberId(2)]: [at('counts', 450, 500)] }, 100)).toBe('member-2');
});

it('what the owner itself holds is no copy', async () => {
  expect(await copyOn({ [OWNER]: [at('counts', 500)], [memberId(2)]: [] })).toBeNull();
});
