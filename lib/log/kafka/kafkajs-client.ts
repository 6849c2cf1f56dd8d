/** The log's options as kafkajs takes them, and what opens connections by them. */
import type { ConnectionOptions } from 'node:tls';
import kafkajs from 'kafkajs';
import { InternalError, StreamsError } from '../../model/errors.js';
import type { KafkaTlsOptions, ResolvedKafkaLogOptions } from './kafka-log-options.js';
import { kafkajsBrokers } from './net/kafkajs-internals.js';
import { kafkajsLogCreator } from './net/kafkajs-logging.js';
import { fixedLogins, type Logins, renewableLogins } from './net/logins.js';
import type { Sockets } from './net/sockets.js';
import { checkSasl, type FixedSaslOptions, kafkajsSasl } from './sasl.js';

/** @throws {InternalError} STREAMS_INTERNAL if kafkajs is not the version that we stand on */
export function loginsOf(options: ResolvedKafkaLogOptions, sockets: Sockets): Logins {
  const { sasl } = options;
  const brokersWith = (fixed: FixedSaslOptions | undefined) => kafkajsBrokers(kafkaOf(options, fixed, sockets));
  if (sasl === undefined || !('credentials' in sasl)) return fixedLogins(brokersWith(sasl));
  return renewableLogins(sasl.credentials, ({ username, password }) => {
    const fixed = { mechanism: sasl.mechanism, username, password };
    checkSasl(fixed);
    return brokersWith(fixed);
  });
}

function kafkaOf(
  options: ResolvedKafkaLogOptions,
  sasl: FixedSaslOptions | undefined,
  sockets: Sockets,
): kafkajs.Kafka {
  const { bootstrap, clientId, tls, connectTimeoutMs, requestTimeoutMs, host } = options;
  try {
    return new kafkajs.Kafka({
      brokers: bootstrap.map((address) => `${address.host}:${address.port}`),
      clientId,
      ...(tls !== false && { ssl: kafkajsTls(tls) }),
      ...(sasl !== undefined && { sasl: kafkajsSasl(sasl) }),
      connectionTimeout: connectTimeoutMs,
      authenticationTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
      // Retries are decided in one place, and that is not there.
      retry: { retries: 0 },
      socketFactory: sockets.factory,
      logLevel: kafkajs.logLevel.WARN,
      logCreator: kafkajsLogCreator(host.logger, host.clock),
    });
  } catch (cause) {
    if (cause instanceof StreamsError) throw cause;
    throw new InternalError(`kafkajs refused its configuration: ${(cause as Error).message}`, { cause });
  }
}

function kafkajsTls(tls: true | KafkaTlsOptions): true | ConnectionOptions {
  if (tls === true) return true;
  const { ca, ...rest } = tls;
  return { ...rest, ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }) };
}
