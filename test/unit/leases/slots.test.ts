import { describe, expect, it } from 'vitest';
import type { Incarnation, Member, MemberId, MemberStatus, Plan, StorePosition } from '../../../lib/leases/records.js';
import { chooseSlot, lowestUnusedSlot } from '../../../lib/leases/slots.js';
import { offset } from '../../../lib/model/offset.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';

const member = (memberId: MemberId, status: MemberStatus, incarnation = 1): Member => ({
  memberId,
  incarnation,
  status,
  heartbeatVersion: 0,
  planNumber: 0,
  report: { running: [], positions: [], recordsProcessed: 0 },
  tags: {},
});
const granted = (active: Readonly<Record<MemberId, readonly TaskId[]>>): Plan => ({
  number: 1,
  createdAtMs: 0,
  reason: '',
  assignor: 'steady',
  assignment: Object.fromEntries(
    Object.entries(active).map(([id, tasks]) => [id, { active: tasks, standby: [], warmup: [] }]),
  ),
  dead: [],
  partitions: {},
});
const holds = (...ids: TaskId[]): StorePosition[] =>
  ids.map((id) => ({ taskId: id, store: 'counts', nextOffset: offset(0), endOffset: offset(0) }));
const first: Incarnation = { memberId: 'member-1', incarnation: 2 };
const second: Incarnation = { memberId: 'member-2', incarnation: 5 };
const plan = granted({ 'member-1': [taskId(0, 0)], 'member-2': [taskId(0, 1), taskId(0, 2)] });

describe('an invocation', () => {
  it.each(['free', 'dead', 'draining'] as const)('claims the %s slot that it was invoked for', (status) => {
    const members = [member('member-1', status), member('member-2', 'free')];

    expect(chooseSlot({ members, plan, asked: [first], held: [] })).toEqual(first);
  });

  it('ends if its slot is claimed already: a duplicate event', () => {
    const members = [member('member-1', 'claimed', 2), member('member-2', 'free')];

    expect(chooseSlot({ members, plan, asked: [first], held: [] })).toBe(null);
  });

  it.each([0, 2, 7])('ends if its slot is at incarnation %i instead of the one before its own: a late event', (at) => {
    expect(chooseSlot({ members: [member('member-1', 'free', at)], plan, asked: [first], held: [] })).toBe(null);
  });

  it('ends if its slot is gone', () => {
    expect(chooseSlot({ members: [], plan, asked: [first], held: [] })).toBe(null);
  });

  it('claims the slot whose stores it still holds before the one that it was invoked for, if both were asked for', () => {
    const members = [member('member-1', 'free'), member('member-2', 'free', 4)];

    const chosen = chooseSlot({ members, plan, asked: [first, second], held: holds(taskId(0, 1)) });

    expect(chosen).toEqual(second);
  });

  it('leaves a slot asleep that nobody asked for, though it holds its stores', () => {
    const members = [member('member-1', 'free'), member('member-2', 'free', 4)];

    expect(chooseSlot({ members, plan, asked: [first], held: holds(taskId(0, 1)) })).toEqual(first);
  });

  it('claims the slot of which it holds most', () => {
    const members = [member('member-2', 'dead', 4), member('member-1', 'free')];

    const chosen = chooseSlot({
      members,
      plan,
      asked: [first, second],
      held: holds(taskId(0, 0), taskId(0, 1), taskId(0, 2)),
    });

    expect(chosen).toEqual(second);
  });

  it('claims what is left when another has become the slot that it was invoked for', () => {
    const members = [member('member-1', 'claimed', 2), member('member-2', 'free', 4)];

    expect(chooseSlot({ members, plan, asked: [first, second], held: [] })).toEqual(second);
  });

  it.each([
    ['claimed', 5],
    ['free', 5],
    ['draining', 5],
  ] as const)('leaves a slot alone that was asked for with it and is %s at incarnation %i by now', (status, at) => {
    const members = [member('member-1', 'claimed', 2), member('member-2', status, at)];

    expect(chooseSlot({ members, plan, asked: [first, second], held: holds(taskId(0, 1)) })).toBe(null);
  });

  it('claims its own slot if it holds nothing that is granted', () => {
    const members = [member('member-1', 'free'), member('member-2', 'free', 4)];

    expect(chooseSlot({ members, plan, asked: [first, second], held: holds(taskId(9, 9)) })).toEqual(first);
    expect(chooseSlot({ members, plan: null, asked: [first, second], held: holds(taskId(0, 1)) })).toEqual(first);
  });
});

describe('the lowest unused slot', () => {
  it('is member-1 where there is no member, and fills gaps', () => {
    expect(lowestUnusedSlot([])).toBe('member-1');
    expect(lowestUnusedSlot([member('member-3', 'free'), member('member-1', 'dead')])).toBe('member-2');
  });
});
