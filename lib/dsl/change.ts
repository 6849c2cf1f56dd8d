import { asBuffer } from '../model/byte-key.js';
import { Cell } from '../serde/cell.js';
import { lookupsOfParts } from '../serde/lookups.js';
import type { Serde } from '../serde/serde.js';

/**
 * An update of a table's row: what it is now and, where somebody asked for it, what it was. Kafka: `Change`.
 *
 * Both are cells: an update on its way from store to topic is not decoded.
 */
export interface Change<V> {
  readonly newCell: Cell<V | null>;
  /** Null also where old values are not asked for. */
  readonly oldCell: Cell<V | null>;
  /** False for a version that came late, when a newer one was known (tables with history alone); absent: it is the newest. KIP-914. */
  readonly isLatest?: false;
}

/** An update made of another: of a version that came late, it is late too. */
export function likeChange<V>(of: Change<unknown>, newCell: Cell<V | null>, oldCell: Cell<V | null>): Change<V> {
  return of.isLatest === undefined ? { newCell, oldCell } : { newCell, oldCell, isLatest: false };
}

/** No row, or a row that was deleted. */
export const ABSENT: Cell<null> = Cell.of(null);

/** Bytes after the values: which of them are there. Versions 3 to 5 carry one byte more, whether the update is the latest. */
const OLD = 0;
const NEW = 1;
const BOTH = 2;
const LATEST_VARIANTS = 3;
const FLAG_BYTES = 1;
const LATEST_BYTES = 1;
const VARINT_BYTES_MAX = 5;

/**
 * Updates as bytes, in Kafka Streams' format (3.5 and later): old or new value and a flag, or the length of the new value as
 * a zig-zag varint, both values and a flag. Kafka: `ChangedSerializer`, `ChangedDeserializer`.
 */
export function changeSerde<V>(inner: Serde<V>): Serde<Change<V>> {
  const serde = inner as Serde<V | null>;
  return {
    // Whether it is the newest is not said: of tables with history none but the newest are grouped.
    serialize({ newCell, oldCell }) {
      const now = newCell.bytes(serde);
      const was = oldCell.bytes(serde);
      if (now === null && was === null) throw new TypeError('an update needs a new or an old value');
      if (was === null) return Buffer.concat([now ?? Buffer.alloc(0), Buffer.of(NEW)]);
      if (now === null) return Buffer.concat([was, Buffer.of(OLD)]);
      return Buffer.concat([zigZagVarint(now.length), now, was, Buffer.of(BOTH)]);
    },
    deserialize(bytes) {
      const { now, was } = placesOf(asBuffer(bytes));
      const cellAt = (place: Place | null) => (place === null ? ABSENT : Cell.read(serde, asBuffer(bytes), ...place));
      return { newCell: cellAt(now), oldCell: cellAt(was) };
    },
    ...lookupsOfParts([serde], (bytes, start, end, visit) => {
      const update = bytes.subarray(start, end);
      const { now, was } = placesOf(update);
      if (now !== null) visit(serde, update, ...now);
      if (was !== null) visit(serde, update, ...was);
    }),
  };
}

/** Where a value lies: from, to (exclusive). */
type Place = readonly [number, number];

/** Where the values of an update lie. @throws {RangeError} at malformed bytes */
function placesOf(bytes: Buffer): { readonly now: Place | null; readonly was: Place | null } {
  const flag = bytes[bytes.length - FLAG_BYTES];
  if (flag === undefined || flag > BOTH + LATEST_VARIANTS) throw new RangeError(`${flag} is no kind of update`);
  const end = bytes.length - FLAG_BYTES - (flag >= LATEST_VARIANTS ? LATEST_BYTES : 0);
  if (end < 0) throw new RangeError('the update is cut short');
  const kind = flag % LATEST_VARIANTS;
  if (kind === OLD) return { now: null, was: [0, end] };
  if (kind === NEW) return { now: [0, end], was: null };
  const { value: length, end: start } = readZigZagVarint(bytes);
  const middle = start + length;
  if (length < 0 || middle > end) throw new RangeError('the update is cut short');
  return { now: [start, middle], was: [middle, end] };
}

function zigZagVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = (value << 1) >>> 0;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

function readZigZagVarint(bytes: Buffer): { readonly value: number; readonly end: number } {
  let rest = 0;
  for (let at = 0; at < VARINT_BYTES_MAX; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) break;
    rest |= (byte & 0x7f) << (7 * at);
    if (byte < 0x80) return { value: (rest >>> 1) ^ -(rest & 1), end: at + 1 };
  }
  throw new RangeError('the length of the new value is cut short');
}
