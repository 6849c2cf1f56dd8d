/** Clients for the target of the tests, which may do everything there. */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { emulatorEnv } from './emulator.js';
import type { AwsTarget } from './target.js';

/** What every client is made with: on AWS the region alone, the rest is found by the SDK. */
export interface TargetConfig {
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** @param endpoint another way to the same target, as through faulty-endpoint.ts */
export function clientConfig(
  { region, ...target }: Pick<AwsTarget, 'region' | 'endpoint'>,
  endpoint = target.endpoint,
): TargetConfig {
  if (endpoint === undefined) return { region };
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = emulatorEnv(endpoint, process.env);
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  return { region, endpoint, credentials };
}

/** An emulator has one name for all buckets, AWS a name for each. */
export function s3Client(config: TargetConfig & S3ClientConfig): S3Client {
  return new S3Client({ forcePathStyle: config.endpoint !== undefined, ...config });
}

export function lambdaClient(target: AwsTarget): LambdaClient {
  return new LambdaClient(clientConfig(target));
}
