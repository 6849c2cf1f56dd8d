/** Processes that die, stand still, or are cut off by their time-out. */
import type { PortCall } from '../simulated-ports.js';
import type { FaultKind } from './fault.js';

/** Calls after which a fault may still find its moment: about as many as a quiet scenario makes. */
const CALLS_MOST = 4_000;

/** Calls `act` once, at the n-th call that `matches`. */
function atCall(nth: number, matches: (call: PortCall) => boolean, act: (call: PortCall) => void) {
  let seen = 0;
  return (call: PortCall): undefined => {
    if (!matches(call)) return;
    if (seen === nth) act(call);
    seen += 1;
  };
}

/** A process dies at one of its calls: before the call took effect, or after and without hearing of it. */
export const crash: FaultKind = {
  kind: 'crash',
  about: 'the process that makes the n-th call dies, before the call takes effect or after',
  make: (chance) => ({ kind: 'crash', call: chance.below(CALLS_MOST), before: chance.happens(0.5) }),
  activate(fault, _cloud, fired) {
    const hook = atCall(
      Number(fault.call),
      () => true,
      ({ process, port, method }) => {
        fired({ process: process.name, port, method });
        process.kill('crashed');
      },
    );
    return fault.before === true ? { before: hook } : { after: hook };
  },
};

/** A process stands still while the world goes on, shorter or longer than it takes to be declared dead. */
export const freeze: FaultKind = {
  kind: 'freeze',
  about: 'the process that makes the n-th call stands still for a while and goes on as if nothing had been',
  make: (chance, { sessionTimeoutMs }) => ({
    kind: 'freeze',
    call: chance.below(CALLS_MOST),
    before: chance.happens(0.5),
    ms: chance.between(100, 3 * sessionTimeoutMs),
  }),
  activate(fault, _cloud, fired) {
    const hook = atCall(
      Number(fault.call),
      () => true,
      ({ process, port, method }) => {
        fired({ process: process.name, port, method });
        process.freeze(Number(fault.ms));
      },
    );
    return fault.before === true ? { before: hook } : { after: hook };
  },
};
