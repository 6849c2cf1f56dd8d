/** Processes that die or stand still. */

import type { PortCall } from '../simulated-ports.js';
import { atCall, named } from './at-call.js';
import { anyCall } from './draw.js';
import type { Fault, FaultKind } from './fault.js';

/** Calls of all ports; of one, or of those alone that take long, if the fault says so: `simulate` aims some at calls of services. */
const ofPort = (fault: Fault) => (call: PortCall) =>
  (fault.port === undefined || call.port === fault.port) && (fault.slow !== true || call.isSlow === true);

/** A process dies at one of its calls: before the call took effect, or after and without hearing of it. */
export const crash: FaultKind = {
  kind: 'crash',
  about: 'the process that makes the n-th call dies, before the call takes effect or after',
  make: (chance) => ({ kind: 'crash', call: anyCall(chance), before: chance.happens(0.5) }),
  activate(fault, _cloud, fired) {
    const hook = atCall(Number(fault.call), ofPort(fault), (call): undefined => {
      fired(named(call));
      call.process.kill('crashed');
    });
    return fault.before === true ? { before: hook } : { after: hook };
  },
};

/** A process stands still while the world goes on, shorter or longer than it takes to be declared dead. */
export const freeze: FaultKind = {
  kind: 'freeze',
  about: 'the process that makes the n-th call stands still for a while and goes on as if nothing had been',
  make: (chance, { sessionTimeoutMs }) => ({
    kind: 'freeze',
    call: anyCall(chance),
    before: chance.happens(0.5),
    ms: chance.between(100, 3 * sessionTimeoutMs),
  }),
  activate(fault, _cloud, fired) {
    const hook = atCall(Number(fault.call), ofPort(fault), (call): undefined => {
      fired(named(call));
      call.process.freeze(Number(fault.ms));
    });
    return fault.before === true ? { before: hook } : { after: hook };
  },
};
