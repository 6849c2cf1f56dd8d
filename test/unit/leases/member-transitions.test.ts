import { describe, expect, it } from 'vitest';
import {
  EMPTY_REPORT,
  MEMBER_TRANSITIONS,
  type MemberCommand,
  type SlotItem,
  stepMember,
} from '../../../lib/leases/member-transitions.js';
import type { Incarnation, Member, MemberStatus } from '../../../lib/leases/records.js';

const current: Incarnation = { memberId: 'member-1', incarnation: 3 };
const statuses: (MemberStatus | 'absent' | 'retired')[] = ['absent', 'retired', 'free', 'claimed', 'draining', 'dead'];

function item(status: MemberStatus | 'absent' | 'retired'): SlotItem | null {
  if (status === 'absent') return null;
  if (status === 'retired') return { ...current, status };
  return { ...current, status, heartbeatVersion: 4, planNumber: 6, report: EMPTY_REPORT, tags: { zone: 'a' } };
}

/** Each command with all its other conditions met. */
const commands: Record<MemberCommand['type'], MemberCommand> = {
  create: { type: 'create', memberId: 'member-1' },
  claim: { type: 'claim', memberId: 'member-1', incarnation: 4, report: EMPTY_REPORT, tags: {} },
  heartbeat: { type: 'heartbeat', ...current, report: EMPTY_REPORT },
  drain: { type: 'drain', ...current },
  free: { type: 'free', ...current },
  declareDead: { type: 'declareDead', ...current, heartbeatVersion: 4 },
  announcePlan: { type: 'announcePlan', memberId: 'member-1', planNumber: 7 },
  delete: { type: 'delete', ...current },
};

/** The picture in member-transitions.ts, written down once more: status before → status after each write that applies. */
const allowed: Record<MemberCommand['type'], Partial<Record<string, string>>> = {
  create: { absent: 'free', retired: 'free' },
  claim: { free: 'claimed', draining: 'claimed', dead: 'claimed' },
  heartbeat: { claimed: 'claimed', draining: 'draining' },
  drain: { claimed: 'draining' },
  free: { claimed: 'free', draining: 'free' },
  declareDead: { claimed: 'dead', draining: 'dead' },
  announcePlan: { free: 'free', claimed: 'claimed', draining: 'draining', dead: 'dead' },
  delete: { free: 'retired', dead: 'retired' },
};

const cases = Object.values(commands).flatMap((command) => statuses.map((status) => ({ command, status })));

describe('the life of a slot', () => {
  it('has a row for each command', () => {
    expect(Object.keys(MEMBER_TRANSITIONS).sort()).toEqual(Object.keys(allowed).sort());
  });

  it.each(cases)('$command.type of a slot that is $status', ({ command, status }) => {
    const before = item(status);

    const { answer, after } = stepMember(before, command);

    const expected = allowed[command.type][status];
    expect(answer.applied).toBe(expected !== undefined);
    expect(after?.status ?? 'absent').toBe(expected ?? status);
    if (expected === undefined) expect(after).toBe(before);
  });

  it('a retired slot is shown to nobody', () => {
    expect(stepMember(item('retired'), commands.heartbeat).answer).toEqual({ applied: false, item: null });
  });

  it('a deletion answers the slot as it was', () => {
    expect(stepMember(item('free'), commands.delete).answer).toEqual({ applied: true, item: item('free') });
  });

  it('a claim forgets the heartbeats and keeps the announced plan', () => {
    const after = stepMember(item('dead'), commands.claim).after as Member;

    expect([after.incarnation, after.heartbeatVersion, after.planNumber]).toEqual([4, 0, 6]);
  });

  it('the item that was there is not changed', () => {
    const before = Object.freeze(item('claimed') as Member);

    stepMember(before, commands.drain);

    expect(before.status).toBe('claimed');
  });
});
