/** What is compared of an output record, as one text: its value, and where asked for its timestamp and its headers. */
import type { Headers } from '../../model/record-set.js';

/** What of a record is compared besides its value. */
export interface ComparedParts {
  readonly timestamps: boolean;
  readonly headers: boolean;
}

export const VALUES_ALONE: ComparedParts = Object.freeze({ timestamps: false, headers: false });
export const WHOLE_RECORDS: ComparedParts = Object.freeze({ timestamps: true, headers: true });

/** Between a value's bytes and the rest, which has printable letters alone: the last one is it. */
const REST = '\u0000@';
const TOMBSTONE = 'null';

/** @param value as bytes, one character a byte; null: a tombstone */
export function seenValue(
  value: string | null,
  { timestampMs, headers }: { readonly timestampMs: number; readonly headers: Headers },
  parts: ComparedParts,
): string | null {
  if (!parts.timestamps && !parts.headers) return value;
  const rest = [
    value === null ? TOMBSTONE : '',
    parts.timestamps ? `at ${timestampMs}` : '',
    parts.headers && headers.length > 0 ? `with ${headers.map(headerText).join(', ')}` : '',
  ];
  return `${value ?? ''}${REST}${rest.filter((part) => part !== '').join(' ')}`;
}

/** Whether one that {@link seenValue} made says that there is no value. */
export function isTombstone(seen: string | null): boolean {
  if (seen === null) return true;
  const at = seen.lastIndexOf(REST);
  return at === 0 && seen.startsWith(TOMBSTONE, REST.length);
}

/** In words, of one that {@link seenValue} made. */
export function shownValue(seen: string | null | undefined): string {
  if (seen === undefined) return 'nothing';
  if (seen === null) return 'a tombstone';
  const at = seen.lastIndexOf(REST);
  if (at < 0) return quoted(seen);
  const rest = seen.slice(at + REST.length);
  if (rest.startsWith(TOMBSTONE)) return `a tombstone${rest.slice(TOMBSTONE.length)}`;
  return rest === '' ? quoted(seen.slice(0, at)) : `${quoted(seen.slice(0, at))} ${rest}`;
}

function headerText({ key, value }: Headers[number]): string {
  const bytes = value === null ? null : Buffer.from(value).toString('latin1');
  return `${JSON.stringify(key)}: ${bytes === null ? 'null' : quoted(bytes)}`.replace(/[^ -~]/g, '?');
}

function quoted(bytes: string): string {
  return /^[ -~]*$/.test(bytes) ? `'${bytes}'` : `0x${Buffer.from(bytes, 'latin1').toString('hex')}`;
}
