import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFolderSnapshotStore } from '../../lib/snapshots/folder/folder-snapshot-store.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import { describeSnapshotConformance } from '../../lib/testing/conformance/snapshot-conformance.js';

const scratch = mkdtempSync(join(tmpdir(), 'millrace-snapshots-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describeSnapshotConformance(
  {
    name: 'memory',
    createStore: async () => createMemorySnapshotStore({ clock: { now: () => 1_700_000_000_000 } }),
    now: () => 1_700_000_000_000,
    clockToleranceMs: 0,
  },
  { describe, it, expect },
);

describeSnapshotConformance(
  {
    name: 'folder',
    createStore: async () => createFolderSnapshotStore(mkdtempSync(join(scratch, 'store-'))),
    now: () => Date.now(),
    clockToleranceMs: 1_000, // file systems keep time coarsely
  },
  { describe, it, expect },
);
