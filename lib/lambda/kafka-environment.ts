/**
 * How to reach Kafka, from environment variables; docs/architecture.md lists them. Words are Kafka's (`security.protocol`,
 * `sasl.mechanism`). Passwords are read from a secret, or from variables, and never part of a message.
 */
import type { Host } from '../host/host.js';
import type { KafkaLogOptions } from '../log/kafka/kafka-log-options.js';
import type { KafkaCredentials } from '../log/kafka/sasl.js';
import { InvalidSettingError } from '../model/errors.js';
import { type Environment, requiredVariable } from './environment.js';
import { credentialsFromSecret, type KafkaSecret, readKafkaSecret, type SecretReader } from './kafka-secret.js';

const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;
const MECHANISMS = { PLAIN: 'plain', 'SCRAM-SHA-256': 'scram-sha-256', 'SCRAM-SHA-512': 'scram-sha-512' } as const;
const COMPRESSIONS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/** Variables that a secret takes the place of. */
const PASSWORD_VARIABLES = ['MILLRACE_KAFKA_SASL_USERNAME', 'MILLRACE_KAFKA_SASL_PASSWORD'] as const;
const SECRET = 'MILLRACE_KAFKA_SECRET';

/**
 * The options of the Kafka log; an empty variable counts as absent. A secret is read once, here, and again when a broker
 * refuses the login.
 *
 * @param clientId how the brokers' logs and quotas name us
 * @param readSecret default: from AWS Secrets Manager, whose client is loaded with the first secret
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING naming the variable that is absent or wrong, or the secret ·
 *   {UnavailableError} STREAMS_UNAVAILABLE if Secrets Manager does not answer
 */
export async function kafkaLogOptions(
  environment: Environment,
  clientId: string,
  host: Host,
  readSecret: SecretReader = readFromSecretsManager,
): Promise<KafkaLogOptions> {
  const brokers = requiredVariable(environment, 'MILLRACE_KAFKA_BROKERS')
    .split(',')
    .map((broker) => broker.trim());
  const protocol = choice(environment, 'MILLRACE_KAFKA_SECURITY_PROTOCOL', PROTOCOLS) ?? 'PLAINTEXT';
  const compression = choice(environment, 'MILLRACE_KAFKA_COMPRESSION', COMPRESSIONS);
  const mechanism = protocol.startsWith('SASL') ? saslMechanism(environment) : null;
  const secretId = secretOf(environment, mechanism !== null);
  const secret = secretId === null ? null : await readKafkaSecret(secretId, readSecret);
  const ca = authorities(environment, secret);
  return {
    brokers,
    clientId,
    tls: protocol.endsWith('SSL') && (ca === null ? true : { ca }),
    ...(mechanism !== null && {
      sasl:
        secretId === null || secret === null
          ? { mechanism, ...passwordVariables(environment) }
          : {
              mechanism,
              credentials: credentialsFromSecret({ secretId, first: secret, readSecret, logger: host.logger }),
            },
    }),
    ...(compression === undefined ? {} : { compression }),
    host,
  };
}

async function readFromSecretsManager(secretId: string): Promise<string> {
  const { readSecret } = await import('./secrets-manager.js');
  return readSecret(secretId);
}

function secretOf(environment: Environment, isSasl: boolean): string | null {
  const secretId = environment[SECRET];
  if (!secretId) return null;
  const doubled = PASSWORD_VARIABLES.find((name) => environment[name]);
  if (doubled !== undefined) throw eitherOr(doubled);
  if (isSasl) return secretId;
  throw new InvalidSettingError(`${SECRET} is set, but MILLRACE_KAFKA_SECURITY_PROTOCOL asks for no login`, {
    details: { name: SECRET },
    remedy: 'Set MILLRACE_KAFKA_SECURITY_PROTOCOL to SASL_SSL (or SASL_PLAINTEXT), or take the secret away.',
  });
}

function eitherOr(name: string): InvalidSettingError {
  return new InvalidSettingError(`${SECRET} and ${name} are both given`, {
    details: { names: [SECRET, name] },
    remedy: `Unset ${name}: the secret says it.`,
  });
}

function authorities(environment: Environment, secret: KafkaSecret | null): string | null {
  const variable = environment.MILLRACE_KAFKA_CA;
  if (variable && secret?.ca !== undefined) throw eitherOr('MILLRACE_KAFKA_CA');
  const ca = variable || secret?.ca;
  return ca === undefined || ca === '' ? null : pem(ca);
}

function saslMechanism(environment: Environment): (typeof MECHANISMS)[keyof typeof MECHANISMS] {
  const names = Object.keys(MECHANISMS) as (keyof typeof MECHANISMS)[];
  const name = choice(environment, 'MILLRACE_KAFKA_SASL_MECHANISM', names);
  if (name === undefined) requiredVariable(environment, 'MILLRACE_KAFKA_SASL_MECHANISM');
  return MECHANISMS[name ?? 'PLAIN'];
}

function passwordVariables(environment: Environment): KafkaCredentials {
  const [username, password] = PASSWORD_VARIABLES;
  return { username: requiredVariable(environment, username), password: requiredVariable(environment, password) };
}

/** Certificates lose their line ends in some tools: `\n` written as two characters counts as one. */
function pem(text: string): string {
  return text.replaceAll('\\n', '\n');
}

function choice<T extends string>(environment: Environment, name: string, of: readonly T[]): T | undefined {
  const value = environment[name];
  if (value === undefined || value === '') return undefined;
  const known = of.find((one) => one === value);
  if (known !== undefined) return known;
  throw new InvalidSettingError(`${name}: '${value}' was given`, {
    details: { name, value, known: of },
    remedy: `Set ${name} to one of: ${of.join(', ')}; for anything else give the handler \`options.ports\`.`,
  });
}
