/** Keys with their windows, byte for byte as the JVM's: key · time. Kafka: `WindowedSerdes`, `TimeWindowedSerializer` and their kin. */
import { asBuffer } from '../model/byte-key.js';
import { type Duration, durationMs } from '../model/duration.js';
import type { Window, Windowed } from '../model/windowed.js';
import { lookupsOfParts } from './lookups.js';
import type { Serde } from './serde.js';

const TIME_BYTES = 8;
const INT_BYTES = 4;
const TWO_TO_32 = 0x1_0000_0000;

/** A serde of windowed keys. Kafka: `WindowedSerializer`. */
export interface WindowedSerde<K> extends Serde<Windowed<K>> {
  /** The bytes of the key without its window: they choose the partition, so that all windows of a key lie in one. */
  serializeBaseKey(windowed: Windowed<K>): Uint8Array;
}

export function isWindowedSerde(serde: object): serde is WindowedSerde<unknown> {
  return 'serializeBaseKey' in serde;
}

/**
 * Keys of time windows and sliding windows: the key's bytes, then 8 bytes start. Kafka: `TimeWindowedSerde`.
 *
 * Ends are not written: they are made of the size when keys are read (start + size, exclusive for time windows; of sliding windows
 * give the time difference, their ends are inclusive). Of windows that are not all of one length, give the windows instead of a size.
 *
 * @example
 * builder.stream('counts-per-5m', { key: timeWindowedSerde(string(), '5m'), value: long() })
 * builder.stream('counts-per-day', { key: timeWindowedSerde(string(), calendar('day', { zone: 'Europe/Copenhagen' })), value: long() })
 */
export function timeWindowedSerde<K>(
  key: Serde<K>,
  windowSize: Duration | { endOf(startMs: number): number },
): WindowedSerde<K> {
  if (typeof windowSize === 'object') return startWindowedSerde(key, (startMs) => windowSize.endOf(startMs));
  const sizeMs = durationMs(windowSize, 'window size');
  return startWindowedSerde(key, (startMs) => Math.min(startMs + sizeMs, Number.MAX_SAFE_INTEGER));
}

/** As {@link timeWindowedSerde}, of windows that need not be of one length. */
export function startWindowedSerde<K>(key: Serde<K>, endOf: (startMs: number) => number): WindowedSerde<K> {
  return windowedSerde('time-windowed', key, TIME_BYTES, {
    write: (bytes, at, { startMs }) => writeTime(bytes, at, startMs),
    read: (bytes, at) => {
      const startMs = readTime(bytes, at);
      return { startMs, endMs: endOf(startMs) };
    },
  });
}

/** Keys of sessions: the key's bytes, then 8 bytes end, then 8 bytes start. Kafka: `SessionWindowedSerde`. */
export function sessionWindowedSerde<K>(key: Serde<K>): WindowedSerde<K> {
  return windowedSerde('session-windowed', key, TIME_BYTES + TIME_BYTES, {
    write: (bytes, at, { startMs, endMs }) => {
      writeTime(bytes, at, endMs);
      writeTime(bytes, at + TIME_BYTES, startMs);
    },
    read: (bytes, at) => ({ startMs: readTime(bytes, at + TIME_BYTES), endMs: readTime(bytes, at) }),
  });
}

/** How a window lies in the bytes after the key. */
interface WindowFormat {
  write(bytes: Buffer, at: number, window: Window): void;
  read(bytes: Buffer, at: number): Window;
}

function windowedSerde<K>(kind: string, key: Serde<K>, windowBytes: number, window: WindowFormat): WindowedSerde<K> {
  const read = (bytes: Buffer, start: number, end: number): Windowed<K> => {
    const keyEnd = end - windowBytes;
    if (keyEnd < start) throw new RangeError(`${end - start} bytes are too few for a key and its window`);
    const of =
      key.deserializeRange === undefined
        ? key.deserialize(bytes.subarray(start, keyEnd))
        : key.deserializeRange(bytes, start, keyEnd);
    return { key: of, window: window.read(bytes, keyEnd) };
  };
  return Object.freeze({
    ...(key.format === undefined ? {} : { format: `${kind}(${key.format})` }),
    serializeBaseKey: (windowed: Windowed<K>) => key.serialize(windowed.key),
    serialize: (windowed: Windowed<K>) => {
      const of = key.serialize(windowed.key);
      const bytes = Buffer.alloc(of.length + windowBytes);
      bytes.set(of);
      window.write(bytes, of.length, windowed.window);
      return bytes;
    },
    deserialize: (bytes: Uint8Array) => read(asBuffer(bytes), 0, bytes.length),
    deserializeRange: read,
    ...lookupsOfParts([key], (bytes, start, end, visit) => visit(key, bytes, start, end - windowBytes)),
  });
}

function writeTime(bytes: Buffer, at: number, timeMs: number): void {
  if (!Number.isSafeInteger(timeMs) || timeMs < 0) throw new RangeError(`${timeMs} is no time in whole milliseconds`);
  bytes.writeUInt32BE(Math.floor(timeMs / TWO_TO_32), at);
  bytes.writeUInt32BE(timeMs % TWO_TO_32, at + INT_BYTES);
}

function readTime(bytes: Buffer, at: number): number {
  const timeMs = bytes.readInt32BE(at) * TWO_TO_32 + bytes.readUInt32BE(at + INT_BYTES);
  if (Number.isSafeInteger(timeMs)) return timeMs;
  throw new RangeError(`${bytes.readBigInt64BE(at)} is beyond ±(2^53 − 1)`);
}
