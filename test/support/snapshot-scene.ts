/** A store of snapshots in memory with a host whose clock a test sets, and short ways to write and open. */

import { createJsonLinesLogger } from '../../lib/host/node/json-lines-logger.js';
import { createNodeHost, type NodeHost } from '../../lib/host/node/node-host.js';
import { type ByteKey, byteKey } from '../../lib/model/byte-key.js';
import { offset } from '../../lib/model/offset.js';
import { taskId } from '../../lib/model/task-id.js';
import { collectGarbage } from '../../lib/snapshots/collect-garbage.js';
import type { SnapshotIdentity } from '../../lib/snapshots/manifest.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import { type OpenNewestSnapshot, openNewestSnapshot } from '../../lib/snapshots/open-snapshot.js';
import type { SnapshotEntry } from '../../lib/snapshots/segment-format.js';
import type { SnapshotStore } from '../../lib/snapshots/snapshot-store.js';
import { type WriteSnapshot, writeSnapshot } from '../../lib/snapshots/write-snapshot.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const START_MS = 1_700_000_000_000;
export const changelog = { topic: 'app-counts-changelog', partition: 3 };
export const identity: SnapshotIdentity = {
  applicationId: 'app',
  taskId: taskId(0, 3),
  store: 'counts',
  topicId: 'topic-id-1',
};

/** One entry from texts; a value of null is a delete. */
export function entry(key: string, value: string | null, timestampMs = 1): SnapshotEntry {
  return { key: keyOf(key), value: value === null ? null : Buffer.from(value), timestampMs };
}

export function keyOf(key: string): ByteKey {
  return byteKey(Buffer.from(key, 'latin1'));
}

/** `key=value` of each entry. */
export async function show(entries: AsyncIterable<SnapshotEntry>): Promise<string[]> {
  const shown: string[] = [];
  for await (const { key, value } of entries) shown.push(`${key}=${value === null ? null : Buffer.from(value)}`);
  return shown;
}

export interface SnapshotScene {
  readonly store: SnapshotStore;
  readonly host: NodeHost;
  /** Parsed lines of the log. */
  readonly lines: Record<string, unknown>[];
  /** The store's clock. */
  nowMs: number;
  write(
    nextOffset: number,
    entries: WriteSnapshot['entries'],
    more?: Partial<WriteSnapshot>,
  ): ReturnType<typeof writeSnapshot>;
  /** Opens with the log from 0 to 1,000, a day of `delete.retention.ms`, now. */
  open(more?: Partial<OpenNewestSnapshot>): ReturnType<typeof openNewestSnapshot>;
  collect(more?: Partial<Parameters<typeof collectGarbage>[0]>): ReturnType<typeof collectGarbage>;
  /** Changes one byte of an object, counted from its end if negative. */
  flip(name: string, at: number): Promise<void>;
}

export function createSnapshotScene(): SnapshotScene {
  const lines: Record<string, unknown>[] = [];
  const logger = createJsonLinesLogger({ level: 'debug', sink: { write: (line) => lines.push(JSON.parse(line)) } });
  const host = createNodeHost({ logger });
  const scene: SnapshotScene = {
    store: createMemorySnapshotStore({ clock: { now: () => scene.nowMs } }),
    host,
    lines,
    nowMs: START_MS,
    write: (nextOffset, entries, more = {}) =>
      writeSnapshot({
        store: scene.store,
        host,
        identity,
        changelog,
        writer: 'standby',
        nextOffset: offset(nextOffset),
        lastKnownEndAtMs: scene.nowMs,
        entries,
        ...more,
      }),
    open: (more = {}) =>
      openNewestSnapshot({
        store: scene.store,
        host,
        identity,
        logStartOffset: offset(0),
        endOffset: offset(1_000),
        nowMs: scene.nowMs,
        deleteRetentionMs: DAY_MS,
        ...more,
      }),
    collect: (more = {}) => collectGarbage({ store: scene.store, host, identity, nowMs: scene.nowMs, ...more }),
    async flip(name, at) {
      const bytes = Buffer.from((await scene.store.read(name)) ?? []);
      const index = at < 0 ? bytes.length + at : at;
      bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
      await scene.store.remove(name);
      await scene.store.create(name, bytes);
    },
  };
  return scene;
}
