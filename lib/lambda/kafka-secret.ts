/**
 * Who we are to Kafka, from a secret: the JSON that Amazon MSK asks for in its SASL/SCRAM secrets (`AmazonMSK_…`),
 * `{"username": "…", "password": "…"}`, and beside these, if the brokers' certificates need it, `"ca"`.
 *
 * Nothing of its value becomes part of an error or a line of the log; what names it there is its ARN.
 */
import type { Logger } from '../host/host.js';
import type { CredentialsSource, KafkaCredentials } from '../log/kafka/sasl.js';
import { InvalidSettingError } from '../model/errors.js';

export interface KafkaSecret extends KafkaCredentials {
  /** Authorities to trust instead of the system's, PEM. */
  readonly ca?: string;
}

/** The current text of a secret. */
export type SecretReader = (secretId: string) => Promise<string>;

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING if the secret is not of that form · whatever `readSecret` throws */
export async function readKafkaSecret(secretId: string, readSecret: SecretReader): Promise<KafkaSecret> {
  return parseKafkaSecret(secretId, await readSecret(secretId));
}

/**
 * The first reading, until a broker refuses it: then what the secret is by now. Environments that are warm when a password is
 * rotated go on so.
 */
export function credentialsFromSecret(options: {
  readonly secretId: string;
  readonly first: KafkaCredentials;
  readonly readSecret: SecretReader;
  readonly logger: Logger;
}): CredentialsSource {
  const { secretId, first, readSecret, logger } = options;
  return async (refused) => {
    if (refused === null) return first;
    const read = await readKafkaSecret(secretId, readSecret);
    const isNew = read.username !== refused.username || read.password !== refused.password;
    logger.warn('kafka-login-refused', { secret: secretId, secretHasChanged: isNew });
    return read;
  };
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING naming the secret and the field that is wrong, and nothing of its value */
function parseKafkaSecret(secretId: string, text: string): KafkaSecret {
  const fields = parseObject(text);
  if (fields === null) throw malformed(secretId, 'is no JSON object');
  const { username, password, ca } = fields;
  if (typeof username !== 'string' || username === '') throw malformed(secretId, 'has no username');
  if (typeof password !== 'string' || password === '') throw malformed(secretId, 'has no password');
  if (ca === undefined || ca === '') return { username, password };
  if (typeof ca !== 'string') throw malformed(secretId, "has a 'ca' that is no text");
  return { username, password, ca };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // The parser's error quotes the text.
    return null;
  }
}

function malformed(secretId: string, what: string): InvalidSettingError {
  return new InvalidSettingError(`MILLRACE_KAFKA_SECRET: secret ${secretId} ${what}`, {
    details: { name: 'MILLRACE_KAFKA_SECRET', secret: secretId },
    remedy: 'Give the secret the form {"username": "…", "password": "…"}, and where it is needed "ca", all texts.',
  });
}
