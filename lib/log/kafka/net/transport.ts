/**
 * Sends requests to brokers by their address. Long polls have connections apart, so that they can not take all of them.
 *
 * It retries nothing: who sends knows whether a request may be repeated.
 */
import type { ApiVersions } from 'kafkajs';
import type { Clock } from '../../../host/host.js';
import { ConnectionFailure } from '../failures.js';
import type { ApiRequest } from '../protocol/api.js';
import type { KafkajsBrokers } from './kafkajs-internals.js';
import { Lane } from './lane.js';
import { LanePool } from './lane-pool.js';
import type { Logins } from './logins.js';
import type { Pauses } from './pauses.js';
import type { Sockets } from './sockets.js';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface TransportOptions {
  readonly logins: Logins;
  readonly sockets: Sockets;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly requestTimeoutMs: number;
}

/** A request that waits at the broker, and the means to give it up. */
export interface Poll<T> {
  readonly answer: Promise<T>;
  /** Closes its connection: the broker forgets it, and `answer` fails. */
  giveUp(): void;
}

interface Node {
  readonly address: Address;
  readonly requests: LanePool;
  readonly polls: LanePool;
  versions: ApiVersions | null;
  throttledUntilMs: number;
}

export class Transport {
  private readonly options: TransportOptions;
  private readonly nodes = new Map<string, Node>();
  private closed = false;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** Sends and waits for the answer. @throws {ConnectionFailure} · {MalformedResponse} */
  async send<T>(to: Address, request: ApiRequest<T>): Promise<T> {
    const node = this.node(to);
    return this.through(node, node.requests, request, () => undefined);
  }

  /** Sends a request that waits at the broker, such as a long poll. */
  poll<T>(to: Address, request: ApiRequest<T>): Poll<T> {
    const node = this.node(to);
    let lane: Lane | undefined;
    let isGivenUp = false;
    const answer = this.through(node, node.polls, request, (taken) => {
      lane = taken;
      if (isGivenUp) taken.giveUp();
    });
    return {
      answer,
      giveUp: () => {
        isGivenUp = true;
        lane?.giveUp();
      },
    };
  }

  get openConnections(): number {
    return this.options.sockets.size;
  }

  /** Closes every connection at once; what waits on one fails. */
  close(): void {
    this.closed = true;
    for (const { requests, polls } of this.nodes.values()) {
      requests.close();
      polls.close();
    }
    this.options.sockets.destroyAll();
  }

  private async through<T>(
    node: Node,
    pool: LanePool,
    request: ApiRequest<T>,
    onLane: (lane: Lane) => void,
  ): Promise<T> {
    const { clock, pauses, requestTimeoutMs } = this.options;
    const throttledMs = Math.min(node.throttledUntilMs - clock.monotonic(), requestTimeoutMs);
    if (throttledMs > 0) await pauses.pause(throttledMs);
    const lane = await pool.take();
    onLane(lane);
    try {
      const { value, throttleTimeMs } = await lane.send(request, requestTimeoutMs);
      if (throttleTimeMs > 0) node.throttledUntilMs = clock.monotonic() + throttleTimeMs;
      return value;
    } catch (failure) {
      // A version that is not spoken says nothing about the connections; all else does.
      if (failure instanceof ConnectionFailure && !failure.isRefusal && !lane.wasGivenUp) {
        pool.dropIdle();
        node.versions = null;
      }
      throw failure;
    } finally {
      pool.release(lane);
    }
  }

  private node(address: Address): Node {
    const key = `${address.host}:${address.port}`;
    const known = this.nodes.get(key);
    if (known !== undefined) return known;
    const nowMs = () => this.options.clock.monotonic();
    const open = () => this.open(node);
    const node: Node = {
      address,
      requests: new LanePool({ address: key, open, nowMs }),
      polls: new LanePool({ address: key, open, nowMs }),
      versions: null,
      throttledUntilMs: 0,
    };
    this.nodes.set(key, node);
    return node;
  }

  private async open(node: Node): Promise<Lane> {
    const { host, port } = node.address;
    const { logins } = this.options;
    if (this.closed) throw new ConnectionFailure(`${host}:${port}: the log is closed`, { maybeSent: false });
    const brokers = await logins.brokers();
    try {
      return await this.logIn(node, brokers);
    } catch (failure) {
      const isRefusal = failure instanceof ConnectionFailure && failure.isRefusal;
      const renewed = isRefusal ? await logins.renewed(brokers) : null;
      if (renewed === null) throw failure;
      return this.logIn(node, renewed);
    }
  }

  private async logIn(node: Node, brokers: KafkajsBrokers): Promise<Lane> {
    const broker = await brokers.broker(node.address, node.versions);
    const lane = await Lane.open(broker, this.options.clock.monotonic());
    node.versions = lane.versions;
    return lane;
  }
}
