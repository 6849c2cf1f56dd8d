/** How many members an elastic application wants: W1 to W7. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MembersQuestion, wantedMembers } from '../../../lib/scheduler/wanted-members.js';

const BUSY = { lagRecords: 100_000, recordsPerSecond: 1_000, isWhole: true, isAsleep: false }; // 100 s behind
const CALM = { lagRecords: 0, recordsPerSecond: 0, isWhole: true, isAsleep: false };

const ask = (more: Partial<MembersQuestion> = {}): number =>
  wantedMembers({
    range: { min: 0, max: 10 },
    tasks: 20,
    tasksPerMember: 1,
    cooldownMs: 60_000,
    lagTargetMs: 10_000,
    current: 4,
    running: 4,
    load: CALM,
    capacity: 0,
    unchangedMs: 3_600_000,
    highMs: 3_600_000,
    lowMs: 3_600_000,
    asleepMs: 0,
    ...more,
  });

describe('the number of members wanted', () => {
  it('begins with the least, and one slot where that is 0 (W1)', () => {
    expect(ask({ current: null, load: BUSY })).toBe(1);
    expect(ask({ current: null, range: { min: 3, max: 9 } })).toBe(3);
  });

  it('grows in proportion to how far behind the members are, at most twofold (W3)', () => {
    const behind = (seconds: number) => ({ ...BUSY, lagRecords: seconds * 1_000 });

    expect(ask({ load: behind(10) })).toBe(4);
    expect(ask({ load: behind(12) })).toBe(5);
    expect(ask({ load: behind(15) })).toBe(6);
    expect(ask({ load: behind(1_000) })).toBe(8);
  });

  it('does not grow before the reason has held, what was changed has settled, and all wanted are there (W3, W5)', () => {
    expect(ask({ load: BUSY, highMs: 14_999 })).toBe(4);
    expect(ask({ load: BUSY, unchangedMs: 14_999 })).toBe(4);
    expect(ask({ load: BUSY, running: 3 })).toBe(4);
    expect(ask({ load: BUSY, highMs: 15_000, unchangedMs: 15_000 })).toBe(8);
  });

  it('does not change for what is not known, but grows for what is (W2)', () => {
    const unknown = { isWhole: false };

    expect(ask({ load: { ...CALM, ...unknown } })).toBe(4);
    expect(ask({ load: { ...BUSY, recordsPerSecond: 0 } })).toBe(4);
    expect(ask({ load: { ...BUSY, ...unknown } })).toBe(8);
  });

  it('falls by one, after the cool-down, while hardly anything waits (W4, W5)', () => {
    expect(ask()).toBe(3);
    expect(ask({ lowMs: 59_999 })).toBe(4);
    expect(ask({ unchangedMs: 59_999 })).toBe(4);
    expect(ask({ load: { ...BUSY, lagRecords: 2_500 } })).toBe(3);
    expect(ask({ load: { ...BUSY, lagRecords: 2_501 } })).toBe(4);
  });

  it('does not fall to where the members were seen to fall behind, until that is long ago (W4, W7)', () => {
    const load = { ...CALM, recordsPerSecond: 1_000 };

    expect(ask({ load, capacity: 400, unchangedMs: 60_000 })).toBe(4); // three bear 1,200, of which 70 % are 840
    expect(ask({ load, capacity: 500, unchangedMs: 60_000 })).toBe(3);
    expect(ask({ load, capacity: 400, unchangedMs: 600_000 })).toBe(3);
  });

  it('falls to the least at once where all have slept for the cool-down (W6)', () => {
    const load = { ...CALM, isAsleep: true };

    expect(ask({ load, asleepMs: 59_999 })).toBe(4);
    expect(ask({ load, asleepMs: 60_000 })).toBe(1);
  });

  it('is no more than share the tasks by tasksPerMember, and the least in any case (W1)', () => {
    expect(ask({ load: BUSY, tasks: 11, tasksPerMember: 2 })).toBe(6);
    expect(ask({ current: 9, running: 9, tasks: 11, tasksPerMember: 2, lowMs: 0 })).toBe(6);
    expect(ask({ current: 3, tasks: 2, range: { min: 3, max: 9 } })).toBe(3);
  });

  it('stays within its bounds, and steps by one down or at most twofold up, whatever is seen', () => {
    const count = fc.integer({ min: 0, max: 1_000_000 });
    const load = fc.record({
      lagRecords: count,
      recordsPerSecond: count,
      isWhole: fc.boolean(),
      isAsleep: fc.constant(false),
    });
    const more = fc.record({
      load,
      current: fc.integer({ min: 2, max: 10 }),
      running: fc.integer({ min: 0, max: 10 }),
      capacity: count,
      unchangedMs: count,
      highMs: count,
      lowMs: count,
    });
    fc.assert(
      fc.property(more, (asked) => {
        const wanted = ask({ range: { min: 2, max: 10 }, ...asked });
        expect(wanted).toBeGreaterThanOrEqual(Math.max(2, asked.current - 1));
        expect(wanted).toBeLessThanOrEqual(Math.min(10, asked.current * 2));
        if (!asked.load.isWhole) expect(wanted).toBeGreaterThanOrEqual(asked.current);
      }),
    );
  });
});
