/** What a connection to Kafka needs to know; checked before anything is opened. */
import type { Host } from '../../host/host.js';
import { InvalidSettingError } from '../../model/errors.js';
import type { Address } from './net/transport.js';
import type { CompressionName } from './records/codecs.js';
import { checkSasl, type KafkaSaslOptions } from './sasl.js';

/** Certificates in PEM. `cert` and `key` together make it mutual TLS. */
export interface KafkaTlsOptions {
  /** Authorities to trust instead of the system's. */
  readonly ca?: string | readonly string[];
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** `false` accepts any certificate: for tests only. Default true. */
  readonly rejectUnauthorized?: boolean;
}

export interface KafkaLogOptions {
  /** Brokers to begin with, `host:port` each; the others are learnt from them. Kafka: `bootstrap.servers`. */
  readonly brokers: readonly string[];
  /** Who this is, in the brokers' logs and quotas. Default `millrace`. Kafka: `client.id`. */
  readonly clientId?: string;
  /** `true` trusts the system's authorities. Default: no TLS. */
  readonly tls?: boolean | KafkaTlsOptions;
  readonly sasl?: KafkaSaslOptions;
  /** How records are written; all compressions are read. Default `none`. Kafka: `compression.type`. */
  readonly compression?: CompressionName;
  /** How long a connection may take to open. Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** How long a broker may take to answer, apart from the wait of a long poll. Default 10 s. Kafka: `request.timeout.ms`. */
  readonly requestTimeoutMs?: number;
  /** How long a call is tried again before it fails. Default 30 s. Kafka: `default.api.timeout.ms`. */
  readonly retryTimeoutMs?: number;
  /**
   * When a producer's `commit` and `abort` return: `decided` (default, as Kafka's client) as soon as the outcome is certain,
   * some milliseconds before readers see it; `visible` when they do.
   */
  readonly endReturns?: 'decided' | 'visible';
  readonly host: Host;
}

/** The options with their defaults. */
export interface ResolvedKafkaLogOptions {
  readonly bootstrap: readonly Address[];
  readonly clientId: string;
  readonly tls: boolean | KafkaTlsOptions;
  readonly sasl: KafkaSaslOptions | undefined;
  readonly compression: CompressionName;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly retryTimeoutMs: number;
  readonly awaitMarkers: boolean;
  readonly host: Host;
}

const COMPRESSIONS: readonly CompressionName[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_PORT = 65_535;

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING for an option that makes no sense */
export function resolveKafkaLogOptions(options: KafkaLogOptions): ResolvedKafkaLogOptions {
  const { brokers, clientId = 'millrace', tls = false, sasl, compression = 'none', endReturns = 'decided' } = options;
  if (!Array.isArray(brokers) || brokers.length === 0) throw invalid('brokers', brokers, "a list of 'host:port'");
  if (typeof clientId !== 'string' || clientId === '') throw invalid('clientId', clientId, 'a text');
  if (!COMPRESSIONS.includes(compression))
    throw invalid('compression', compression, `one of ${COMPRESSIONS.join(', ')}`);
  if (endReturns !== 'decided' && endReturns !== 'visible')
    throw invalid('endReturns', endReturns, "'decided' or 'visible'");
  if (typeof tls === 'object' && (tls.cert === undefined) !== (tls.key === undefined))
    throw invalid('tls', Object.keys(tls), 'a certificate and its key together');
  if (sasl !== undefined) checkSasl(sasl);
  return {
    bootstrap: brokers.map(parseBroker),
    clientId,
    tls,
    sasl,
    compression,
    connectTimeoutMs: timeout('connectTimeoutMs', options.connectTimeoutMs, 10_000),
    requestTimeoutMs: timeout('requestTimeoutMs', options.requestTimeoutMs, 10_000),
    retryTimeoutMs: timeout('retryTimeoutMs', options.retryTimeoutMs, 30_000),
    awaitMarkers: endReturns === 'visible',
    host: options.host,
  };
}

/** `host:port`; an IPv6 address is in brackets. */
function parseBroker(text: string): Address {
  const match = typeof text === 'string' ? /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/]+)):(\d{1,5})$/.exec(text.trim()) : null;
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port < 1 || port > MAX_PORT) throw invalid('brokers', text, "'host:port'");
  return { host, port };
}

function timeout(name: string, value: number | undefined, ifAbsent: number): number {
  const ms = value ?? ifAbsent;
  if (!Number.isSafeInteger(ms) || ms < 1 || ms > LONGEST_TIMEOUT_MS)
    throw invalid(name, value, `whole milliseconds from 1 to ${LONGEST_TIMEOUT_MS}`);
  return ms;
}

function invalid(name: string, value: unknown, expected: string): InvalidSettingError {
  return new InvalidSettingError(`Kafka option ${name}: expected ${expected}`, { details: { name, value } });
}
