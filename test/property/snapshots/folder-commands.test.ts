import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createFolderSnapshotStore } from '../../../lib/snapshots/folder/folder-snapshot-store.js';
import { commandSequences, runCommands } from '../../support/snapshot-commands.js';

const scratch = mkdtempSync(join(tmpdir(), 'millrace-commands-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('a folder answers any sequence of calls as the store in memory does', async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async (commands) => {
      const { actual, expected } = await runCommands(
        createFolderSnapshotStore(mkdtempSync(join(scratch, 'store-'))),
        commands,
      );

      expect(actual).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
