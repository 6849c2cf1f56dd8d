import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, inject, it } from 'vitest';
import { createS3SnapshotStore } from '../../../lib/snapshots/s3/s3-snapshot-store.js';
import { createBucket } from '../../support/aws/buckets.js';
import { clientConfig, s3Client } from '../../support/aws/clients.js';
import { commandSequences, runCommands } from '../../support/snapshot-commands.js';

const target = inject('awsTarget');
const client = s3Client(clientConfig(target));
let bucket: string;
beforeAll(async () => {
  bucket = await createBucket(target, 'commands');
});

it('a bucket answers any sequence of calls as the store in memory does', async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async (commands) => {
      const store = createS3SnapshotStore({ bucket, prefix: `${randomUUID()}/`, client });

      const { actual, expected } = await runCommands(store, commands);

      expect(actual).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
