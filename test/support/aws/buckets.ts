import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { clientConfig, s3Client } from './clients.js';
import { newNameAt } from './new-name.js';
import type { AwsTarget } from './target.js';

/** The region that is the default of the call itself, and must not be named in it. */
const firstRegion = 'us-east-1';

/** Makes a bucket for one test file. @returns its name */
export async function createBucket(target: AwsTarget, what: string): Promise<string> {
  const Bucket = newNameAt(target, what);
  const where =
    target.region === firstRegion ? {} : { CreateBucketConfiguration: { LocationConstraint: target.region } };
  await s3Client(clientConfig(target)).send(new CreateBucketCommand({ Bucket, ...where } as { Bucket: string }));
  return Bucket;
}
