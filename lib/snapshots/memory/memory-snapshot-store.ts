import type { Clock } from '../../host/host.js';
import { checkObjectName } from '../object-name.js';
import type { ObjectEntry, SnapshotStore } from '../snapshot-store.js';

/** Age of objects where there is no clock: always just written, so that no garbage collection ever takes them. */
const NEVER_OLD = Number.MAX_SAFE_INTEGER;

export interface MemorySnapshotStoreOptions {
  /** Gives objects their age; without it none is ever old enough to be collected. */
  readonly clock?: Pick<Clock, 'now'>;
}

interface StoredObject {
  readonly bytes: Uint8Array;
  readonly modifiedAtMs: number;
}

/** Snapshots in memory: for the embedded system, tests and the simulation. Bytes are copied on the way in and out. */
export function createMemorySnapshotStore(options: MemorySnapshotStoreOptions = {}): SnapshotStore {
  const now = () => options.clock?.now() ?? NEVER_OLD;
  const objects = new Map<string, StoredObject>();

  return {
    async create(name, bytes) {
      checkObjectName(name);
      if (objects.has(name)) return false;
      objects.set(name, { bytes: Uint8Array.from(bytes), modifiedAtMs: now() });
      return true;
    },
    async read(name, range) {
      checkObjectName(name);
      const bytes = objects.get(name)?.bytes;
      if (bytes === undefined) return null;
      return Uint8Array.from(
        range === undefined ? bytes : bytes.subarray(Math.max(0, range.from), Math.max(0, range.to)),
      );
    },
    async list(prefix, { limit = Number.MAX_SAFE_INTEGER, after = '' } = {}) {
      const found: ObjectEntry[] = [];
      for (const [name, { bytes, modifiedAtMs }] of objects) {
        if (name.startsWith(prefix) && name > after) found.push({ name, sizeBytes: bytes.length, modifiedAtMs });
      }
      // Names are ASCII, so the order of strings is the order of bytes.
      return found.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit);
    },
    async remove(name) {
      checkObjectName(name);
      objects.delete(name);
    },
  };
}
