/** Asynchronous invocations that never arrive, arrive more than once, or late. */
import type { Delivery, Invocation } from '../function-platform.js';
import { early } from './draw.js';
import type { FaultKind } from './fault.js';

/** Invocations of a scenario: from four, if it sleeps most of the time, to some forty. */
const INVOCATIONS_MOST = 25;
const LATE_MOST_MS = 90_000;
const APART_MOST_MS = 5_000;
const COPIES_MOST = 3;

function atInvocation(nth: number, deliveries: readonly Delivery[], fired: (details: { requestId: string }) => void) {
  return ({ ordinal, requestId }: Invocation) => {
    if (ordinal !== nth) return undefined;
    fired({ requestId });
    return deliveries;
  };
}

export const lostInvocation: FaultKind = {
  kind: 'lost-invocation',
  about: 'an accepted invocation never reaches the function',
  make: (chance) => ({ kind: 'lost-invocation', invocation: early(chance, INVOCATIONS_MOST) }),
  activate: (fault, _cloud, fired) => ({ delivery: atInvocation(Number(fault.invocation), [], fired) }),
};

export const repeatedInvocation: FaultKind = {
  kind: 'repeated-invocation',
  about: 'an accepted invocation reaches the function two or three times, together or apart',
  make: (chance) => ({
    kind: 'repeated-invocation',
    invocation: early(chance, INVOCATIONS_MOST),
    copies: chance.between(2, COPIES_MOST),
    apartMs: chance.happens(0.3) ? 0 : chance.below(APART_MOST_MS),
  }),
  activate: (fault, _cloud, fired) => {
    const deliveries = Array.from({ length: Number(fault.copies) }, (_, copy) => ({
      afterMs: copy * Number(fault.apartMs),
    }));
    return { delivery: atInvocation(Number(fault.invocation), deliveries, fired) };
  },
};

export const lateInvocation: FaultKind = {
  kind: 'late-invocation',
  about: 'an accepted invocation reaches the function long after it was made, perhaps after it has expired',
  make: (chance) => ({
    kind: 'late-invocation',
    invocation: early(chance, INVOCATIONS_MOST),
    ms: chance.below(LATE_MOST_MS),
  }),
  activate: (fault, _cloud, fired) => ({
    delivery: atInvocation(Number(fault.invocation), [{ afterMs: Number(fault.ms) }], fired),
  }),
};
