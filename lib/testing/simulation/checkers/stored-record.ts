import type { ByteKey } from '../../../model/byte-key.js';
import type { StoreSpec } from '../../../topology/store-spec.js';
import type { SeenRecord } from '../committed-log.js';

/** What a store is folded from. */
export type ChangelogRecord = Pick<SeenRecord, 'key' | 'value' | 'timestampMs'>;

/**
 * A changelog record as its store has it. They differ for a versioned store: its changelog has the plain key and the version's time as
 * timestamp, it keeps each version, deletes too, under key and time.
 */
export function asStored(record: ChangelogRecord, spec: StoreSpec | undefined): ChangelogRecord {
  const versions = spec?.layout?.versions;
  const { key, value, timestampMs } = record;
  if (versions === undefined || key === null) return record;
  const written = { key: key as ByteKey, value: value === null ? null : Buffer.from(value, 'latin1'), timestampMs };
  const stored = versions.fromChangelog(written);
  const bytes = stored.value;
  return { ...record, key: stored.key, value: bytes === null ? null : Buffer.from(bytes).toString('latin1') };
}
