/**
 * Reads a secret from AWS Secrets Manager. Loaded by those alone who have one: the client costs every cold start otherwise.
 *
 * Errors name the secret and what the service called the failure, and nothing else: no cause is kept, since what a client says of an
 * answer that it can not read may quote the answer.
 */
import {
  GetSecretValueCommand,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
  SecretsManagerServiceException,
} from '@aws-sdk/client-secrets-manager';
import { InvalidSettingError, type StreamsError, UnavailableError } from '../model/errors.js';

const MAX_ATTEMPTS = 3;
const CONNECT_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;

/** Refusals that stay until somebody changes something; all else is tried again. */
const LASTING: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'Correct the ARN and its region, or create the secret.',
  InvalidRequestException: 'Restore the secret, or give it a current value.',
  InvalidParameterException: 'Give the ARN of the secret, or its name.',
  ValidationException: 'Give the ARN of the secret, or its name.',
  AccessDeniedException:
    'Let the role call secretsmanager:GetSecretValue on it and, where a key of yours encrypts it, kms:Decrypt (infra/kafka-secret.yml).',
  DecryptionFailure:
    'Enable the key that encrypts the secret, and let the role call kms:Decrypt (infra/kafka-secret.yml).',
  UnrecognizedClientException: 'Correct the credentials.',
  CredentialsProviderError: 'Give credentials: a role, a profile, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
};

/**
 * The current value of a secret, as text.
 *
 * @param secretId its ARN or name
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if it is not there, has no text, or may not be read ·
 *   {UnavailableError} STREAMS_UNAVAILABLE if the service was slow or away
 */
export async function readSecret(secretId: string, config: SecretsManagerClientConfig = {}): Promise<string> {
  const client = new SecretsManagerClient({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    ...config,
  });
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
    if (SecretString !== undefined) return SecretString;
  } catch (thrown) {
    throw asSecretError(secretId, thrown);
  } finally {
    client.destroy();
  }
  throw new InvalidSettingError(`secret ${secretId} has no text`, {
    details: { secret: secretId },
    remedy: 'Give the secret a text instead of bytes.',
  });
}

function asSecretError(secretId: string, thrown: unknown): StreamsError {
  const { name, code } = thrown as { readonly name?: unknown; readonly code?: unknown };
  const error = typeof name === 'string' ? name : 'Error';
  const details = { secret: secretId, error, ...(typeof code === 'string' && { code }) };
  const words = thrown instanceof SecretsManagerServiceException ? `: ${thrown.message}` : '';
  const message = `secret ${secretId} can not be read: ${error}${words}`;
  const remedy = LASTING[error];
  return remedy === undefined
    ? new UnavailableError(message, { details })
    : new InvalidSettingError(message, { details, remedy });
}
