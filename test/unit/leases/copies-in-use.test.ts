import { describe, expect, it } from 'vitest';
import { areCopiesInUse } from '../../../lib/leases/copies-in-use.js';
import type { Lease, LeaseEpoch, Member, MemberStatus } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';

const TASK = taskId(0, 0);
const OWNER = { memberId: 'member-1', incarnation: 2 } as const;
const IDLE_MS = 1_000;

const lease = (owner: Lease['owner']): Lease => ({ taskId: TASK, epoch: 1 as LeaseEpoch, owner, offsets: null });

function inUse(given: {
  owner?: Lease['owner'];
  status?: MemberStatus;
  incarnation?: number;
  idleForMs?: number;
}): boolean {
  const { owner = OWNER, status = 'claimed', incarnation = OWNER.incarnation, idleForMs } = given;
  const report = { running: [], positions: [], recordsProcessed: 0, ...(idleForMs === undefined ? {} : { idleForMs }) };
  const member: Member = {
    ...{ memberId: OWNER.memberId, incarnation, status, heartbeatVersion: 0, planNumber: 0, tags: {} },
    report,
  };
  return areCopiesInUse({ taskIds: [TASK], leases: [lease(owner)], members: [member], idleTimeoutMs: IDLE_MS });
}

describe('copies of a task', () => {
  it('are of use while its owner is at work, or has been lately', () => {
    expect(inUse({})).toBe(true);
    expect(inUse({ idleForMs: IDLE_MS - 1 })).toBe(true);
    expect(inUse({ status: 'draining' })).toBe(true);
  });

  it('are of none when its owner has been idle for the time-out: members that copy each other all end', () => {
    expect(inUse({ idleForMs: IDLE_MS })).toBe(false);
  });

  it('are of none when nobody runs it, or only somebody who has ended', () => {
    expect(inUse({ owner: null })).toBe(false);
    expect(inUse({ status: 'dead' })).toBe(false);
    expect(inUse({ incarnation: 3 })).toBe(false);
  });
});
