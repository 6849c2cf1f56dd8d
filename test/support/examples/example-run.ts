/** What the runs of the examples have in common: made-up input of some size, and the answer that plain code gives to it. */
import type { TryOutOptions } from '../../../examples/try-out.js';
import type { StreamsApp } from '../../../lib/index.js';
import type { InputRecord } from '../../../lib/local/index.js';

/** An example with input and the answer that is due. */
export interface ExampleRun {
  readonly name: string;
  readonly app: StreamsApp;
  readonly topics: readonly string[];
  readonly input: TryOutOptions<unknown>['input'];
  /** What the application has written, in the form of `wanted`. */
  readonly output: TryOutOptions<unknown>['output'];
  /** Computed from the same input without Millrace. */
  readonly wanted: unknown;
}

/** An input record that has a key, a value and a time. */
export interface TimedRecord<V> extends InputRecord<string, V> {
  readonly key: string;
  readonly value: V;
  readonly timestampMs: number;
}

/** Records grouped by a property, in order. */
export function groupsOf<T, G>(records: readonly T[], groupOf: (record: T) => G): ReadonlyMap<G, readonly T[]> {
  const groups = new Map<G, T[]>();
  for (const record of records) {
    const group = groups.get(groupOf(record));
    if (group === undefined) groups.set(groupOf(record), [record]);
    else group.push(record);
  }
  return groups;
}

/** The last value of each key, as a table has it: keys whose last value is null are left out. */
export function lastByKey<V>(records: readonly { readonly key: string; readonly value: V | null }[]) {
  const rows = new Map<string, V>();
  for (const { key, value } of records) {
    if (value === null) rows.delete(key);
    else rows.set(key, value);
  }
  return sorted(rows);
}

/** As an object whose keys are in order: two are printed side by side where they differ. */
export function sorted<V>(rows: Iterable<readonly [string, V]>): Readonly<Record<string, V>> {
  return Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}
