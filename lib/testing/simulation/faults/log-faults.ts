/** A log that is slow, or fails. */
import { UnavailableError, UnknownOutcomeError } from '../../../model/errors.js';
import type { PortCall } from '../simulated-ports.js';
import { createWindow, isOfProducer, named } from './at-call.js';
import { moment } from './draw.js';
import type { FaultKind } from './fault.js';

const SLOW_LEAST_MS = 100;
const WINDOW_LEAST_MS = 200;
const WINDOW_MOST_MS = 6_000;

const isOfLog = (call: PortCall) => call.port === 'log' || isOfProducer(call);

export const slowLog: FaultKind = {
  kind: 'slow-log',
  about: 'for a while each call to the log takes long, from 100 ms to beyond the time-out of a transaction',
  make: (chance, size) => ({
    kind: 'slow-log',
    atMs: moment(chance, size),
    lengthMs: chance.between(WINDOW_LEAST_MS, WINDOW_MOST_MS),
    ms: chance.between(SLOW_LEAST_MS, chance.happens(0.5) ? 1_000 : size.transactionTimeoutMs * 1.5),
    before: chance.happens(0.5),
    producer: chance.happens(0.3),
  }),
  activate(fault, cloud, fired) {
    const isOpen = createWindow(cloud, {
      atMs: Number(fault.atMs),
      lengthMs: Number(fault.lengthMs),
      matches: fault.producer === true ? isOfProducer : isOfLog,
      opened: (call, untilMs) => fired({ ...named(call), untilMs: untilMs + Number(fault.ms) }),
    });
    const hook = (call: PortCall) => (isOpen(call) ? cloud.time.clock.sleep(Number(fault.ms)) : undefined);
    return fault.before === true ? { before: hook } : { after: hook };
  },
};

export const failingLog: FaultKind = {
  kind: 'failing-log',
  about: 'for a while calls to the log fail, all or some, before they take effect or after',
  make: (chance, size) => ({
    kind: 'failing-log',
    atMs: moment(chance, size),
    lengthMs: chance.happens(0.5) ? 0 : chance.between(WINDOW_LEAST_MS, WINDOW_MOST_MS),
    share: chance.pick([1, 0.5, 0.1]),
    before: chance.happens(0.5),
    producer: chance.happens(0.5),
  }),
  activate(fault, cloud, fired) {
    const chance = cloud.chance(`failing-log/${String(fault.atMs)}`);
    const isOpen = createWindow(cloud, {
      atMs: Number(fault.atMs),
      lengthMs: Number(fault.lengthMs) || 1, // a window of a moment: one call, and what is made together with it
      matches: fault.producer === true ? isOfProducer : isOfLog,
      opened: (call, untilMs) => fired({ ...named(call), untilMs }),
    });
    let isFirst = true;
    const hook = (call: PortCall): undefined => {
      if (!isOpen(call)) return;
      const fails = isFirst || chance.happens(Number(fault.share));
      isFirst = false;
      if (fails) throw failure(call, fault.before === true ? 'before' : 'after');
    };
    return fault.before === true ? { before: hook } : { after: hook };
  },
};

/** As the Kafka adapter says it: nobody knows what became of a write of records or of the end of a transaction. */
function failure({ port, method }: PortCall, when: 'before' | 'after'): Error {
  const what = `${port}.${method} failed ${when} it took effect`;
  const isUnknown = port === 'producer' || method === 'append';
  return isUnknown ? new UnknownOutcomeError(what) : new UnavailableError(what);
}
