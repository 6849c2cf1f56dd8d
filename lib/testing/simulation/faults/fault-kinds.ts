/** Every kind of fault there is. A kind that is not in this list is never drawn and never counted. */
import type { FaultKind } from './fault.js';
import { lateInvocation, lostInvocation, repeatedInvocation } from './invocation-faults.js';
import { crash, freeze } from './process-faults.js';

export const FAULT_KINDS: readonly FaultKind[] = [crash, freeze, lostInvocation, repeatedInvocation, lateInvocation];

/** @throws {RangeError} if there is no such kind */
export function faultKind(kind: string): FaultKind {
  const found = FAULT_KINDS.find((one) => one.kind === kind);
  if (found === undefined) throw new RangeError(`no fault is called '${kind}'`);
  return found;
}
