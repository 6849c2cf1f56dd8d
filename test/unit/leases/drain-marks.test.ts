import { describe, expect, it } from 'vitest';
import { wantedSlots } from '../../../lib/leases/drain-marks.js';
import type { DrainMark, MemberId } from '../../../lib/leases/records.js';

const mark = (wantedBefore: number): { readonly drain: DrainMark } => ({ drain: { wantedBefore, warmUntilMs: 0 } });
const drained = (ids: readonly MemberId[], wantedBefore: number) =>
  ids.map((memberId) => ({ memberId, ...mark(wantedBefore) }));

describe('the slots that are wanted', () => {
  it.each<[number, readonly MemberId[], number, readonly MemberId[]]>([
    [3, [], 0, ['member-1', 'member-2', 'member-3']],
    [3, ['member-2'], 3, ['member-1', 'member-3']],
    [4, ['member-2'], 3, ['member-1', 'member-3', 'member-4']],
    [2, ['member-2'], 3, ['member-1', 'member-3']],
    [1, ['member-2'], 3, ['member-1']],
    [4, ['member-2', 'member-3'], 4, ['member-1', 'member-4']],
    [3, ['member-2', 'member-3'], 4, ['member-1', 'member-4']],
    [2, ['member-3'], 3, ['member-1', 'member-2']],
    [1, ['member-1'], 1, ['member-2']],
    [2, ['member-1', 'member-2'], 2, ['member-3']],
    [0, [], 0, []],
  ])('of %d members with %j drained, of %d then, are %j', (members, ids, wantedBefore, expected) => {
    expect(wantedSlots(members, drained(ids, wantedBefore))).toEqual(expected);
  });

  it('never grow by a mark, and never shrink by more than one', () => {
    for (let members = 1; members <= 6; members += 1)
      for (let slot = 1; slot <= members; slot += 1) {
        const without = wantedSlots(members, []).length;
        const [id] = [`member-${slot}` as MemberId];
        const left = wantedSlots(members, drained([id], members));

        expect(left).not.toContain(id);
        expect(left.length).toBe(Math.max(1, without - 1));
      }
  });

  it('are as many as the scheduler has decided, where it decides: it has counted without the drained', () => {
    expect(wantedSlots(3, drained(['member-2'], 3), true)).toEqual(['member-1', 'member-3', 'member-4']);
  });
});
