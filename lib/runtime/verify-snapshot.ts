/**
 * Proves of one store that its newest snapshot and the tail come to what the whole changelog does.
 *
 * Both are brought to the same offset and then compared entry by entry, in order of keys. Of a store of plain keys the snapshot is read
 * a block at a time under its tail, so that what is in memory is one fold of the log; any other is held twice.
 */
import type { Logger } from '../host/host.js';
import type { OffsetStore } from '../log/log.js';
import { type ByteKey, shownKey } from '../model/byte-key.js';
import { SnapshotCorruptedError } from '../model/errors.js';
import { type Offset, offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import { ColdReads } from '../snapshots/cold-snapshot.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';
import type { StoredEntry, TransactionalStore } from '../state/byte-store.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { type LoadedStore, type LoadStore, loadStore, type ReadableLog, storeSpec } from './load-store.js';
import type { RuntimePorts } from './ports.js';

/** Differences that are named; all are counted. */
const SHOWN_DIFFERENCES = 10;
/** Bytes of blocks in memory: each is read once. */
const CACHE_BYTES = 8 * 1024 * 1024;

export interface VerifySnapshot {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'snapshots' | 'host'> & { readonly log: ReadableLog & OffsetStore };
  readonly logger: Logger;
  readonly taskId: TaskId;
  readonly changelog: TaskChangelog;
  readonly signal?: AbortSignal;
}

/** A key of which snapshot and log do not say the same. */
export interface SnapshotDifference {
  /** In quotes, or in hexadecimal where it is no plain text. */
  readonly key: string;
  /** `missing` from the snapshot and its tail · `extra` there · `value` or `timestamp` is another */
  readonly what: 'missing' | 'extra' | 'value' | 'timestamp';
}

export interface SnapshotVerdict {
  readonly taskId: TaskId;
  readonly store: string;
  /**
   * `equal` · `different` · `damaged`: the newest can not be read to its end, so that a restore goes by an older one or the log · `none`: there
   * is no snapshot that may be used, and nothing to compare
   */
  readonly verdict: 'equal' | 'different' | 'damaged' | 'none';
  /** Why newer snapshots were not used, the newest first: reasons of usability.ts. */
  readonly refused: readonly string[];
  /** Where the snapshot stands, and where both were compared; exclusive. Null: there is none. */
  readonly snapshotOffset: number | null;
  readonly comparedOffset: number | null;
  /** Of the log's fold. */
  readonly entries: number;
  /** How many keys differ, and some of them. */
  readonly differences: number;
  readonly examples: readonly SnapshotDifference[];
  /** SHA-256 over what the log has come to, entry by entry; that of the snapshot is the same where they are equal. */
  readonly digest: string | null;
}

/** @throws as `loadStore` */
export async function verifySnapshot(verify: VerifySnapshot): Promise<SnapshotVerdict> {
  const { app, changelog } = verify;
  const refused: string[] = [];
  const ports = { ...verify.ports, host: hearing(verify.ports.host, refused) };
  const target = await endOf(verify);
  const isLazy = changelog.internal && storeSpec(app, changelog.store).layout === undefined;
  const { snapshots, host } = ports;
  const lazy = isLazy ? { snapshots, host, reads: new ColdReads(CACHE_BYTES) } : null;
  try {
    const bySnapshot = await load({ ...verify, ports }, { snapshots, target, lazy });
    if (bySnapshot.manifest === null)
      return verdictOf(verify, isDamage(refused) ? 'damaged' : 'none', bySnapshot, refused);
    const byLog = await load(
      { ...verify, ports },
      { snapshots: NO_SNAPSHOTS, target: bySnapshot.follower.position, lazy: null },
    );
    await bySnapshot.follower.followTo({
      target: byLog.follower.position,
      stallTimeoutMs: app.settings.restoreStallTimeoutMs,
    });
    const compared = await compare(bySnapshot.store, byLog.store, host);
    const verdict = compared.differences > 0 ? 'different' : isDamage(refused) ? 'damaged' : 'equal';
    return { ...verdictOf(verify, verdict, bySnapshot, refused), ...compared };
  } catch (thrown) {
    if (!(thrown instanceof SnapshotCorruptedError)) throw thrown;
    verify.logger.warn('snapshot-damaged', { taskId: verify.taskId, store: changelog.store, message: thrown.message });
    return verdictOf(verify, 'damaged', null, refused);
  }
}

/** The same host, that also notes why snapshots are refused or given up. */
function hearing(host: RuntimePorts['host'], refused: string[]): RuntimePorts['host'] {
  const { metrics } = host;
  return {
    ...host,
    metrics: {
      gauge: (name, value, tags) => metrics.gauge(name, value, tags),
      count: (name, value, tags) => {
        if (name === 'snapshots-refused' && tags?.reason !== undefined) refused.push(tags.reason);
        metrics.count(name, value, tags);
      },
    },
  };
}

function isDamage(refused: readonly string[]): boolean {
  return refused.some((reason) => reason.startsWith('corrupt'));
}

/** Holds nothing, and takes nothing. */
const NO_SNAPSHOTS: SnapshotStore = {
  create: async () => false,
  read: async () => null,
  list: async () => [],
  remove: async () => undefined,
};

function load(
  { app, ports, logger, taskId, changelog, signal }: VerifySnapshot,
  { snapshots, target, lazy }: Pick<LoadStore, 'target' | 'lazy'> & { readonly snapshots: SnapshotStore },
): Promise<LoadedStore> {
  const { store: storeName, topic, partition, internal } = changelog;
  return loadStore({
    app,
    ports: { ...ports, snapshots },
    logger,
    taskId,
    storeName,
    changelog: { topic, partition },
    target,
    toTheEnd: internal, // what is written meanwhile would be missing from one of them else (F5 of follower.ts)
    exact: !internal,
    ...(lazy === undefined ? {} : { lazy }),
    stallTimeoutMs: app.settings.restoreStallTimeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
}

async function endOf({ app, ports, changelog }: VerifySnapshot): Promise<Offset> {
  const { topic, partition, internal } = changelog;
  const at = { topic, partition };
  const key = topicPartitionKey(at);
  const end = internal
    ? (await ports.log.listOffsets([at], 'lastStable')).get(key)
    : (await ports.log.committedOffsets(app.applicationId, [at])).get(key)?.nextOffset;
  return end ?? offset(0);
}

function verdictOf(
  { taskId, changelog }: VerifySnapshot,
  verdict: SnapshotVerdict['verdict'],
  loaded: LoadedStore | null,
  refused: readonly string[],
): SnapshotVerdict {
  return {
    taskId,
    store: changelog.store,
    verdict,
    refused,
    snapshotOffset: loaded?.manifest?.nextOffset ?? null,
    comparedOffset: loaded?.manifest == null ? null : loaded.follower.position,
    entries: 0,
    differences: 0,
    examples: [],
    digest: null,
  };
}

async function compare(
  bySnapshot: TransactionalStore,
  byLog: TransactionalStore,
  { digest }: Pick<RuntimePorts['host'], 'digest'>,
): Promise<Pick<SnapshotVerdict, 'entries' | 'differences' | 'examples' | 'digest'>> {
  const ours = inOrder(bySnapshot);
  const theirs = inOrder(byLog);
  const examples: SnapshotDifference[] = [];
  let differences = 0;
  let entries = 0;
  let chain = '';
  const differ = (key: ByteKey, what: SnapshotDifference['what']) => {
    differences += 1;
    if (examples.length < SHOWN_DIFFERENCES) examples.push({ key: shownKey(key), what });
  };
  let [one, other] = [await ours.next(), await theirs.next()];
  while (one.done !== true || other.done !== true) {
    const order = one.done === true ? 1 : other.done === true ? -1 : compareKeys(one.value.key, other.value.key);
    if (order < 0 && one.done !== true) differ(one.value.key, 'extra');
    if (order > 0 && other.done !== true) differ(other.value.key, 'missing');
    if (order === 0 && one.done !== true && other.done !== true) {
      if (!Buffer.from(one.value.value).equals(other.value.value)) differ(one.value.key, 'value');
      else if (one.value.timestampMs !== other.value.timestampMs) differ(one.value.key, 'timestamp');
    }
    if (order >= 0 && other.done !== true) {
      entries += 1;
      chain = digest.sha256(bytesOf(chain, other.value));
      other = await theirs.next();
    }
    if (order <= 0) one = await ours.next();
  }
  return { entries, differences, examples, digest: chain === '' ? digest.sha256(Buffer.alloc(0)) : chain };
}

async function* inOrder(store: TransactionalStore): AsyncGenerator<StoredEntry> {
  yield* store.entries({ from: null, to: null });
}

function compareKeys(a: ByteKey, b: ByteKey): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function bytesOf(chain: string, { key, value, timestampMs }: StoredEntry): Uint8Array {
  return Buffer.concat([Buffer.from(`${chain} ${key.length} ${timestampMs} ${key}`, 'latin1'), value]);
}
