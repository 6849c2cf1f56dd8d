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

test('one that is cancelled, or scheduled, by another in the same call is not called', async () => {
  const called: string[] = [];
  const schedule = new PunctuationSchedule();
  schedule.add(1, 10, () => {
    called.push('first');
    second.cancel();
    schedule.add(0, 10, () => void called.push('third'));
  });
  const second = schedule.add(2, 10, () => void called.push('second'));

  expect(await schedule.callDue(5)).toBe(1);
  expect(called).toEqual(['first']);
  await schedule.callDue(5);
  expect(called).toEqual(['first', 'third']);
});

test('nothing is due once everything is cancelled', () => {
  const schedule = new PunctuationSchedule();
  const only = schedule.add(3, 10, () => {});
  expect(schedule.nextDueMs).toBe(3);

  only.cancel();

  expect(schedule.nextDueMs).toBe(Number.POSITIVE_INFINITY);
});
