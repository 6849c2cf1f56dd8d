/**
 * The parts of kafkajs 2.2.4 that we stand on: how it opens a connection (TCP, TLS, SASL), frames requests and gives up on
 * silent ones. Nothing else of it is used: what it reads and how it handles transactions was found wrong on a broker
 * (docs/decisions/0010-kafkajs-connects-the-protocol-is-ours.md).
 *
 * kafkajs hands its `Cluster` to a custom partition assigner when a consumer is *constructed*; nothing joins a group. The
 * members below are not in its types. Its version is pinned exactly, and their presence is checked once, here.
 */
import type { Socket } from 'node:net';
import type { ApiVersions, Cluster, Kafka, PartitionAssigner } from 'kafkajs';
import { InternalError } from '../../../model/errors.js';

/** A request in the form in which kafkajs's connections take it. */
export interface RawRequest {
  readonly requestTimeout: number;
  readonly logResponseError: false;
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    /** kafkajs takes what looks like one of its encoders: `buf` is looked at, `buffer` is sent. */
    encode(): Promise<{ readonly buf: Buffer; readonly buffer: Buffer }>;
  };
  readonly response: {
    decode(payload: Buffer): Promise<RawResponse>;
    parse(decoded: RawResponse): Promise<RawResponse>;
  };
}

export interface RawResponse {
  readonly payload: Buffer;
  /** Null: we throttle by ourselves, per node and not per connection. */
  readonly clientSideThrottleTime: null;
}

/** One connection of kafkajs's. */
export interface KafkajsConnection {
  /** Absent before the first attempt to connect. */
  readonly socket?: Socket;
  isConnected(): boolean;
  send(request: RawRequest): Promise<RawResponse>;
}

interface KafkajsConnectionPool {
  getConnection(index: number): Promise<KafkajsConnection>;
}

/** A broker as kafkajs knows it; `connect` connects, asks for versions and authenticates. */
export interface KafkajsBroker {
  readonly connectionPool: KafkajsConnectionPool;
  readonly versions: ApiVersions | null;
  isConnected(): boolean;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

interface KafkajsBrokerPool {
  readonly rootLogger: unknown;
  readonly connectionPoolBuilder: {
    build(to: { readonly host: string; readonly port: number }): Promise<KafkajsConnectionPool>;
  };
  createBroker(options: {
    readonly logger: unknown;
    readonly versions: ApiVersions | null;
    readonly connectionPool: KafkajsConnectionPool;
  }): KafkajsBroker;
}

/** Opens brokers of their own connections, one after the other, anywhere. */
export interface KafkajsBrokers {
  /** A broker that is not yet connected. @param versions known from an earlier connection to it, else null */
  broker(to: { readonly host: string; readonly port: number }, versions: ApiVersions | null): Promise<KafkajsBroker>;
}

/** @throws {InternalError} STREAMS_INTERNAL if this kafkajs is not made as expected */
export function kafkajsBrokers(kafka: Kafka): KafkajsBrokers {
  const pool = brokerPoolOf(clusterOf(kafka));
  return {
    async broker(to, versions) {
      const connectionPool = await pool.connectionPoolBuilder.build(to);
      return pool.createBroker({ logger: pool.rootLogger, versions, connectionPool });
    },
  };
}

function clusterOf(kafka: Kafka): Cluster {
  let found: Cluster | undefined;
  const capture: PartitionAssigner = ({ cluster }) => {
    found = cluster;
    return {
      name: 'capture',
      version: 0,
      protocol: () => ({ name: 'capture', metadata: Buffer.alloc(0) }),
      assign: async () => [],
    };
  };
  kafka.consumer({ groupId: 'never-joined', allowAutoTopicCreation: false, partitionAssigners: [capture] });
  if (found === undefined) throw unexpected('no cluster was handed to the partition assigner');
  return found;
}

function brokerPoolOf(cluster: Cluster): KafkajsBrokerPool {
  const { brokerPool } = cluster as unknown as { readonly brokerPool?: Partial<KafkajsBrokerPool> };
  const { rootLogger, connectionPoolBuilder, createBroker } = brokerPool ?? {};
  if (typeof createBroker !== 'function' || typeof connectionPoolBuilder?.build !== 'function')
    throw unexpected('its broker pool opens no brokers');
  return { rootLogger, connectionPoolBuilder, createBroker };
}

function unexpected(what: string): InternalError {
  return new InternalError(`this is not kafkajs 2.2.4: ${what}`, {
    remedy: 'Install kafkajs 2.2.4, the version that package.json pins.',
  });
}
