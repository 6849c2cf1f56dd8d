/**
 * Events as bytes: a JSON head, and for records their columns after it, as they lie in memory.
 *
 * ```
 *   length of the head u32 · 0 u32 · head, padded to 8 · timestamps f64 … · offsets f64 … (if any)
 *   · keyStarts i32 … · keyEnds i32 … · valueStarts i32 … · valueEnds i32 … · bytes
 * ```
 * Columns are little-endian as on every machine that Node 20 runs on. Reading them copies nothing.
 */
import type { Headers } from '../../../model/record-set.js';
import type { Batch, StoredColumns } from '../batch.js';
import type { AppendedEvent, BatchStoredEvent, LogEvent } from '../log-state.js';
import { padded } from './frames.js';

const PREFIX_BYTES = 8;

interface ColumnsHead {
  readonly size: number;
  readonly byteLength: number;
  readonly hasOffsets: boolean;
  /** Index of the record, then name and base64 (or null) of each of its headers. */
  readonly headers?: readonly (readonly [number, readonly (readonly [string, string | null])[]])[];
}

type Head =
  | Exclude<LogEvent, AppendedEvent | BatchStoredEvent>
  | (Omit<AppendedEvent, 'columns' | 'measured'> & { readonly columns: ColumnsHead })
  | (Omit<BatchStoredEvent, 'batch'> & { readonly batch: Omit<Batch, 'columns'> & { readonly columns: ColumnsHead } });

export function encodeEvent(event: LogEvent): Buffer {
  switch (event.type) {
    case 'appended': {
      const { columns, measured: _, ...rest } = event;
      return encode({ ...rest, columns: columnsHead(columns) }, columns);
    }
    case 'batchStored': {
      const { batch, ...rest } = event;
      return encode({ ...rest, batch: { ...batch, columns: columnsHead(batch.columns) } }, batch.columns);
    }
    default:
      return encode(event, null);
  }
}

/** The event that these bytes hold; throws if they hold none. */
export function decodeEvent(payload: Buffer): LogEvent {
  const headLength = payload.readUInt32LE(0);
  const head = JSON.parse(payload.toString('utf8', PREFIX_BYTES, PREFIX_BYTES + headLength)) as Head;
  const rest = payload.subarray(PREFIX_BYTES + padded(headLength));
  if (head.type === 'appended') return { ...head, columns: readColumns(head.columns, rest) };
  if (head.type === 'batchStored')
    return { ...head, batch: { ...head.batch, columns: readColumns(head.batch.columns, rest) } };
  return head;
}

function encode(head: Head, columns: StoredColumns | null): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const parts: Uint8Array[] = [text];
  if (columns !== null) {
    const { size, timestamps, offsets, keyStarts, keyEnds, valueStarts, valueEnds, bytes } = columns;
    parts.push(raw(timestamps, size));
    if (offsets !== undefined) parts.push(raw(offsets, size));
    for (const column of [keyStarts, keyEnds, valueStarts, valueEnds]) parts.push(raw(column, size));
    parts.push(bytes);
  }
  const columnsAt = PREFIX_BYTES + padded(text.length);
  const payload = Buffer.alloc(columnsAt + parts.slice(1).reduce((sum, part) => sum + part.byteLength, 0));
  payload.writeUInt32LE(text.length, 0);
  payload.set(text, PREFIX_BYTES);
  let position = columnsAt;
  for (const part of parts.slice(1)) {
    payload.set(part, position);
    position += part.byteLength;
  }
  return payload;
}

function raw(column: Float64Array | Int32Array, size: number): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, size * column.BYTES_PER_ELEMENT);
}

function columnsHead({ size, bytes, offsets, headers }: StoredColumns): ColumnsHead {
  const head = { size, byteLength: bytes.length, hasOffsets: offsets !== undefined };
  if (headers === undefined) return head;
  const written: [number, [string, string | null][]][] = [];
  for (let index = 0; index < size; index += 1) {
    const of = headers[index];
    if (of === undefined) continue;
    written.push([
      index,
      of.map(({ key, value }) => [key, value === null ? null : Buffer.from(value).toString('base64')]),
    ]);
  }
  return { ...head, headers: written };
}

function readColumns(head: ColumnsHead, bytes: Buffer): StoredColumns {
  const { size } = head;
  let position = bytes.byteOffset;
  const take = (length: number): number => {
    const at = position;
    position += length;
    return at;
  };
  const floats = () => new Float64Array(bytes.buffer, take(size * 8), size);
  const ints = () => new Int32Array(bytes.buffer, take(size * 4), size);
  const timestamps = floats();
  const offsets = head.hasOffsets ? floats() : undefined;
  const [keyStarts, keyEnds, valueStarts, valueEnds] = [ints(), ints(), ints(), ints()];
  const content = bytes.subarray(position - bytes.byteOffset);
  if (content.length !== head.byteLength) throw new RangeError(`${content.length} bytes, not ${head.byteLength}`);
  return {
    size,
    bytes: content,
    offsets,
    timestamps,
    keyStarts,
    keyEnds,
    valueStarts,
    valueEnds,
    headers: readHeaders(head),
  };
}

function readHeaders({ headers, size }: ColumnsHead): readonly (Headers | undefined)[] | undefined {
  if (headers === undefined) return undefined;
  const read = new Array<Headers | undefined>(size).fill(undefined);
  for (const [index, of] of headers)
    read[index] = of.map(([key, value]) => ({ key, value: value === null ? null : Buffer.from(value, 'base64') }));
  return read;
}
