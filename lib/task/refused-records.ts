import { asBuffer, bytesOfKey, type Encoded } from '../model/byte-key.js';
import type { Headers, RecordSet } from '../model/record-set.js';

interface RefusedRecord {
  readonly topic: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headerBytes: number;
}

/**
 * Records that the log has found too large, so that the sinks know them when their batch is processed again. They are told by their bytes: what is
 * processed again may come in other batches and, where user code is not deterministic, not at all.
 *
 * It holds what one batch has had of such records at most: {@link forget} it when something is committed.
 */
export class RefusedRecords {
  /** Records ever added: who sees it grow knows more than before. */
  learned = 0;
  private readonly records: RefusedRecord[] = [];

  /** Adds record `index` of a set that was sent to the topic, unless it is known. */
  add(topic: string, records: RecordSet, index: number): void {
    const key = records.key(index);
    const value = records.value(index);
    const headers = records.headersOf(index);
    if (this.has(topic, { key, value, headers })) return;
    this.records.push({ topic, key, value, headerBytes: headerBytesOf(headers) });
    this.learned += 1;
  }

  /** Whether the topic does not take the record. */
  has(
    topic: string,
    {
      key,
      value,
      headers,
    }: { readonly key: Encoded | null; readonly value: Encoded | null; readonly headers: Headers },
  ): boolean {
    if (this.records.length === 0) return false;
    return this.records.some(
      (refused) =>
        refused.topic === topic &&
        isSame(refused.key, key) &&
        isSame(refused.value, value) &&
        refused.headerBytes === headerBytesOf(headers),
    );
  }

  forget(): void {
    this.records.length = 0;
  }
}

function isSame(known: Uint8Array | null, bytes: Encoded | null): boolean {
  if (known === null || bytes === null) return known === bytes;
  if (known.length !== bytes.length) return false;
  return asBuffer(typeof bytes === 'string' ? bytesOfKey(bytes) : bytes).equals(known);
}

function headerBytesOf(headers: Headers): number {
  return headers.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
}
