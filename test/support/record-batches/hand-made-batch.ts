/** Batches byte by byte, after Kafka's documentation of the format and not after our encoder: right ones and wrong ones. */
import { crc32c } from '../../../lib/host/node/crc32c.js';

export interface HandMadeRecord {
  readonly offsetDelta?: number | bigint;
  readonly timestampDelta?: number | bigint;
  readonly key?: Uint8Array | string | null;
  readonly value?: Uint8Array | string | null;
  readonly headers?: readonly (readonly [string, string | null])[];
}

export interface HandMadeBatch {
  readonly baseOffset?: number | bigint;
  readonly records?: readonly HandMadeRecord[];
  /** Bytes in the place of the records. */
  readonly body?: Uint8Array;
  readonly count?: number;
  readonly lastOffsetDelta?: number;
  readonly attributes?: number;
  readonly baseTimestampMs?: number | bigint;
  readonly maxTimestampMs?: number | bigint;
  readonly producerId?: bigint;
  readonly magic?: number;
}

export const LOG_APPEND_TIME = 8;
export const TRANSACTIONAL = 16;
export const CONTROL = 32;

export function handMadeBatch(batch: HandMadeBatch): Buffer {
  const records = batch.records ?? [];
  const body = batch.body ?? Buffer.concat(records.map((record, index) => handMadeRecord(record, index)));
  const bytes = Buffer.alloc(61 + body.length);
  bytes.writeBigInt64BE(BigInt(batch.baseOffset ?? 0), 0);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes.writeInt32BE(4, 12);
  bytes.writeInt8(batch.magic ?? 2, 16);
  bytes.writeInt16BE(batch.attributes ?? 0, 21);
  bytes.writeInt32BE(batch.lastOffsetDelta ?? Math.max(0, records.length - 1), 23);
  bytes.writeBigInt64BE(BigInt(batch.baseTimestampMs ?? 1_000), 27);
  bytes.writeBigInt64BE(BigInt(batch.maxTimestampMs ?? 2_000), 35);
  bytes.writeBigInt64BE(batch.producerId ?? -1n, 43);
  bytes.writeInt16BE(batch.producerId === undefined ? -1 : 0, 51);
  bytes.writeInt32BE(-1, 53);
  bytes.writeInt32BE(batch.count ?? records.length, 57);
  bytes.set(body, 61);
  return withChecksum(bytes);
}

/** Sets the checksum of a batch that fills the buffer. */
export function withChecksum(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17);
  return bytes;
}

/** A transaction's marker as brokers write it: type 0 aborts, 1 commits. */
export function handMadeMarker(baseOffset: number, producerId: bigint, type: number): Buffer {
  const key = Buffer.from([0, 0, 0, type]);
  const record = { key, value: Buffer.from([0, 0, 0, 0, 0, 0]) };
  return handMadeBatch({ baseOffset, producerId, attributes: TRANSACTIONAL | CONTROL, records: [record] });
}

/** A batch of a transaction, one record for each value. */
export function handMadeTransaction(baseOffset: number, producerId: bigint, ...values: readonly string[]): Buffer {
  const records = values.map((value) => ({ key: Buffer.from([0, 0, 0, 7]), value }));
  return handMadeBatch({ baseOffset, producerId, attributes: TRANSACTIONAL, records });
}

export function handMadeRecord(record: HandMadeRecord, index = 0): Buffer {
  const headers = record.headers ?? [];
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(record.timestampDelta ?? 0),
    varint(record.offsetDelta ?? index),
    withLength(record.key ?? null),
    withLength(record.value ?? null),
    varint(headers.length),
    ...headers.flatMap(([key, value]) => [withLength(key), withLength(value)]),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

/** A zig-zag integer of any size. */
export function varint(value: number | bigint): Buffer {
  const signed = BigInt(value);
  let left = signed >= 0n ? signed * 2n : -signed * 2n - 1n;
  const bytes: number[] = [];
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

function withLength(part: Uint8Array | string | null): Buffer {
  if (part === null) return varint(-1);
  const bytes = Buffer.from(part);
  return Buffer.concat([varint(bytes.length), bytes]);
}
