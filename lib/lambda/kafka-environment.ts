/**
 * How to reach Kafka, from environment variables; docs/architecture.md lists them. Words are Kafka's (`security.protocol`,
 * `sasl.mechanism`). Passwords are read from variables and never part of a message.
 */
import type { Host } from '../host/host.js';
import type { KafkaLogOptions } from '../log/kafka/kafka-log-options.js';
import type { KafkaSaslOptions } from '../log/kafka/sasl.js';
import { InvalidSettingError } from '../model/errors.js';
import { type Environment, requiredVariable } from './environment.js';

const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;
const MECHANISMS = { PLAIN: 'plain', 'SCRAM-SHA-256': 'scram-sha-256', 'SCRAM-SHA-512': 'scram-sha-512' } as const;
const COMPRESSIONS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/**
 * The options of the Kafka log; an empty variable counts as absent.
 *
 * @param clientId how the brokers' logs and quotas name us
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING naming the variable that is absent or wrong
 */
export function kafkaLogOptions(environment: Environment, clientId: string, host: Host): KafkaLogOptions {
  const brokers = requiredVariable(environment, 'MILLRACE_KAFKA_BROKERS')
    .split(',')
    .map((broker) => broker.trim());
  const protocol = choice(environment, 'MILLRACE_KAFKA_SECURITY_PROTOCOL', PROTOCOLS) ?? 'PLAINTEXT';
  const ca = environment.MILLRACE_KAFKA_CA;
  const compression = choice(environment, 'MILLRACE_KAFKA_COMPRESSION', COMPRESSIONS);
  return {
    brokers,
    clientId,
    tls: protocol.endsWith('SSL') && (ca ? { ca: pem(ca) } : true),
    ...(protocol.startsWith('SASL') ? { sasl: saslOptions(environment) } : {}),
    ...(compression === undefined ? {} : { compression }),
    host,
  };
}

function saslOptions(environment: Environment): KafkaSaslOptions {
  const names = Object.keys(MECHANISMS) as (keyof typeof MECHANISMS)[];
  const name = choice(environment, 'MILLRACE_KAFKA_SASL_MECHANISM', names);
  if (name === undefined) requiredVariable(environment, 'MILLRACE_KAFKA_SASL_MECHANISM');
  return {
    mechanism: MECHANISMS[name ?? 'PLAIN'],
    username: requiredVariable(environment, 'MILLRACE_KAFKA_SASL_USERNAME'),
    password: requiredVariable(environment, 'MILLRACE_KAFKA_SASL_PASSWORD'),
  };
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
