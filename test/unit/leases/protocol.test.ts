import { describe, expect, it } from 'vitest';
import type { LeaseCommand } from '../../../lib/leases/lease-transitions.js';
import { EMPTY_REPORT, MEMBER_TRANSITIONS, type MemberCommand } from '../../../lib/leases/member-transitions.js';
import { leaseTransition, SLOT_TRANSITIONS, slotTransition } from '../../../lib/leases/protocol.js';
import type { Incarnation, Lease, LeaseEpoch, Member, Plan } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';

const task = taskId(0, 0);
const self: Incarnation = { memberId: 'member-1', incarnation: 2 };
const other: Incarnation = { memberId: 'member-2', incarnation: 1 };

function slot(status: Member['status']): Member {
  return { ...self, status, heartbeatVersion: 0, planNumber: 0, report: EMPTY_REPORT, tags: {} };
}

function plan(granted: readonly string[], dead: readonly Incarnation[] = []): Plan {
  const active = granted.length === 0 ? [] : [task];
  const assignment = { 'member-1': { active, standby: [], warmup: [] } };
  return { number: 1, createdAtMs: 0, reason: '', assignor: 'steady', assignment, dead, partitions: {} };
}

function lease(owner: Incarnation | null): Lease {
  return { taskId: task, epoch: 1 as LeaseEpoch, owner, offsets: null };
}

const take: LeaseCommand = { type: 'take', taskId: task, owner: self, expected: null };

describe('the names of transitions', () => {
  it('cover every write to a slot in every status in which it applies', () => {
    const named = Object.entries(MEMBER_TRANSITIONS).flatMap(([type, { from }]) =>
      from.map((status) =>
        slotTransition(status === 'absent' ? null : slot(status), { type: type as MemberCommand['type'] }),
      ),
    );

    expect([...new Set(named)].sort()).toEqual([...SLOT_TRANSITIONS].sort());
  });

  it.each([
    ['take a new lease', null, plan(['0_0'])],
    ['take a free lease', lease(null), plan(['0_0'])],
    ['take for a doorbell', lease(null), plan([])],
    ['take for a doorbell', null, null],
    ['take own lease again', lease(self), plan(['0_0'])],
    ['take from an earlier incarnation', lease({ ...self, incarnation: 1 }), plan(['0_0'])],
    ['take from the dead', lease(other), plan(['0_0'], [other])],
  ] as const)('tell from whom a lease is taken from: %s', (name, before, known) => {
    expect(leaseTransition(before, take, known)).toBe(name);
  });

  it('call a release a release', () => {
    const release: LeaseCommand = { type: 'release', taskId: task, owner: self, epoch: 1 as LeaseEpoch, offsets: null };

    expect(leaseTransition(lease(self), release, null)).toBe('release');
  });
});
