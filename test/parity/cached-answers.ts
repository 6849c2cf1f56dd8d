/** What can not be equalled of Kafka Streams' answers with a cache: what its caches show and save beside what they hold back. */
import type { StreamsApp } from '../../lib/topology/app.js';
import { canonical } from './compare.js';
import type { CaseEntry, CaseRecord, Json, ProcessingCase } from './parity-case.js';

type Stores = ReadonlyMap<string, readonly CaseEntry[]>;

const CACHE_SETTING = 'statestore.cache.max.bytes';

/** Whether a case runs with caches. */
export function isCached({ config = {} }: Pick<ProcessingCase, 'config'>): boolean {
  return (config[CACHE_SETTING] ?? '0') !== '0';
}

/**
 * Changelogs without the tombstones that delete nothing: Kafka's caches write none for a row that neither was there before nor is there
 * now, while this library's stores write each delete. Who folds the changelog comes to the same store.
 */
export function withoutIdleTombstones(
  logs: ReadonlyMap<string, readonly CaseRecord[]>,
): ReadonlyMap<string, readonly CaseRecord[]> {
  return new Map([...logs].map(([topic, records]) => [topic, withoutIdle(records)]));
}

/** Of the records that one input caused for a key only the last counts: one transaction keeps no other. */
function withoutIdle(records: readonly CaseRecord[]): readonly CaseRecord[] {
  const last = new Map(records.map((record, at) => [`${record.i} ${canonical(record.key)}`, at]));
  const live = new Set<string>();
  return records.filter((record, at) => {
    const key = canonical(record.key);
    if (last.get(`${record.i} ${key}`) !== at) return false;
    if (record.value !== null) live.add(key);
    else return live.delete(key);
    return true;
  });
}

/**
 * The entries of stores without those that Kafka's cache alone still shows: windows that the store's retention has let go, for as long
 * as there is memory. Nothing is left out that this library has.
 *
 * @param streamTimeMs how far the stores may have come: what each had come to is not part of an answer
 */
export function withoutCachedAlone(
  expected: Stores,
  got: Stores,
  { app, streamTimeMs }: { readonly app: StreamsApp; readonly streamTimeMs: number },
): Stores {
  return new Map(
    [...expected].map(([name, entries]) => {
      const { retentionMs = Number.POSITIVE_INFINITY, kind } = app.topology.stores.get(name) ?? {};
      const ours = new Set((got.get(name) ?? []).map(canonical));
      const isKept = (entry: CaseEntry) =>
        ours.has(canonical(entry)) ||
        timeOfKey(entry.key, kind === 'session' ? 'end' : 'start') > streamTimeMs - retentionMs;
      return [name, entries.filter(isKept)];
    }),
  );
}

/** Listings in one order: caches are ordered by other bytes than stores. */
export function inOneOrder(stores: Stores): Stores {
  const sorted = (entries: readonly CaseEntry[]) => [...entries].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  return new Map([...stores].map(([name, entries]) => [name, sorted(entries)]));
}

/** The time by which a store lets go of a key; of one without windows any, as such stores have no retention. */
function timeOfKey(key: Json, which: 'start' | 'end'): number {
  if (key === null || typeof key !== 'object' || Array.isArray(key)) return 0;
  const time = (key as { readonly [name: string]: Json })[which];
  return typeof time === 'number' ? time : 0;
}
