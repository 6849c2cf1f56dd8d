/** Invocations that get little time. */

import { early } from './draw.js';
import type { FaultKind } from './fault.js';

const INVOCATIONS_MOST = 8;
const LEAST_MS = 300;
const MOST_MS = 6_000;

export const deadline: FaultKind = {
  kind: 'deadline',
  about: 'the n-th invocation of the task function has a few seconds only and has to hand over at once',
  make: (chance) => ({
    kind: 'deadline',
    invocation: early(chance, INVOCATIONS_MOST),
    ms: chance.between(LEAST_MS, MOST_MS),
  }),
  activate(fault, _cloud, fired) {
    let seen = 0;
    return {
      timeoutMs({ target, requestId }) {
        if (target !== 'task') return undefined;
        seen += 1;
        if (seen !== Number(fault.invocation) + 1) return undefined;
        fired({ requestId, ms: Number(fault.ms) });
        return Number(fault.ms);
      },
    };
  },
};
