import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';

/**
 * Holds what a supplier gave to be a processor, of either kind: an object with a function `process`.
 *
 * @param whose how the error begins: whose supplier it is
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY
 */
export function expectProcessor(made: unknown, whose: string, details: Readonly<Record<string, unknown>>): void {
  if (typeof (made as { readonly process?: unknown } | null | undefined)?.process === 'function') return;
  throw new TopologyError(`${whose}: its supplier gives ${kindOfValue(made)}, no processor`, {
    details,
    remedy: 'Return an object with a function `process` from the supplier: () => new YourProcessor().',
  });
}
