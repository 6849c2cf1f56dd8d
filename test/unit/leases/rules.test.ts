import { describe, expect, it } from 'vitest';
import type { Incarnation, Lease, LeaseEpoch, Member, MemberStatus, Plan } from '../../../lib/leases/records.js';
import {
  isDeclaredDead,
  lastIncarnation,
  leasesWithoutLiveOwner,
  mayTake,
  mayTakeForDoorbell,
} from '../../../lib/leases/rules.js';
import { taskId } from '../../../lib/model/task-id.js';

const T = taskId(0, 3);
const self: Incarnation = { memberId: 'member-1', incarnation: 2 };
const other: Incarnation = { memberId: 'member-2', incarnation: 5 };

function plan(active: Plan['assignment'], dead: readonly Incarnation[] = []): Plan {
  return { number: 1, createdAtMs: 0, reason: '', assignor: 'steady', assignment: active, dead, partitions: {} };
}
const granting = (memberId: Incarnation['memberId'], dead: readonly Incarnation[] = []) =>
  plan({ [memberId]: { active: [T], standby: [], warmup: [] } }, dead);
const lease = (owner: Incarnation | null): Lease => ({ taskId: T, epoch: 1 as LeaseEpoch, owner, offsets: null });
const member = (at: Incarnation, status: MemberStatus): Member => ({
  ...at,
  status,
  heartbeatVersion: 0,
  planNumber: 0,
  report: { running: [], positions: [], recordsProcessed: 0 },
  tags: {},
});

describe('a slot whose item is gone', () => {
  it('begins after the last incarnation that a lease or the plan names, and at none if none does', () => {
    const leases = [lease(self), lease({ ...self, incarnation: 9 }), lease(other), lease(null)];
    const dead = [{ ...self, incarnation: 11 }];

    expect(lastIncarnation(self.memberId, leases, null)).toBe(9);
    expect(lastIncarnation(self.memberId, leases, granting('member-1', dead))).toBe(11);
    expect(lastIncarnation('member-3', leases, granting('member-1', dead))).toBe(0);
  });
});

describe('a member', () => {
  it('takes nothing without a plan', () => {
    expect(mayTake({ plan: null, taskId: T, lease: null, self })).toEqual({ may: false, because: 'not-granted' });
  });

  it('takes nothing that the plan grants to another member, though it is free', () => {
    expect(mayTake({ plan: granting('member-2'), taskId: T, lease: null, self }).may).toBe(false);
  });

  it('takes nothing that it was granted as a standby or warm-up only', () => {
    const following = plan({ 'member-1': { active: [], standby: [T], warmup: [T] } });

    expect(mayTake({ plan: following, taskId: T, lease: null, self }).may).toBe(false);
  });

  it.each([
    ['without an item', null, 'free'],
    ['that nobody owns', lease(null), 'free'],
    ['of an earlier incarnation of its own slot', lease({ ...self, incarnation: 1 }), 'own-slot'],
    ['that is its own, for a new epoch', lease(self), 'own'],
  ])('takes a granted lease %s', (_, held, because) => {
    expect(mayTake({ plan: granting('member-1'), taskId: T, lease: held, self })).toEqual({ may: true, because });
  });

  it.each([
    ['another member', other],
    ['a later incarnation of its own slot', { ...self, incarnation: 3 }],
  ])('does not take a granted lease from %s', (_, owner) => {
    const decision = mayTake({ plan: granting('member-1'), taskId: T, lease: lease(owner), self });

    expect(decision).toEqual({ may: false, because: 'held' });
  });

  it('takes a granted lease from an incarnation that the plan declares dead', () => {
    const decision = mayTake({ plan: granting('member-1', [other]), taskId: T, lease: lease(other), self });

    expect(decision).toEqual({ may: true, because: 'dead' });
  });

  it('does not take a lease from the incarnation that came after a dead one', () => {
    const next = { ...other, incarnation: 6 };

    expect(mayTake({ plan: granting('member-1', [other]), taskId: T, lease: lease(next), self }).may).toBe(false);
  });
});

describe('a declared death', () => {
  it('covers the earlier incarnations of the slot and no others', () => {
    const declared = granting('member-1', [other]);

    expect(isDeclaredDead(declared, { ...other, incarnation: 4 })).toBe(true);
    expect(isDeclaredDead(declared, { ...other, incarnation: 6 })).toBe(false);
    expect(isDeclaredDead(declared, { memberId: 'member-3', incarnation: 4 })).toBe(false);
  });
});

describe('a doorbell', () => {
  const live = member(other, 'claimed');

  it('takes a free task that no plan grants', () => {
    expect(mayTakeForDoorbell({ plan: null, taskId: T, lease: null, members: [live] }).may).toBe(true);
    expect(mayTakeForDoorbell({ plan: plan({}), taskId: T, lease: lease(null), members: [live] }).may).toBe(true);
  });

  it('takes nothing that is held, even by a dead member', () => {
    const question = { plan: granting('member-2', [other]), taskId: T, lease: lease(other), members: [] };

    expect(mayTakeForDoorbell(question)).toEqual({ may: false, because: 'held' });
  });

  it.each(['claimed', 'draining'] as const)('takes nothing that is granted to a %s member', (status) => {
    const question = { plan: granting('member-2'), taskId: T, lease: null, members: [member(other, status)] };

    expect(mayTakeForDoorbell(question)).toEqual({ may: false, because: 'granted-to-live-member' });
  });

  it.each(['free', 'dead'] as const)('takes what is granted to a %s slot', (status) => {
    const question = { plan: granting('member-2'), taskId: T, lease: null, members: [member(other, status)] };

    expect(mayTakeForDoorbell(question)).toEqual({ may: true, because: 'free' });
  });

  it('takes nothing of an application at rest (R5)', () => {
    const rest = { memberId: 'member-1', taskId: null, code: 'STREAMS_INTERNAL', message: '', deployment: '' } as const;
    const question = { plan: { ...plan({}), rest }, taskId: T, lease: lease(null), members: [] };

    expect(mayTakeForDoorbell(question)).toEqual({ may: false, because: 'at-rest' });
  });

  it('takes what is granted to a member whose death the plan declares', () => {
    const question = { plan: granting('member-2', [other]), taskId: T, lease: null, members: [live] };

    expect(mayTakeForDoorbell(question).may).toBe(true);
  });
});

describe('leases without a live owner', () => {
  it('are those whose owner is no current, running incarnation', () => {
    const members = [
      member(self, 'claimed'),
      member(other, 'draining'),
      member({ memberId: 'member-3', incarnation: 1 }, 'free'),
    ];
    const owned = (owner: Incarnation | null, partition: number): Lease => ({
      ...lease(owner),
      taskId: taskId(0, partition),
    });
    const leases = [
      owned(self, 0),
      owned(other, 1),
      owned(null, 2),
      owned({ ...self, incarnation: 1 }, 3),
      owned({ memberId: 'member-3', incarnation: 1 }, 4),
      owned({ memberId: 'member-9', incarnation: 1 }, 5),
    ];

    expect(leasesWithoutLiveOwner(leases, members).map((one) => one.taskId)).toEqual(['0_3', '0_4', '0_5']);
  });
});
