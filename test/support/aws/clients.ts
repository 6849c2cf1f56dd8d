/** Clients for the emulator that tests share: its endpoint, and keys that may do everything. */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { emulatorEnv } from './emulator.js';

/** What every client of the emulator is made with. */
export function clientConfig(endpoint: string) {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_REGION = '' } = emulatorEnv(endpoint);
  return {
    endpoint,
    region: AWS_REGION,
    credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
  };
}

export function s3Client(endpoint: string, more: S3ClientConfig = {}): S3Client {
  return new S3Client({ ...clientConfig(endpoint), forcePathStyle: true, ...more });
}

export function lambdaClient(endpoint: string): LambdaClient {
  return new LambdaClient(clientConfig(endpoint));
}
