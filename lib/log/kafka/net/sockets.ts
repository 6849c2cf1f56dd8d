/** Opens the sockets of a log and remembers them, so that closing the log closes each at once, whatever waits on it. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_DELAY_MS = 60_000;

/** Why we end a connection in which somebody waits. */
export const LOG_CLOSED = 'the log was closed';
export const GIVEN_UP = 'the connection was given up';
export const OUR_OWN_ENDS: readonly string[] = [LOG_CLOSED, GIVEN_UP];

export class Sockets {
  private readonly open = new Set<Socket>();

  /** For kafkajs's configuration. */
  readonly factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    const serverName = isIP(host) === 0 ? { servername: host } : {};
    const socket = ssl
      ? connectTls({ host, port, ...serverName, ...ssl }, onConnect)
      : connectTcp({ host, port }, onConnect);
    socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
    socket.setNoDelay(true);
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    return socket;
  };

  get size(): number {
    return this.open.size;
  }

  /** Ends every socket now; who waits for an answer gets an error. */
  destroyAll(): void {
    for (const socket of this.open) socket.destroy(new Error(LOG_CLOSED));
  }
}
