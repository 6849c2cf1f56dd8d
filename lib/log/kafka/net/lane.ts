/**
 * One connection to a broker, used for one request at a time.
 *
 * A broker works on one request of a connection after the other: a long poll, or an append that waits for its replicas, holds
 * up everything behind it. So a request gets a connection of its own from a pool, and no request waits for another.
 */
import kafkajs from 'kafkajs';
import { InvalidSettingError } from '../../../model/errors.js';
import { ConnectionFailure } from '../failures.js';
import { type Api, type ApiRequest, type ApiResponse, decodeResponse, encodeRequest } from '../protocol/api.js';
import { errorCodeInfo } from '../protocol/error-codes.js';
import type { KafkajsBroker, KafkajsConnection, RawRequest, RawResponse } from './kafkajs-internals.js';
import { GIVEN_UP } from './sockets.js';

const NOTHING = Buffer.alloc(0);

export class Lane {
  lastUsedMs: number;
  wasGivenUp = false;
  private readonly broker: KafkajsBroker;
  private readonly connection: KafkajsConnection;
  private broken = false;
  private isBusy = false;

  private constructor(broker: KafkajsBroker, connection: KafkajsConnection, nowMs: number) {
    this.broker = broker;
    this.connection = connection;
    this.lastUsedMs = nowMs;
  }

  /** Connects and authenticates. @throws {ConnectionFailure} */
  static async open(broker: KafkajsBroker, nowMs: number): Promise<Lane> {
    try {
      await broker.connect();
      return new Lane(broker, await broker.connectionPool.getConnection(0), nowMs);
    } catch (cause) {
      const { message } = cause as Error;
      throw new ConnectionFailure(`can not connect: ${message}`, {
        cause,
        maybeSent: false,
        isRefusal: isRefusal(cause),
      });
    }
  }

  get isUsable(): boolean {
    return !this.broken && this.connection.isConnected();
  }

  /** What the broker speaks. */
  get versions(): KafkajsBroker['versions'] {
    return this.broker.versions;
  }

  /** @throws {ConnectionFailure} · {MalformedResponse}; the lane is of no use after either */
  async send<T>(asked: ApiRequest<T>, timeoutMs: number): Promise<ApiResponse<T>> {
    const request = asked.older !== undefined && !this.speaks(asked.api) ? asked.older : asked;
    this.checkVersion(request);
    let answer: RawResponse;
    this.isBusy = true;
    try {
      answer = await this.connection.send(asRaw(request, timeoutMs));
    } catch (cause) {
      this.destroy();
      // Before a session ends kafkajs authenticates again on the connection (KIP-368), and the request waits for that. Where it is
      // refused nothing was sent, and whether we may come back is for a new login to say.
      throw new ConnectionFailure(`${request.api.name}: ${(cause as Error).message}`, {
        cause,
        maybeSent: !isRefusal(cause),
      });
    } finally {
      this.isBusy = false;
    }
    try {
      return decodeResponse(request, answer.payload);
    } catch (thrown) {
      this.destroy();
      throw thrown;
    }
  }

  /** Closes it because nobody waits for the answer any more: says nothing about the broker. */
  giveUp(): void {
    this.wasGivenUp = true;
    this.destroy();
  }

  /** Closes the socket now; a request that waits on it fails. */
  destroy(): void {
    if (this.broken) return;
    this.broken = true;
    // An idle connection ends quietly; one with a request needs the error, without which kafkajs would wait for its time-out.
    if (this.isBusy) this.connection.socket?.destroy(new Error(GIVEN_UP));
    else this.connection.socket?.destroy();
    // kafkajs stops its timers here; the socket is gone already, and so are its errors.
    this.broker.disconnect().catch(() => undefined);
  }

  /** Whether the broker speaks a version, as far as is known. */
  private speaks({ key, version }: Api): boolean {
    const { versions } = this.broker;
    if (versions === null) return true;
    const range = versions[key];
    return range !== undefined && range.minVersion <= version && version <= range.maxVersion;
  }

  /** A broker closes the connection over a version that it does not speak: said here instead, in words. */
  private checkVersion({ api }: ApiRequest<unknown>): void {
    if (this.speaks(api)) return;
    const range = this.broker.versions?.[api.key];
    const spoken = range === undefined ? 'not at all' : `in versions ${range.minVersion} to ${range.maxVersion}`;
    throw new ConnectionFailure(`${api.name} version ${api.version} is needed, the broker speaks it ${spoken}`, {
      maybeSent: false,
      isRefusal: true,
    });
  }
}

/** Whether the broker said no to who we are or how we say it; kafkajs has a class for some of these and codes for others. */
function isRefusal(cause: unknown): boolean {
  if (cause instanceof kafkajs.KafkaJSSASLAuthenticationError || cause instanceof InvalidSettingError) return true;
  if (!(cause instanceof kafkajs.KafkaJSProtocolError) || !('code' in cause)) return false;
  return errorCodeInfo(Number(cause.code)).action === 'refused';
}

function asRaw(request: ApiRequest<unknown>, timeoutMs: number): RawRequest {
  const { key, version, name } = request.api;
  return {
    requestTimeout: timeoutMs + (request.brokerWaitMs ?? 0),
    logResponseError: false,
    request: {
      apiKey: key,
      apiVersion: version,
      apiName: name,
      encode: async () => ({ buf: NOTHING, buffer: encodeRequest(request) }),
    },
    response: {
      decode: async (payload) => ({ payload, clientSideThrottleTime: null }),
      parse: async (decoded) => decoded,
    },
  };
}
