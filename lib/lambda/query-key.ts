/** Keys that can be written in a URL: those of stores whose keys are texts or numbers. */
import { QueryRefusedError } from '../model/errors.js';
import type { Serde } from '../serde/serde.js';

type KeyParser = (text: string) => unknown;

const WHOLE = /^-?\d+$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;

const PARSERS: Readonly<Record<string, KeyParser>> = {
  string: (text) => text,
  int: (text) => (WHOLE.test(text) ? Number(text) : undefined),
  // A text beyond 2^53 becomes a number that the serde refuses.
  long: (text) => (WHOLE.test(text) ? Number(text) : undefined),
  double: (text) => (NUMBER.test(text) ? Number(text) : undefined),
};

/**
 * The key that a text means to a store, checked against its key serde.
 *
 * @throws {QueryRefusedError} STREAMS_QUERY_REFUSED if the text is no such key, or such keys have no text
 */
export function parseQueryKey(store: string, serde: Serde<unknown>, text: string): unknown {
  const format = serde.format ?? 'of the application';
  const parse = Object.hasOwn(PARSERS, format) ? PARSERS[format] : undefined;
  if (parse === undefined) {
    throw new QueryRefusedError(`keys of store '${store}' are ${format}: they can not be written in a URL`, {
      details: { store, format },
      remedy: `Ask with the query client of the library; a URL takes keys of the formats ${Object.keys(PARSERS).join(', ')}.`,
    });
  }
  const key = parse(text);
  if (key === undefined || !fits(serde, key)) {
    throw new QueryRefusedError(`'${text}' is no ${format}, which keys of store '${store}' are`, {
      details: { store, format, key: text },
    });
  }
  return key;
}

/** Whether the serde writes the key: a number may be outside its range. */
function fits(serde: Serde<unknown>, key: unknown): boolean {
  try {
    serde.serialize(key);
    return true;
  } catch {
    return false;
  }
}
