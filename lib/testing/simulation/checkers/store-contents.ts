/** What stores hold at the end of a run, read in several independent ways. */
import type { LogReader } from '../../../log/log.js';
import { offset } from '../../../model/offset.js';
import { type TopicPartition, topicPartitionKey } from '../../../model/topic-partition.js';
import { loadStore } from '../../../runtime/load-store.js';
import type { SnapshotStore } from '../../../snapshots/snapshot-store.js';
import type { TaskChangelog, TaskSpec } from '../../../topology/resolve-partitions.js';
import type { StoreSpec } from '../../../topology/store-spec.js';
import type { Cloud } from '../cloud.js';
import { asStored, type ChangelogRecord } from './stored-record.js';

/** By key: the timestamp and the value, both as bytes, one character a byte. */
export type StoreContent = ReadonlyMap<string, string>;

const FETCH_MAX_BYTES = 1 << 30;
/** Nothing is open at the end of a run: whoever waits waits in vain. */
const STALL_TIMEOUT_MS = 1_000;

/** The fold of all that was ever committed: the last value of each key, a null value takes it away. */
export function foldOf(records: readonly ChangelogRecord[], spec: StoreSpec | undefined): StoreContent {
  const content = new Map<string, string>();
  for (const record of records) {
    const { key, value, timestampMs } = asStored(record, spec);
    if (key === null) continue;
    if (value === null) content.delete(key);
    else content.set(key, entry(timestampMs, value));
  }
  return content;
}

/** The fold of what the log still holds, read without any code that restores stores. */
export async function foldOfLog(
  log: LogReader,
  at: TopicPartition,
  spec: StoreSpec | undefined,
): Promise<StoreContent> {
  const fromOffset = (await log.listOffsets([at], 'earliest')).get(topicPartitionKey(at)) ?? offset(0);
  const [result] = await log.fetch([{ ...at, fromOffset }], {
    isolation: 'readCommitted',
    maxWaitMs: 0,
    maxBytes: FETCH_MAX_BYTES,
  });
  const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('latin1'));
  const records = [...(result?.records ?? [])].map(({ key, value, timestampMs }) => ({
    ...{ timestampMs, key: text(key), value: text(value) },
  }));
  return foldOf(records, spec);
}

/** What the product restores, from these snapshots and the log. */
export async function restoredContent(
  { app, log, host }: Pick<Cloud, 'app' | 'log' | 'host'>,
  snapshots: SnapshotStore,
  { taskId }: TaskSpec,
  { store: storeName, topic, partition }: TaskChangelog,
): Promise<StoreContent> {
  const changelog = { topic, partition };
  const target = (await log.listOffsets([changelog], 'highWatermark')).get(topicPartitionKey(changelog)) ?? offset(0);
  const { store } = await loadStore({
    app,
    ports: { log, snapshots, host },
    logger: QUIET,
    taskId,
    storeName,
    changelog,
    target,
    stallTimeoutMs: STALL_TIMEOUT_MS,
  });
  const content = new Map<string, string>();
  for (const { key, value, timestampMs } of store.committed())
    content.set(key, entry(timestampMs, Buffer.from(value).toString('latin1')));
  return content;
}

/** What differs between two contents, in words; null: nothing. */
export function contentDiffers(seen: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string | null {
  for (const [key, value] of wanted)
    if (seen.get(key) !== value) return `'${key}' has ${said(seen.get(key))} instead of ${said(value)}`;
  for (const [key, value] of seen) if (!wanted.has(key)) return `'${key}' has ${said(value)} and should not be there`;
  return null;
}

/** Values alone. */
export function withoutTimestamps(content: StoreContent): ReadonlyMap<string, string> {
  return new Map([...content].map(([key, text]) => [key, text.slice(text.indexOf(':') + 1)]));
}

/** As it stands in a {@link StoreContent}. */
export function storeEntry(timestampMs: number, value: Uint8Array): string {
  return entry(timestampMs, Buffer.from(value).toString('latin1'));
}

function entry(timestampMs: number, value: string): string {
  return `${timestampMs}:${value}`;
}

function said(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text);
}

const nothing = () => undefined;
const QUIET = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => QUIET };
