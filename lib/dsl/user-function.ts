import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';

/**
 * What a user gave an operator to call, held to be a function before anything runs.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming the operator and what is missing
 */
export function userFunction<F>(given: F, operator: string, role = 'function'): F {
  if (typeof given === 'function') return given;
  throw new TopologyError(`${operator} needs a ${role} to call, not ${kindOfValue(given)}`, {
    details: { operator, role },
  });
}
