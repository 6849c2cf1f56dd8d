/** Faults that wait for a call: the n-th of some kind, or the first after a moment. */
import type { Cloud } from '../cloud.js';
import type { PortCall } from '../simulated-ports.js';

/** Calls `act` once, at the n-th call (from 0) that `matches`. */
export function atCall<T>(
  nth: number,
  matches: (call: PortCall) => boolean,
  act: (call: PortCall) => T,
): (call: PortCall) => T | undefined {
  let seen = 0;
  return (call) => {
    if (!matches(call)) return undefined;
    seen += 1;
    return seen === nth + 1 ? act(call) : undefined;
  };
}

/** A window of virtual time: it opens with the first call that `matches` at or after a moment, and stays open for a while. */
export function createWindow(
  cloud: Pick<Cloud, 'time'>,
  window: {
    /** Virtual milliseconds. */
    readonly atMs: number;
    readonly lengthMs: number;
    readonly matches: (call: PortCall) => boolean;
    /** @param untilMs when it closes */
    readonly opened: (call: PortCall, untilMs: number) => void;
  },
): (call: PortCall) => boolean {
  let endMs: number | null = null;
  return (call) => {
    const { nowMs } = cloud.time;
    if (nowMs < window.atMs || !window.matches(call)) return false;
    if (endMs === null) {
      endMs = nowMs + window.lengthMs;
      window.opened(call, endMs);
    }
    return nowMs < endMs;
  };
}

/** What a fault says of the call that it hit. */
export function named({ process, port, method }: PortCall) {
  return { process: process.name, port, method };
}

/** Whether a call belongs to a transaction of a task function. */
export function isOfProducer({ port, method }: PortCall): boolean {
  return port === 'producer' && method !== 'close';
}
