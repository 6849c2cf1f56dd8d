/**
 * A TCP proxy in front of a broker, through which a test loses connections at the moment of its choice.
 *
 * It knows as much of Kafka as it needs to tell requests apart: each is a length (i32), then the number of its kind (i16). The
 * clients under test send one request at a time on a connection, so that "its answer" is what comes back next.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** `pass` it on · `drop` the connection before the broker sees the request · `lose-answer` after it has answered. */
export type Fate = 'pass' | 'drop' | 'lose-answer';

const LENGTH_BYTES = 4;

export class TcpProxy {
  /** Decides about each request before it is passed on. */
  onRequest: (apiKey: number) => Fate | Promise<Fate> = () => 'pass';
  /** `false` refuses connections, as a broker that is down does. */
  isOpen = true;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private target = 0;

  private constructor(server: Server) {
    this.server = server;
    server.on('connection', (client) => this.accept(client));
  }

  /** Listens on a free port of 127.0.0.1; `forwardTo` says where to. */
  static async start(): Promise<TcpProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new TcpProxy(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  /** Connections of clients that are open now. */
  get connections(): number {
    return this.sockets.size / 2;
  }

  /** @param broker `host:port` on this machine */
  forwardTo(broker: string): void {
    this.target = Number(broker.slice(broker.lastIndexOf(':') + 1));
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  private accept(client: Socket): void {
    if (!this.isOpen) {
      client.resetAndDestroy();
      return;
    }
    const broker = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    this.tie(client, broker);
    let losesAnswer = false;
    broker.on('data', (answer) => {
      if (losesAnswer) client.resetAndDestroy();
      else client.write(answer);
    });
    let turn = Promise.resolve();
    const frames = new Frames((frame) => {
      turn = turn.then(async () => {
        const fate = await this.onRequest(frame.readInt16BE(LENGTH_BYTES));
        if (fate === 'drop') client.resetAndDestroy();
        losesAnswer = fate === 'lose-answer';
        if (fate !== 'drop' && !broker.destroyed) broker.write(frame);
      });
    });
    client.on('data', (bytes) => frames.add(bytes));
  }

  private tie(one: Socket, other: Socket): void {
    for (const [socket, peer] of [
      [one, other],
      [other, one],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('end', () => peer.end());
      socket.on('close', () => {
        this.sockets.delete(socket);
        peer.destroy();
      });
    }
  }
}

/** Puts a stream's bytes together to whole requests. */
class Frames {
  private readonly onFrame: (frame: Buffer) => void;
  private rest: Buffer = Buffer.alloc(0);

  constructor(onFrame: (frame: Buffer) => void) {
    this.onFrame = onFrame;
  }

  add(bytes: Buffer): void {
    this.rest = Buffer.concat([this.rest, bytes]);
    while (this.rest.length >= LENGTH_BYTES) {
      const length = LENGTH_BYTES + this.rest.readInt32BE(0);
      if (this.rest.length < length) return;
      this.onFrame(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
    }
  }
}
