import { InvalidSettingError, type StreamsError, TopologyError } from '../model/errors.js';
import { isErrorOf } from '../model/thrown.js';

/**
 * Has what an operator's call refuses say which operator it was: by the name that it was given, else by its store.
 *
 * @param operator the method, as errors about it begin
 * @param options of the call, whatever they are
 * @throws what `call` throws; errors of topologies and settings that do not name the operator yet begin with it, and have `node` or
 *   `store` among their details
 */
export function nameErrors<R>(operator: string, options: unknown, call: () => R): R {
  try {
    return call();
  } catch (thrown) {
    for (const Class of [TopologyError, InvalidSettingError])
      if (isErrorOf(Class, thrown)) throw named(thrown, operator, options, Class);
    throw thrown;
  }
}

function named(
  error: StreamsError,
  operator: string,
  options: unknown,
  Class: typeof TopologyError | typeof InvalidSettingError,
): StreamsError {
  const { name, store } = (options ?? {}) as { readonly name?: unknown; readonly store?: unknown };
  const [kind, own] = typeof name === 'string' ? ['node', name] : ['store', store];
  if (typeof own !== 'string' || error.message.includes(`'${own}'`)) return error;
  const beginsSo = error.message.startsWith(`${operator} `) || error.message.startsWith(`${operator}:`);
  const rest = beginsSo ? error.message.slice(operator.length) : `: ${error.message}`;
  const { remedy, details } = error;
  return new Class(`${operator} '${own}'${rest}`, { cause: error, remedy, details: { [kind]: own, ...details } });
}
