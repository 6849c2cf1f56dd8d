import { expect, test } from 'vitest';
import { PunctuationSchedule } from '../../../lib/task/punctuation-schedule.js';

test('missed points are skipped: however far the clock jumps, one call, then the next point of the grid', async () => {
  const called: number[] = [];
  const schedule = new PunctuationSchedule();
  schedule.add(0, 10, (timestampMs) => void called.push(timestampMs));

  await schedule.callDue(5);
  await schedule.callDue(9);
  await schedule.callDue(47);

  expect(called).toEqual([5, 47]);
  expect(schedule.nextDueMs).toBe(50);
});

test('what is due longest is called first', async () => {
  const called: string[] = [];
  const schedule = new PunctuationSchedule();
  schedule.add(20, 100, () => void called.push('b'));
  schedule.add(10, 100, () => void called.push('a'));

  expect(await schedule.callDue(30)).toBe(2);

  expect(called).toEqual(['a', 'b']);
});

test('one that is cancelled by another in the same pass is not called', async () => {
  const called: string[] = [];
  const schedule = new PunctuationSchedule();
  schedule.add(1, 10, () => {
    called.push('first');
    second.cancel();
  });
  const second = schedule.add(2, 10, () => void called.push('second'));

  expect(await schedule.callDue(5)).toBe(1);
  expect(called).toEqual(['first']);
});

test('one that is scheduled by another is called in the same pass if it is due, and once', async () => {
  const called: string[] = [];
  const schedule = new PunctuationSchedule();
  const first = schedule.add(0, 10, (nowMs) => {
    called.push(`first at ${nowMs}`);
    first.cancel();
    schedule.add(0, 100, (later) => void called.push(`due at ${later}`));
    schedule.add(60, 100, (later) => void called.push(`not yet due at ${later}`));
  });

  expect(await schedule.callDue(5)).toBe(2);
  expect(await schedule.callDue(12)).toBe(0);
  expect(await schedule.callDue(130)).toBe(2);

  expect(called).toEqual(['first at 5', 'due at 5', 'not yet due at 130', 'due at 130']);
});

test('those that schedule another in each call end with an error, not never', async () => {
  const schedule = new PunctuationSchedule();
  const again = () => {
    const next = schedule.add(0, 10, () => {
      next.cancel();
      again();
    });
  };
  again();

  await expect(schedule.callDue(5)).rejects.toMatchObject({ code: 'STREAMS_PROCESSING_FAILED' });
});

test('nothing is due once everything is cancelled', () => {
  const schedule = new PunctuationSchedule();
  const only = schedule.add(3, 10, () => {});
  expect(schedule.nextDueMs).toBe(3);

  only.cancel();

  expect(schedule.nextDueMs).toBe(Number.POSITIVE_INFINITY);
});

/** Three of one interval, and what has been called so far. */
function three(): { readonly schedule: PunctuationSchedule; readonly called: string[] } {
  const schedule = new PunctuationSchedule();
  const called: string[] = [];
  for (const name of ['a', 'b', 'c']) schedule.add(0, 10, () => void called.push(name));
  return { schedule, called };
}

test('those that are due at one point come in the order of Kafka’s queue, which is not that of their making', async () => {
  const { schedule, called } = three();

  await schedule.callDue(0);
  await schedule.callDue(10);

  expect(called.join('')).toBe('acbcba');
});

test('one that waits longer for a point is called before one that has just been called', async () => {
  const schedule = new PunctuationSchedule();
  const called: string[] = [];
  schedule.add(0, 10, () => void called.push('often'));
  schedule.add(0, 50, () => void called.push('seldom'));
  for (const nowMs of [5, 15, 25, 35, 45]) await schedule.callDue(nowMs);
  called.length = 0;

  await schedule.callDue(50);

  expect(called).toEqual(['seldom', 'often']);
});

test('another schedule that is arranged in its order goes on as it would', async () => {
  for (let calls = 0; calls < 7; calls += 1) {
    const first = three();
    const second = three();
    for (let call = 0; call < calls; call += 1) await first.schedule.callDue(call * 10);
    const before = first.called.length;

    second.schedule.arrange(first.schedule.order);
    await first.schedule.callDue(1_000);
    await second.schedule.callDue(1_000);

    expect(second.called.join('')).toBe(first.called.slice(before).join(''));
  }
});
