import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createS3SnapshotStore } from '../../lib/snapshots/s3/s3-snapshot-store.js';
import { describeSnapshotConformance } from '../../lib/testing/conformance/snapshot-conformance.js';
import { createBucket } from '../support/aws/buckets.js';
import { clientConfig, s3Client } from '../support/aws/clients.js';

const target = inject('awsTarget');
const client = s3Client(clientConfig(target));
let bucket: string;
beforeAll(async () => {
  bucket = await createBucket(target, 'snapshots');
});

const newStore = () => createS3SnapshotStore({ bucket, prefix: `${randomUUID()}/`, client });

describeSnapshotConformance(
  {
    name: 's3',
    createStore: async () => newStore(),
    now: () => Date.now(),
    clockToleranceMs: 2_000, // S3 keeps whole seconds
  },
  { describe, it, expect },
);
