import { asBuffer } from '../../../lib/model/byte-key.js';
import type { Serde } from '../../../lib/serde/serde.js';

/** Writes as for the values of a topic, looking up what is needed. */
export async function written<T>(serde: Serde<T>, value: T, topic = 'orders'): Promise<Buffer> {
  await serde.lookups?.forTopic({ topic, part: 'value' });
  return asBuffer(serde.serialize(value));
}

/** Reads, looking up what is needed. */
export async function read<T>(serde: Serde<T>, bytes: Buffer): Promise<T> {
  await serde.lookups?.forBytes(bytes, 0, bytes.length);
  return serde.deserialize(bytes);
}
