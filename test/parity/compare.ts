import type { CaseEntry, CaseRecord, Json } from './parity-case.js';

/** Text of a value that is the same for equal values, whatever the order of their fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Differences between two texts: the first line that differs. */
export function compareText(what: string, expected: string, actual: string): string[] {
  if (expected === actual) return [];
  const wanted = expected.split('\n');
  const got = actual.split('\n');
  const line = wanted.findIndex((text, index) => text !== got[index]);
  const at = line < 0 ? wanted.length : line;
  return [`${what}: line ${at + 1}: expected '${wanted[at] ?? '(end)'}', got '${got[at] ?? '(end)'}'`];
}

/** Differences between records by topic; order counts within a topic. */
export function compareRecords(
  what: string,
  expected: ReadonlyMap<string, readonly CaseRecord[]>,
  actual: ReadonlyMap<string, readonly CaseRecord[]>,
): string[] {
  return compareLists(what, expected, actual, (record) => canonical(record));
}

/** Differences between changelogs: one transaction keeps the last value of a key, so within one input only that counts. */
export function compareChangelogs(
  expected: ReadonlyMap<string, readonly CaseRecord[]>,
  actual: ReadonlyMap<string, readonly CaseRecord[]>,
): string[] {
  return compareLists('changelog', coalesced(expected), coalesced(actual), (record) => canonical(record));
}

/** Differences between stores; order counts. */
export function compareStores(
  expected: ReadonlyMap<string, readonly CaseEntry[]>,
  actual: ReadonlyMap<string, readonly CaseEntry[]>,
): string[] {
  return compareLists('store', expected, actual, (entry) => canonical(entry));
}

function coalesced(logs: ReadonlyMap<string, readonly CaseRecord[]>): ReadonlyMap<string, readonly CaseRecord[]> {
  const byTopic = new Map<string, readonly CaseRecord[]>();
  for (const [topic, records] of logs) {
    const last = new Map<string, CaseRecord>();
    for (const record of records) last.set(`${String(record.i).padStart(9, '0')} ${canonical(record.key)}`, record);
    byTopic.set(
      topic,
      [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record),
    );
  }
  return byTopic;
}

function compareLists<T>(
  what: string,
  expected: ReadonlyMap<string, readonly T[]>,
  actual: ReadonlyMap<string, readonly T[]>,
  text: (item: T) => string,
): string[] {
  const differences: string[] = [];
  for (const name of [...new Set([...expected.keys(), ...actual.keys()])].sort()) {
    const wanted = (expected.get(name) ?? []).map(text);
    const got = (actual.get(name) ?? []).map(text);
    const at = Math.max(wanted.length, got.length) === 0 ? -1 : firstDifference(wanted, got);
    if (at < 0) continue;
    differences.push(`${what} ${name}[${at}]: expected ${wanted[at] ?? '(end)'}, got ${got[at] ?? '(end)'}`);
  }
  return differences;
}

function firstDifference(wanted: readonly string[], got: readonly string[]): number {
  for (let index = 0; index < Math.max(wanted.length, got.length); index += 1) {
    if (wanted[index] !== got[index]) return index;
  }
  return -1;
}

/** A list of named lists as a map. */
export function byName<T>(
  lists: Readonly<Record<string, readonly T[]>> | undefined,
): ReadonlyMap<string, readonly T[]> {
  return new Map(Object.entries(lists ?? {}));
}

/** A decoded value as the case writes it. */
export function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
