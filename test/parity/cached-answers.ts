/** What can not be equalled of Kafka Streams' answers with a cache: what its caches show and save beside what they hold back. */
import type { StreamsApp } from '../../lib/topology/app.js';
import { canonical } from './compare.js';
import type { CaseEntry, CaseRecord, Json, ProcessingCase } from './parity-case.js';

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
 * The entries that a store has whether or not its cache has others: without windows that the store's retention has let go while the
 * cache still shows them, as it does for as long as its memory lasts; and without an order, since caches are ordered by other bytes.
 */
export function keptEntries(
  stores: ReadonlyMap<string, readonly CaseEntry[]>,
  app: StreamsApp,
): ReadonlyMap<string, readonly CaseEntry[]> {
  return new Map(
    [...stores].map(([name, entries]) => {
      const retentionMs = app.topology.stores.get(name)?.retentionMs ?? Number.POSITIVE_INFINITY;
      const isSession = app.topology.stores.get(name)?.kind === 'session';
      const timeOf = ({ key }: CaseEntry) => timeOfKey(key, isSession ? 'end' : 'start');
      const streamTimeMs = Math.max(...entries.map(timeOf));
      const kept = entries.filter((entry) => timeOf(entry) > streamTimeMs - retentionMs);
      return [name, kept.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1))];
    }),
  );
}

/** The time by which a store lets go of a key; of one without windows any, as such stores have no retention. */
function timeOfKey(key: Json, which: 'start' | 'end'): number {
  if (key === null || typeof key !== 'object' || Array.isArray(key)) return 0;
  const time = (key as { readonly [name: string]: Json })[which];
  return typeof time === 'number' ? time : 0;
}
