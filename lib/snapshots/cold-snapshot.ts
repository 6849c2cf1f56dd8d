/**
 * A snapshot that is read as keys are asked for.
 *
 * Invariants
 *   R1  a segment that is gone (collected) or broken does not end the reader: it goes on with the newest manifest that is no older, and
 *       not given up, which says the same of every key that its user has not written since
 *   R2  what is given up is given up for the whole process, so that nobody opens it again
 */
import type { Host } from '../host/host.js';
import { type Awaitable, isPromise } from '../model/awaitable.js';
import { type ByteKey, justAfter } from '../model/byte-key.js';
import { SnapshotCorruptedError } from '../model/errors.js';
import { BlockCache } from './block-cache.js';
import { ColdSegment } from './cold-segment.js';
import { listManifests } from './list-manifests.js';
import { hasIdentity, type Manifest, type SnapshotIdentity } from './manifest.js';
import { readManifest } from './open-snapshot.js';
import type { SnapshotEntry } from './segment-format.js';
import { openSegment, type SegmentReader } from './segment-reader.js';
import type { SnapshotStore } from './snapshot-store.js';
import { type ColdRange, walkCold } from './walk-cold.js';

/** Manifests that a reader goes on with, one after the other, before it stops. */
const REOPENS_MAX = 8;
/** Manifests looked at for each. */
const MAX_LISTED = 64;
/** Segments opened at the same time. */
const OPENING_AT_ONCE = 8;
/** Names that are remembered as given up. */
const GIVEN_UP_MAX = 1_000;

/** What all lazy stores of a process share. */
export class ColdReads {
  readonly blocks: BlockCache;
  private readonly names = new Set<string>();

  /** @param cacheBytes what blocks may take in memory */
  constructor(cacheBytes: number) {
    this.blocks = new BlockCache(cacheBytes);
  }

  /** Names of manifests that are not to be opened again (R2). */
  get givenUp(): ReadonlySet<string> {
    return this.names;
  }

  giveUp(manifest: string): void {
    if (this.names.size < GIVEN_UP_MAX) this.names.add(manifest);
  }
}

export interface ColdSource {
  readonly store: Pick<SnapshotStore, 'read' | 'list'>;
  readonly host: Pick<Host, 'codec' | 'digest' | 'logger' | 'metrics'>;
  readonly identity: SnapshotIdentity;
  readonly reads: ColdReads;
}

/** A manifest with its segments, opened. */
interface Opened {
  readonly name: string;
  readonly manifest: Manifest;
  readonly segments: readonly ColdSegment[];
}

/** An entry that is no delete. */
type Present = SnapshotEntry & { readonly value: Uint8Array };

export class ColdSnapshot {
  private readonly source: ColdSource;
  private opened: Opened;
  private reopening: Promise<void> | null = null;
  private reopens = 0;

  private constructor(source: ColdSource, opened: Opened) {
    this.source = source;
    this.opened = opened;
  }

  /** @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if a segment's index is broken or missing */
  static async open(
    source: ColdSource,
    { name, manifest }: { readonly name: string; readonly manifest: Manifest },
  ): Promise<ColdSnapshot> {
    return new ColdSnapshot(source, { name, manifest, segments: await openAll(source, manifest) });
  }

  /**
   * Makes sure that the manifest that is read stands, so that what it names is not collected: else goes on with a newer one (R1).
   *
   * @throws as `get`
   */
  async stand(): Promise<void> {
    const { opened } = this;
    const { store, host } = this.source;
    try {
      await readManifest(store, host, opened.name);
    } catch (thrown) {
      await this.again(opened, thrown, () => null);
    }
  }

  /** The manifest that is read now. */
  get manifest(): Manifest {
    return this.opened.manifest;
  }

  get countMax(): number {
    return this.manifest.segments.reduce((sum, { entries }) => sum + entries, 0);
  }

  /**
   * The entry of a key, at once where it is in memory.
   *
   * @throws {SnapshotCorruptedError} STREAMS_SNAPSHOT_CORRUPTED if there is no manifest left to go on with
   */
  get(key: ByteKey): Awaitable<Present | null> {
    const { opened } = this;
    const found = this.find(opened.segments, key, opened.segments.length - 1);
    return isPromise(found) ? found.catch((thrown) => this.again(opened, thrown, () => this.get(key))) : found;
  }

  /** The entries of many keys, read together; null where there is none. Values are copies. Errors as `get`. */
  async getAll(keys: readonly ByteKey[]): Promise<ReadonlyMap<ByteKey, Present | null>> {
    const { opened } = this;
    const all = new Map<ByteKey, Present | null>();
    let rest: readonly ByteKey[] = [...new Set(keys)].sort();
    try {
      for (let at = opened.segments.length - 1; at >= 0 && rest.length > 0; at -= 1) {
        await (opened.segments[at] as ColdSegment).findAll(rest, ({ key, value, timestampMs }) => {
          all.set(key, value === null ? null : { key, value: Buffer.from(value), timestampMs });
        });
        rest = rest.filter((key) => !all.has(key));
      }
    } catch (thrown) {
      return this.again(opened, thrown, () => this.getAll(keys));
    }
    for (const key of rest) all.set(key, null);
    return all;
  }

  /** Entries in order, without deletes. Errors as `get`. */
  async *entries(range: ColdRange): AsyncGenerator<Present> {
    let rest = range;
    for (;;) {
      const { opened } = this;
      try {
        for await (const entry of walkCold(opened.segments, rest)) {
          yield entry as Present;
          rest = range.reverse === true ? { ...range, to: entry.key } : { ...range, from: justAfter(entry.key) };
        }
        return;
      } catch (thrown) {
        await this.again(opened, thrown, () => null);
      }
    }
  }

  private find(segments: readonly ColdSegment[], key: ByteKey, from: number): Awaitable<Present | null> {
    for (let at = from; at >= 0; at -= 1) {
      const found = (segments[at] as ColdSegment).find(key);
      if (isPromise(found)) {
        return found.then((entry) => (entry === null ? this.find(segments, key, at - 1) : present(entry)));
      }
      if (found !== null) return present(found);
    }
    return null;
  }

  /** R1. */
  private async again<T>(failed: Opened, thrown: unknown, read: () => Awaitable<T>): Promise<T> {
    if (!(thrown instanceof SnapshotCorruptedError)) throw thrown;
    if (this.opened === failed) {
      this.reopening ??= this.reopen(failed, thrown).finally(() => {
        this.reopening = null;
      });
      await this.reopening;
    }
    return read();
  }

  private async reopen(failed: Opened, thrown: SnapshotCorruptedError): Promise<void> {
    const { store, host, identity, reads } = this.source;
    const { taskId, store: storeName } = identity;
    reads.giveUp(failed.name);
    host.logger.warn('snapshot-given-up', { taskId, store: storeName, snapshot: failed.name, message: thrown.message });
    host.metrics.count('snapshots-refused', 1, { taskId, store: storeName, reason: 'corrupt-segment' });
    for (const { name, nextOffset } of await listManifests(store, identity, MAX_LISTED)) {
      if (reads.givenUp.has(name) || nextOffset < failed.manifest.nextOffset) continue;
      this.reopens += 1;
      if (this.reopens > REOPENS_MAX) break;
      try {
        const manifest = await readManifest(store, host, name);
        if (!hasIdentity(manifest, identity)) continue;
        this.opened = { name, manifest, segments: await openAll(this.source, manifest) };
        return;
      } catch (cause) {
        if (!(cause instanceof SnapshotCorruptedError)) throw cause;
        reads.giveUp(name);
      }
    }
    throw thrown;
  }
}

async function openAll({ store, host, reads }: ColdSource, manifest: Manifest): Promise<readonly ColdSegment[]> {
  const readers: SegmentReader[] = [];
  for (let from = 0; from < manifest.segments.length; from += OPENING_AT_ONCE) {
    const some = manifest.segments.slice(from, from + OPENING_AT_ONCE);
    for (const reader of await Promise.all(some.map((reference) => openSegment(store, host, reference)))) {
      readers.push(reader);
    }
  }
  return readers.map((reader) => new ColdSegment(reader, reads.blocks));
}

function present(entry: SnapshotEntry): Present | null {
  return entry.value === null ? null : (entry as Present);
}
