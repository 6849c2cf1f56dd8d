/** Batches that Kafka's own classes wrote (RecordedBatches.java), with the records in them; all begin at offset 1000. */
import { readFileSync } from 'node:fs';
import type { LogRecord } from '../../../lib/model/record-set.js';

/** A record as plain values that can be compared: offset, timestamp, key, value (Base64), headers. */
export type PlainRecord = readonly [
  number,
  number,
  string | null,
  string | null,
  readonly (readonly [string, string | null])[],
];

export interface RecordedBatch {
  readonly bytes: Buffer;
  readonly records: readonly PlainRecord[];
}

const recorded: Readonly<Record<string, { readonly bytes: string; readonly records: readonly PlainRecord[] }>> =
  JSON.parse(readFileSync(new URL('recorded-batches.json', import.meta.url), 'utf8'));

/** @throws {Error} if there is no batch of that name */
export function recordedBatch(name: string): RecordedBatch {
  const found = recorded[name];
  if (found === undefined) throw new Error(`no batch ${name} was recorded`);
  return { bytes: Buffer.from(found.bytes, 'base64'), records: found.records };
}

export function plainRecords(records: Iterable<LogRecord>): readonly PlainRecord[] {
  return Array.from(records, ({ offset, timestampMs, key, value, headers }) => [
    offset,
    timestampMs,
    base64(key),
    base64(value),
    headers.map((header) => [header.key, base64(header.value)] as const),
  ]);
}

function base64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('base64');
}
