import { randomUUID } from 'node:crypto';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createS3SnapshotStore } from '../../lib/snapshots/s3/s3-snapshot-store.js';
import { describeSnapshotConformance } from '../../lib/testing/conformance/snapshot-conformance.js';
import { s3Client } from '../support/aws/clients.js';

const client = s3Client(inject('awsEndpoint'));
const bucket = `snapshots-${randomUUID()}`;
beforeAll(async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
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
