/** What the processors of recorded cases do with window, session and versioned stores. */
import type {
  Entries,
  SessionStore,
  StreamRecord,
  VersionedKeyValueStore,
  VersionedRecord,
  Windowed,
  WindowStore,
  WindowValue,
} from '../../lib/index.js';

type Record_ = StreamRecord<string, string | null>;
/** How Kafka says that a version has no end yet, and that it was not put. */
const NO_END = '-1';
const NOT_PUT = '-9223372036854775808';

/** Whether the store has an entry for the record's key in [max(0, ts − windowMs), ts + windowMs]. */
export async function seenNearby(
  { key, timestampMs }: Record_,
  store: WindowStore<string, string>,
  windowMs: number,
): Promise<boolean> {
  for await (const _ of store.fetch(key, Math.max(0, timestampMs - windowMs), timestampMs + windowMs)) return true;
  return false;
}

/** Runs `put:x`, `del:`, `get:time`, `fetch:from:to`, `backward:from:to`, `all` or `fetchAll:from:to`. */
export async function runWindowCommand(record: Record_, store: WindowStore<string, string>): Promise<string> {
  const { key, timestampMs } = record;
  const [name = '', ...args] = (record.value ?? '').split(':');
  const [from = 0, to = 0] = args.map(Number);
  switch (name) {
    case 'put':
      await store.put(key, args[0] ?? '', timestampMs);
      return 'ok';
    case 'del':
      await store.put(key, null, timestampMs);
      return 'ok';
    case 'get':
      return `${await store.fetch(key, from)}`;
    case 'fetch':
      return valuesListed(store.fetch(key, from, to));
    case 'backward':
      return valuesListed(store.backwardFetch(key, from, to));
    case 'all':
      return windowsListed(store.all());
    case 'fetchAll':
      return windowsListed(store.fetchAll(from, to));
    default:
      throw new Error(`missing operator: window store command ${name}`);
  }
}

async function valuesListed(values: AsyncIterable<WindowValue<string>>): Promise<string> {
  const parts: string[] = [];
  for await (const { startMs, value } of values) parts.push(`${startMs}=${value}`);
  return `[${parts.join(',')}]`;
}

async function windowsListed(entries: Entries<Windowed<string>, string>): Promise<string> {
  const parts: string[] = [];
  for await (const { key, value } of entries) parts.push(`${key.key}@${key.window.startMs}=${value}`);
  return `[${parts.join(',')}]`;
}

/** Joins all sessions within the gap with the record's value. @returns `start-end:value` */
export async function appendToSession(
  { key, value, timestampMs }: Record_,
  store: SessionStore<string, string>,
  gapMs: number,
): Promise<string> {
  let startMs = timestampMs;
  let endMs = timestampMs;
  const values: string[] = [];
  for await (const found of store.findSessions(key, timestampMs - gapMs, timestampMs + gapMs)) {
    startMs = Math.min(startMs, found.key.window.startMs);
    endMs = Math.max(endMs, found.key.window.endMs);
    values.push(found.value);
    await store.remove(found.key);
  }
  const joined = values.length === 0 ? `${value}` : `${values.join('&')}+${value}`;
  await store.put({ key, window: { startMs, endMs } }, joined);
  return `${startMs}-${endMs}:${joined}`;
}

/** `?` and `?n` get, `-n` deletes, anything else is put. */
export async function putVersion(
  { key, value, timestampMs }: Record_,
  store: VersionedKeyValueStore<string, string>,
): Promise<string> {
  if (value === '?') return versionSaid(await store.get(key));
  if (value?.startsWith('?')) return versionSaid(await store.get(key, Number(value.slice(1))));
  if (value?.startsWith('-')) return versionSaid(await store.delete(key, Number(value.slice(1))));
  const { isPut, validToMs } = await store.put(key, value, timestampMs);
  return `validTo=${isPut ? (validToMs ?? NO_END) : NOT_PUT}`;
}

/** Kafka's `get` never says until when a version is valid. */
function versionSaid(version: VersionedRecord<string> | null): string {
  return version === null ? 'none' : `${version.value}@${version.timestampMs}..inf`;
}
