/**
 * What the two sides of a foreign-key join tell each other, in Kafka Streams' bytes. Kafka: `SubscriptionWrapper`,
 * `SubscriptionResponseWrapper`.
 *
 * A subscription goes by foreign key to the right table: 1 byte version (its top bit says that there is no hash) · 1 byte instruction ·
 * 16 bytes hash of the left value · the left key · 4 bytes partition of the left table (from version 1 on). A response comes back
 * by left key: 1 byte version with the same bit · 16 bytes hash · the right value; none is no bytes.
 */
import { asBuffer } from '../../model/byte-key.js';
import { Cell } from '../../serde/cell.js';
import { lookupsOfParts } from '../../serde/lookups.js';
import type { Serde } from '../../serde/serde.js';
import { ABSENT } from '../change.js';
import { HASH_BYTES } from './murmur3.js';

/** What the right side has to do for a subscription. Kafka: `SubscriptionWrapper.Instruction`; the numbers are a format. */
export const INSTRUCTION = {
  /** Forget it: the left row has another foreign key now. */
  deleteKeyNoPropagate: 0,
  /** Forget it, and answer that there is no right value. */
  deleteKeyAndPropagate: 1,
  /** Note it, and answer with the right value or null. */
  propagateNullIfNoForeignValue: 2,
  /** Note it, and answer if there is a right value. */
  propagateOnlyIfForeignValue: 3,
} as const;
export type Instruction = (typeof INSTRUCTION)[keyof typeof INSTRUCTION];

export interface Subscription<K> {
  readonly instruction: Instruction;
  /** Of the left value as it is now; null if the row is gone. */
  readonly hash: Uint8Array | null;
  readonly primaryKey: Cell<K>;
  /** Where the response goes; null in what versions before 3.4 wrote. */
  readonly primaryPartition: number | null;
}

export interface SubscriptionResponse<VO> {
  /** Of the left value that was asked for. */
  readonly hash: Uint8Array | null;
  readonly foreignValue: Cell<VO | null>;
  /** Where it goes; not written. */
  readonly primaryPartition: number | null;
}

const SUBSCRIPTION_VERSION = 1;
const RESPONSE_VERSION = 0;
const NO_HASH = 0x80;
const VERSION_BYTES = 1;
const INSTRUCTION_BYTES = 1;
const PARTITION_BYTES = 4;
/** The topic that Kafka Streams names to the serde of the keys inside subscriptions. */
const PRIMARY_KEY_SUFFIX = '-pk';

export function subscriptionSerde<K>(keySerde: Serde<K>): Serde<Subscription<K>> {
  return {
    serialize({ instruction, hash, primaryKey, primaryPartition }) {
      const head = Buffer.of(SUBSCRIPTION_VERSION | (hash === null ? NO_HASH : 0), instruction);
      const key = primaryKey.bytes(keySerde);
      if (key === null || primaryPartition === null) throw new TypeError('a subscription needs a key and a partition');
      const partition = Buffer.allocUnsafe(PARTITION_BYTES);
      partition.writeInt32BE(primaryPartition);
      return Buffer.concat([head, hash ?? Buffer.alloc(0), key, partition]);
    },
    deserialize: (bytes) => readSubscription(keySerde, asBuffer(bytes)),
    ...lookupsOfParts(
      [keySerde],
      (bytes, start, end, visit) => {
        const subscription = bytes.subarray(start, end);
        const key = placeOfKey(subscription);
        visit(keySerde, subscription, key.at, key.end);
      },
      ({ topic }) => ({ topic: `${topic}${PRIMARY_KEY_SUFFIX}`, part: 'key' }),
    ),
  };
}

function placeOfKey(bytes: Buffer) {
  const { version, hash, at } = readHead(bytes, VERSION_BYTES + INSTRUCTION_BYTES, SUBSCRIPTION_VERSION);
  const end = bytes.length - (version > 0 ? PARTITION_BYTES : 0);
  if (end < at) throw new RangeError('the subscription is cut short');
  return { version, hash, at, end };
}

function readSubscription<K>(keySerde: Serde<K>, bytes: Buffer): Subscription<K> {
  const { version, hash, at, end } = placeOfKey(bytes);
  const instruction = bytes[VERSION_BYTES] as Instruction;
  if (!Object.values(INSTRUCTION).includes(instruction)) throw new RangeError(`${instruction} is no instruction`);
  return {
    instruction,
    hash,
    primaryKey: Cell.read(keySerde, bytes, at, end),
    primaryPartition: version > 0 ? bytes.readInt32BE(end) : null,
  };
}

/** A right value of no bytes (an empty text) reads as null, as in Kafka Streams: the format cannot tell them apart. */
export function responseSerde<VO>(valueSerde: Serde<VO>): Serde<SubscriptionResponse<VO>> {
  const serde = valueSerde as Serde<VO | null>;
  return {
    serialize({ hash, foreignValue }) {
      const head = Buffer.of(RESPONSE_VERSION | (hash === null ? NO_HASH : 0));
      return Buffer.concat([head, hash ?? Buffer.alloc(0), foreignValue.bytes(serde) ?? Buffer.alloc(0)]);
    },
    deserialize(bytes) {
      const buffer = asBuffer(bytes);
      const { hash, at } = readHead(buffer, VERSION_BYTES, RESPONSE_VERSION);
      const foreignValue = at === buffer.length ? ABSENT : Cell.read(serde, buffer, at, buffer.length);
      return { hash, foreignValue, primaryPartition: null };
    },
    ...lookupsOfParts([serde], (bytes, start, end, visit) => {
      const { at } = readHead(bytes.subarray(start, end), VERSION_BYTES, RESPONSE_VERSION);
      if (start + at < end) visit(serde, bytes, start + at, end);
    }),
  };
}

/** The version and, from `hashAt`, the hash; `at` is where it ends. */
function readHead(bytes: Buffer, hashAt: number, newest: number) {
  const head = bytes[0];
  const version = (head ?? 0) & ~NO_HASH;
  if (head === undefined || version > newest) throw new RangeError(`version ${version} is not known`);
  const at = hashAt + ((head & NO_HASH) === 0 ? HASH_BYTES : 0);
  if (at > bytes.length) throw new RangeError('the hash is cut short');
  return { version, hash: at === hashAt ? null : bytes.subarray(hashAt, at), at };
}
