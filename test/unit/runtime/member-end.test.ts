import { expect, it } from 'vitest';
import { type EndQuestion, whyEnd } from '../../../lib/runtime/member-end.js';

const BUSY: EndQuestion = {
  isLost: false,
  isAskedToStop: false,
  nowMs: 1_000,
  drainAtMs: Number.POSITIVE_INFINITY,
  isListed: true,
  isForDoorbell: false,
  isAtRest: false,
  idleTimeoutMs: 500,
  hasWork: false,
  activeAtMs: 900,
};

it.each<[string, Partial<EndQuestion>, ReturnType<typeof whyEnd>]>([
  ['goes on while it was active lately', {}, null],
  ['ends idle after the idle time-out', { activeAtMs: 500 }, 'idle'],
  ['is not idle while it waits for a lease or has an offset to reach', { activeAtMs: 0, hasWork: true }, null],
  ['stays resident with an idle time-out of 0', { activeAtMs: 0, idleTimeoutMs: 0 }, null],
  [
    'ends without work although resident if a doorbell woke it',
    { activeAtMs: 0, idleTimeoutMs: 0, isForDoorbell: true },
    'idle',
  ],
  ['ends when the plan does not list it', { isListed: false }, 'retired'],
  ['goes on before the first plan', { isListed: null }, null],
  ['ends at rest even if a doorbell woke it', { isAtRest: true, isListed: false, isForDoorbell: true }, 'retired'],
  ['goes on unlisted if a doorbell woke it', { isListed: false, isForDoorbell: true }, null],
  [
    'hands over when its deadline is near, also when retired or idle',
    { drainAtMs: 1_000, isListed: false, activeAtMs: 0 },
    'drained',
  ],
  ['stops when asked, deadline or not', { isAskedToStop: true, drainAtMs: 0 }, 'stopped'],
  ['has lost its slot, whatever else', { isLost: true, isAskedToStop: true, drainAtMs: 0 }, 'lost'],
])('a member %s', (_, change, reason) => {
  expect(whyEnd({ ...BUSY, ...change })).toBe(reason);
});
