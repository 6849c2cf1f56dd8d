/**
 * Updates that a suppression holds back, byte for byte as Kafka's (version 3 of its changelog):
 * record context · prior value · old value · new value · 8 bytes time in the buffer. Kafka: `BufferValue`, `ProcessorRecordContext`.
 *
 * A value is 4 bytes length and the bytes; a length of −1 is null, and −2 says that the old value is the prior one.
 */
import { byteKey, bytesOfKey, type PackedBytes } from '../model/byte-key.js';
import { DeserializationError } from '../model/errors.js';
import type { Header, Headers } from '../model/record-set.js';
import { lookupsOfParts } from '../serde/lookups.js';
import type { Serde } from '../serde/serde.js';
import { INT_BYTES, intAt, packInt, packTime, TIME_BYTES, timeAt } from './packed-numbers.js';

const NULL_LENGTH = 0xffff_ffff;
const SAME_AS_PRIOR = 0xffff_fffe;
/** Kafka's −1 where there is no offset or partition. */
const NONE_8 = '\u00ff'.repeat(TIME_BYTES);

/** Headers of the changelog records: the version of the format. */
export const HELD_UPDATE_HEADERS: Headers = Object.freeze([{ key: 'v', value: Buffer.of(3) }]);

/** Where the record came from that brought the update; null in a punctuation or flush. */
export interface HeldOrigin {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface HeldUpdate {
  /** Where in the buffer the key stands: it keeps the time at which it came. */
  readonly bufferTimeMs: number;
  readonly timestampMs: number;
  readonly origin: HeldOrigin | null;
  readonly headers: Headers;
  /** What the row was downstream when its key came into the buffer. */
  readonly prior: PackedBytes | null;
  /** What the row was before the last update. */
  readonly old: PackedBytes | null;
  readonly next: PackedBytes | null;
}

export function packHeldUpdate(update: HeldUpdate): PackedBytes {
  const { timestampMs, origin, headers, prior, old, next, bufferTimeMs } = update;
  const parts = [
    packTime(timestampMs),
    origin === null ? NONE_8 : packTime(origin.offset),
    sized(utf8(origin?.topic ?? '')),
    packInt(origin === null ? NULL_LENGTH : origin.partition),
    packInt(headers.length),
    ...headers.flatMap(({ key, value }) => [sized(utf8(key)), sized(value === null ? null : byteKey(value))]),
    sized(prior),
    old !== null && old === prior ? packInt(SAME_AS_PRIOR) : sized(old),
    sized(next),
    packTime(bufferTimeMs),
  ];
  return parts.join('') as PackedBytes;
}

/** @throws {DeserializationError} STREAMS_DESERIALIZATION_FAILED if the bytes are no held update */
export function readHeldUpdate(packed: PackedBytes): HeldUpdate {
  const reader = new Reader(packed);
  const timestampMs = reader.time();
  const offset = reader.time();
  const topic = textOf(reader.value() ?? '');
  const partition = reader.int();
  const headers = reader.headers();
  const prior = reader.value();
  const old = reader.value(prior);
  const next = reader.value();
  const bufferTimeMs = reader.time();
  reader.expectEnd();
  const origin = partition === NULL_LENGTH ? null : { topic, partition, offset };
  return { bufferTimeMs, timestampMs, origin, headers, prior, old, next };
}

/** What an update counts for in the bytes of a buffer. Kafka: `computeRecordSize`. */
export function sizeOfHeldUpdate(key: PackedBytes, { origin, headers, prior, old, next }: HeldUpdate): number {
  const context = 2 * TIME_BYTES + INT_BYTES + (origin?.topic.length ?? 0);
  const inHeaders = headers.reduce((sum, header) => sum + header.key.length + (header.value?.length ?? 0), 0);
  const values = (prior?.length ?? 0) + (old === prior ? 0 : (old?.length ?? 0)) + (next?.length ?? 0);
  return TIME_BYTES + key.length + values + context + inHeaders;
}

/** For those who read the changelog as a topic. */
export const heldUpdates: Serde<HeldUpdate> = {
  serialize: (update) => bytesOfKey(packHeldUpdate(update)),
  deserialize: (bytes) => readHeldUpdate(byteKey(bytes)),
};

/** {@link heldUpdates} of a table or stream with that serde: it looks up what the values inside need. */
export function heldUpdatesOf(value: Serde<unknown>): Serde<HeldUpdate> {
  return {
    ...heldUpdates,
    ...lookupsOfParts([value], (bytes, start, end, visit) => {
      const { prior, old, next } = readHeldUpdate(byteKey(bytes.subarray(start, end)));
      for (const packed of new Set([prior, old, next])) {
        if (packed !== null) visit(value, bytesOfKey(packed), 0, packed.length);
      }
    }),
  };
}

class Reader {
  private readonly packed: PackedBytes;
  private at = 0;

  constructor(packed: PackedBytes) {
    this.packed = packed;
  }

  int(): number {
    this.at += INT_BYTES;
    return intAt(this.packed, this.at - INT_BYTES);
  }

  time(): number {
    this.at += TIME_BYTES;
    return timeAt(this.packed, this.at - TIME_BYTES);
  }

  value(prior: PackedBytes | null = null): PackedBytes | null {
    const length = this.int();
    if (length === NULL_LENGTH) return null;
    if (length === SAME_AS_PRIOR) return prior;
    const from = this.at;
    this.at += length;
    return this.packed.slice(from, this.at) as PackedBytes;
  }

  headers(): Headers {
    const count = this.int();
    const headers: Header[] = [];
    while (headers.length < count && this.at < this.packed.length) {
      const key = textOf(this.value() ?? '');
      const value = this.value();
      headers.push({ key, value: value === null ? null : bytesOfKey(value) });
    }
    return headers;
  }

  expectEnd(): void {
    const { length } = this.packed;
    if (this.at === length) return;
    throw new DeserializationError(`${length} bytes are no update that is held back`, {
      details: { sizeBytes: length },
      remedy: 'The changelog was written by a store of another kind: name the store anew, or reset the application.',
    });
  }
}

function sized(value: PackedBytes | null): string {
  return value === null ? packInt(NULL_LENGTH) : `${packInt(value.length)}${value}`;
}

function utf8(text: string): PackedBytes {
  return byteKey(Buffer.from(text, 'utf8'));
}

function textOf(packed: string): string {
  return Buffer.from(packed, 'latin1').toString('utf8');
}
