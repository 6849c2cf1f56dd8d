/** What two references disagree on, in words. */
import { shownValue } from '../seen-value.js';

/** Letters of a key or value that is named. */
const SHOWN_MOST = 80;
const NOTHING: ReadonlyMap<string, string> = new Map();

/** From `2/water`. */
export function keyInWords(key: string): string {
  const at = key.indexOf('/');
  return `key ${shown(key.slice(at + 1))} of partition ${key.slice(0, at)}`;
}

/** What a store holds of the first key on which they disagree; null: they do not. */
export function contentDisagreement(partition: number, one = NOTHING, other = NOTHING): ContentDisagreement | null {
  for (const key of new Set([...one.keys(), ...other.keys()]))
    if (one.get(key) !== other.get(key))
      return { key: keyInWords(`${partition}/${key}`), one: shown(one.get(key)), other: shown(other.get(key)) };
  return null;
}

export interface ContentDisagreement {
  readonly key: string;
  readonly one: string;
  readonly other: string;
}

export function shown(value: string | null | undefined): string {
  const text = shownValue(value);
  return text.length <= SHOWN_MOST ? text : `${text.slice(0, SHOWN_MOST)}…`;
}
