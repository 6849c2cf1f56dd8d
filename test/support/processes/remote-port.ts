/**
 * A port of another process: calls and answers as messages between a parent and its child.
 *
 * Only what the structured clone carries gets across, and errors by their code: as with a service over a network.
 */
import type { ChildProcess } from 'node:child_process';
import { asStreamsError, type ErrorCode, StreamsError } from '../../../lib/model/errors.js';

interface Call {
  readonly kind: 'call';
  readonly id: number;
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
}
type Answer =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly code: ErrorCode; readonly message: string };

/** The two ends of a channel that this needs. */
interface Channel {
  send?(message: unknown): unknown;
  on(event: 'message', listen: (message: unknown) => void): unknown;
}

/** Answers a child's calls of `ports`, by their names. */
export function servePorts(child: ChildProcess, ports: Readonly<Record<string, object>>): void {
  child.on('message', (message: Call) => {
    if (message.kind === 'call') void answer(child, ports, message);
  });
}

async function answer(child: ChildProcess, ports: Readonly<Record<string, object>>, call: Call): Promise<void> {
  const { id, port, method, args } = call;
  let reply: Answer;
  try {
    const target = ports[port];
    if (target === undefined) throw new Error(`there is no port '${port}'`);
    const implementation: unknown = Reflect.get(target, method);
    if (typeof implementation !== 'function') throw new Error(`port '${port}' has no method '${method}'`);
    reply = { kind: 'answer', id, value: await Reflect.apply(implementation, target, args) };
  } catch (thrown) {
    const { code, message } = asStreamsError(thrown);
    reply = { kind: 'failure', id, code, message };
  }
  if (child.connected) child.send(reply, () => undefined); // a child that has just died needs no answer
}

/** Ports that the parent serves. */
export class RemotePorts {
  private readonly channel: Channel;
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  private lastId = 0;

  constructor(channel: Channel) {
    this.channel = channel;
    channel.on('message', (message) => this.receive(message as Answer));
  }

  /** The port that the parent serves under this name; every method of it answers a promise. */
  port<T extends object>(name: string): T {
    const methods = new Proxy(
      {},
      {
        // A port is handed through promises: it must not look like one itself.
        get: (_, method) =>
          typeof method === 'string' && method !== 'then'
            ? (...args: unknown[]) => this.call(name, method, args)
            : undefined,
      },
    );
    return methods as T;
  }

  private call(port: string, method: string, args: readonly unknown[]): Promise<unknown> {
    this.lastId += 1;
    const call: Call = { kind: 'call', id: this.lastId, port, method, args };
    return new Promise((resolve, reject) => {
      this.waiting.set(call.id, { resolve, reject });
      this.channel.send?.(call);
    });
  }

  private receive(message: Answer): void {
    const waiting = this.waiting.get(message.id);
    if (waiting === undefined) return;
    this.waiting.delete(message.id);
    if (message.kind === 'answer') waiting.resolve(message.value);
    else waiting.reject(new StreamsError(message.code, message.message));
  }
}
