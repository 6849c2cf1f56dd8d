/** Making record sets out of stored columns, and columns out of record sets, with as few copies as can be. */
import { type Headers, type RecordColumns, RecordSet } from '../../model/record-set.js';
import type { Batch, StoredColumns } from './batch.js';
import { NO_COLUMNS, offsetAt } from './batch.js';

/** Memory that a set keeps alive may be this many times what it needs; beyond, the part that is needed is copied out. */
const MAX_RETAINED_RATIO = 2;

/** Records [from, to) of a batch. */
export interface BatchSlice {
  readonly batch: Batch;
  readonly from: number;
  readonly to: number;
}

/**
 * The columns of a set, to be kept: by reference, unless the set is a small view of large buffers, which it would keep alive.
 */
export function keep(set: RecordSet): StoredColumns {
  const used = usedRange(set, 0, set.size);
  const usedBytes = used.end - used.start + set.size * 24;
  const retained =
    set.bytes.buffer.byteLength +
    set.timestamps.buffer.byteLength +
    set.keyStarts.buffer.byteLength +
    set.keyEnds.buffer.byteLength +
    set.valueStarts.buffer.byteLength +
    set.valueEnds.buffer.byteLength;
  if (retained > MAX_RETAINED_RATIO * usedBytes) return copyOut(set, used);
  return {
    size: set.size,
    bytes: set.bytes,
    offsets: undefined,
    timestamps: set.timestamps,
    keyStarts: set.keyStarts,
    keyEnds: set.keyEnds,
    valueStarts: set.valueStarts,
    valueEnds: set.valueEnds,
    headers: set.headers,
  };
}

function copyOut(set: RecordSet, used: ByteRange): StoredColumns {
  const target = new ColumnsWriter(set.size, used.end - used.start, false);
  target.add(set, 0, set.size, used);
  return target.columns();
}

/** A batch's records [from, to) with their offsets, over the batch's own bytes. */
export function setOf({ batch, from, to }: BatchSlice): RecordSet {
  const { columns } = batch;
  return new RecordSet({
    size: to - from,
    bytes: columns.bytes,
    offsets: offsetsOf(batch, from, to),
    timestamps: columns.timestamps.subarray(from, to),
    keyStarts: columns.keyStarts.subarray(from, to),
    keyEnds: columns.keyEnds.subarray(from, to),
    valueStarts: columns.valueStarts.subarray(from, to),
    valueEnds: columns.valueEnds.subarray(from, to),
    headers: columns.headers?.slice(from, to),
  });
}

function offsetsOf(batch: Batch, from: number, to: number): Float64Array {
  if (batch.columns.offsets !== undefined) return batch.columns.offsets.subarray(from, to);
  const offsets = new Float64Array(to - from);
  for (let index = from; index < to; index += 1) offsets[index - from] = batch.baseOffset + index;
  return offsets;
}

/** The records of several slices as one run of columns with explicit offsets: copies. */
export function concatenate(slices: readonly BatchSlice[]): StoredColumns {
  const ranges = slices.map(({ batch, from, to }) => usedRange(batch.columns, from, to));
  let size = 0;
  let bytes = 0;
  for (const [index, slice] of slices.entries()) {
    const range = ranges[index] as ByteRange;
    size += slice.to - slice.from;
    bytes += range.end - range.start;
  }
  if (size === 0) return NO_COLUMNS;
  const target = new ColumnsWriter(size, bytes, true);
  for (const [index, { batch, from, to }] of slices.entries()) {
    target.offsetsFrom(batch, from, to);
    target.add(batch.columns, from, to, ranges[index] as ByteRange);
  }
  return target.columns();
}

/** The chosen records of a batch, by ascending index, as columns with explicit offsets. */
export function pick(batch: Batch, indexes: readonly number[]): StoredColumns {
  const slices: BatchSlice[] = [];
  for (const index of indexes) {
    const last = slices.at(-1);
    if (last !== undefined && last.to === index) slices[slices.length - 1] = { batch, from: last.from, to: index + 1 };
    else slices.push({ batch, from: index, to: index + 1 });
  }
  return concatenate(slices);
}

/** One set of several slices; by reference if there is only one. */
export function joined(slices: readonly BatchSlice[]): RecordSet {
  const [first] = slices;
  if (first === undefined) return RecordSet.EMPTY;
  if (slices.length === 1) return setOf(first);
  const columns = concatenate(slices);
  return new RecordSet({ ...columns, offsets: columns.offsets ?? new Float64Array(0) });
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The bytes that records [from, to) point into. */
function usedRange(columns: Omit<RecordColumns, 'offsets'>, from: number, to: number): ByteRange {
  const { keyStarts, keyEnds, valueStarts, valueEnds } = columns;
  let start = Number.MAX_SAFE_INTEGER;
  let end = 0;
  for (let index = from; index < to; index += 1) {
    const keyStart = keyStarts[index] as number;
    if (keyStart >= 0) {
      if (keyStart < start) start = keyStart;
      if ((keyEnds[index] as number) > end) end = keyEnds[index] as number;
    }
    const valueStart = valueStarts[index] as number;
    if (valueStart >= 0) {
      if (valueStart < start) start = valueStart;
      if ((valueEnds[index] as number) > end) end = valueEnds[index] as number;
    }
  }
  return start > end ? { start: 0, end: 0 } : { start, end };
}

/** Columns of a known size, filled run by run. */
class ColumnsWriter {
  private readonly size: number;
  private readonly bytes: Buffer;
  private readonly offsets: Float64Array | undefined;
  private readonly timestamps: Float64Array;
  private readonly keyStarts: Int32Array;
  private readonly keyEnds: Int32Array;
  private readonly valueStarts: Int32Array;
  private readonly valueEnds: Int32Array;
  private headers: (Headers | undefined)[] | undefined;
  private count = 0;
  private used = 0;

  constructor(size: number, bytes: number, withOffsets: boolean) {
    this.size = size;
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.offsets = withOffsets ? new Float64Array(size) : undefined;
    this.timestamps = new Float64Array(size);
    this.keyStarts = new Int32Array(size);
    this.keyEnds = new Int32Array(size);
    this.valueStarts = new Int32Array(size);
    this.valueEnds = new Int32Array(size);
  }

  /** Writes the offsets of the run that the next `add` adds. */
  offsetsFrom(batch: Batch, from: number, to: number): void {
    const { offsets } = this;
    if (offsets === undefined) return;
    for (let index = from; index < to; index += 1) offsets[this.count + index - from] = offsetAt(batch, index);
  }

  add(columns: Omit<RecordColumns, 'offsets'>, from: number, to: number, range: ByteRange): void {
    columns.bytes.copy(this.bytes, this.used, range.start, range.end);
    this.timestamps.set(columns.timestamps.subarray(from, to), this.count);
    const shift = this.used - range.start;
    this.addRanges(columns.keyStarts, columns.keyEnds, this.keyStarts, this.keyEnds, from, to, shift);
    this.addRanges(columns.valueStarts, columns.valueEnds, this.valueStarts, this.valueEnds, from, to, shift);
    if (columns.headers !== undefined) this.addHeaders(columns.headers, from, to);
    this.count += to - from;
    this.used += range.end - range.start;
  }

  private addRanges(
    starts: Int32Array,
    ends: Int32Array,
    toStarts: Int32Array,
    toEnds: Int32Array,
    from: number,
    to: number,
    shift: number,
  ): void {
    for (let index = from; index < to; index += 1) {
      const start = starts[index] as number;
      const at = this.count + index - from;
      toStarts[at] = start < 0 ? -1 : start + shift;
      toEnds[at] = start < 0 ? 0 : (ends[index] as number) + shift;
    }
  }

  private addHeaders(headers: readonly (Headers | undefined)[], from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const of = headers[index];
      if (of === undefined) continue;
      this.headers ??= new Array<Headers | undefined>(this.size).fill(undefined);
      this.headers[this.count + index - from] = of;
    }
  }

  columns(): StoredColumns {
    return {
      size: this.count,
      bytes: this.bytes,
      offsets: this.offsets,
      timestamps: this.timestamps,
      keyStarts: this.keyStarts,
      keyEnds: this.keyEnds,
      valueStarts: this.valueStarts,
      valueEnds: this.valueEnds,
      headers: this.headers,
    };
  }
}
