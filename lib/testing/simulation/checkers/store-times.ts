/**
 * What a windowed store still has to hold: it lets go of entries by its own stream time, without a trace in its changelog, and
 * when it does so is its own business. So what its retention no longer covers is left out wherever contents are compared.
 */
import type { ByteKey } from '../../../model/byte-key.js';
import type { StoreSpec } from '../../../topology/store-spec.js';
import { asStored, type ChangelogRecord } from './stored-record.js';

export interface StoreTimes {
  /** Whether an entry of this key is past the retention, once these records were written. */
  isPast(key: string): boolean;
}

const FOR_EVER: StoreTimes = { isPast: () => false };

/** @param records all that was committed to the changelog until then: also deletes, and what came too late, have a time */
export function storeTimes(spec: StoreSpec | undefined, records: readonly ChangelogRecord[]): StoreTimes {
  const { layout, retentionMs } = spec ?? {};
  if (layout === undefined || retentionMs === undefined) return FOR_EVER;
  const timeOf = (key: string) => layout.timeOf(key as ByteKey);
  const newestMs = records.reduce((newest, record) => {
    const { key } = asStored(record, spec);
    return key === null ? newest : Math.max(newest, timeOf(key));
  }, -1);
  return { isPast: (key) => timeOf(key) <= newestMs - retentionMs };
}

/** Without what is past. */
export function stillHeld<V>(content: ReadonlyMap<string, V>, times: StoreTimes): ReadonlyMap<string, V> {
  return new Map([...content].filter(([key]) => !times.isPast(key)));
}
