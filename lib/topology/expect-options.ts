/**
 * Holds the options of a call to those that there are, and to their kinds: the compiler does so for TypeScript, this for JavaScript,
 * where a misspelt option would change nothing and say nothing.
 */
import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import { suggestion } from '../model/nearest.js';

interface Kind {
  readonly wanted: string;
  holds(given: unknown): boolean;
}

const FLAG: Kind = { wanted: 'true or false is wanted', holds: (given) => typeof given === 'boolean' };
const NAME: Kind = { wanted: 'a name is wanted', holds: (given) => typeof given === 'string' };
const FUNCTION: Kind = { wanted: 'a function is wanted', holds: (given) => typeof given === 'function' };
const SERDE: Kind = {
  wanted: 'a serde is wanted, such as string(), whose functions are not async',
  holds(given) {
    const serde = given as { readonly serialize?: unknown; readonly deserialize?: unknown } | null;
    return answersAtOnce(serde?.serialize) && answersAtOnce(serde?.deserialize);
  },
};

const TEXTS_BY_NAME: Kind = {
  wanted: "texts by name are wanted, such as { 'retention.ms': '1000' }",
  holds: (given) => isPlain(given) && Object.values(given).every((value) => typeof value === 'string'),
};

const NAMES: Kind = {
  wanted: 'names are wanted',
  holds: (given) =>
    typeof given === 'string' || (Array.isArray(given) && given.every((name) => typeof name === 'string')),
};

/** Of options that whoever uses them checks himself, nothing is said here. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['key', SERDE],
  ['value', SERDE],
  ['store', NAME],
  ['logged', FLAG],
  ['cached', FLAG],
  ['inMemory', FLAG],
  ['retainDuplicates', FLAG],
  ['ensureExplicitInternalResourceNaming', FLAG],
  ['changelogConfig', TEXTS_BY_NAME],
  ['partitioner', FUNCTION],
  ['otherPartitioner', FUNCTION],
  ['endOf', FUNCTION],
  ['stores', NAMES],
  ['parents', NAMES],
]);

/**
 * @param call what was called, for the error
 * @param known names of all options of that call
 * @param where of which of its kinds they are the options, if it has several: `with a table, `
 * @returns what was given
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what is no object, for an option that there is not, and for one of another kind;
 *   an option that is undefined counts as left out
 */
export function expectOptions<O extends object>(call: string, given: O, known: readonly string[], where = ''): O {
  const options: unknown = given;
  if (!isPlain(options)) throw refused(call, `${kindOfValue(options)} was given, its options are wanted`, { known });
  const named = typeof options.name === 'string' ? `${call} '${options.name}'` : call;
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name))
      throw refused(named, `${where}there is no option '${name}'${suggestion(name, known)}`, { option: name, known });
    const kind = KINDS.get(name);
    if (value === undefined || kind === undefined || kind.holds(value)) continue;
    throw refused(named, `${name} is ${kindOfValue(value)}, ${kind.wanted}`, { option: name });
  }
  return given;
}

/** Of a serde that is async what is read would go on as a promise, and be written as if that were the value. */
function answersAtOnce(given: unknown): boolean {
  return typeof given === 'function' && Object.prototype.toString.call(given) !== '[object AsyncFunction]';
}

function isPlain(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function refused(call: string, what: string, details: Readonly<Record<string, unknown>>): TopologyError {
  return new TopologyError(`${call}: ${what}`, { details });
}
