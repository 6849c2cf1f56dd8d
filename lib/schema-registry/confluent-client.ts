// The client alone: the package's index would load the key managers of three clouds.
import { SchemaRegistryClient } from '@confluentinc/schemaregistry/dist/schemaregistry-client.js';
import type { RegistryClient } from './registry-client.js';

/** One request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;
/** The engine tries again after these. */
const RETRIES_MAX = 2;
const RETRY_WAIT_MS = 200;
const RETRY_WAIT_MAX_MS = 2_000;

/** Where a registry is. */
export interface RegistryAddress {
  /** Of one registry, all of one cluster: asked in order until one answers. Apicurio's end in `/apis/ccompat/v7`. */
  readonly urls: readonly string[];
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** Confluent's client with bounds of ours. */
export function confluentClient({ urls, credentials }: RegistryAddress): RegistryClient {
  return new SchemaRegistryClient({
    baseURLs: [...urls],
    createAxiosDefaults: { timeout: REQUEST_TIMEOUT_MS },
    maxRetries: RETRIES_MAX,
    retriesWaitMs: RETRY_WAIT_MS,
    retriesMaxWaitMs: RETRY_WAIT_MAX_MS,
    ...(credentials === undefined
      ? {}
      : {
          basicAuthCredentials: {
            credentialsSource: 'USER_INFO' as const,
            userInfo: `${credentials.username}:${credentials.password}`,
          },
        }),
  });
}
