/**
 * An endpoint before the emulator's, which does to requests what networks and busy services do: emulators never throttle and
 * never lose a reply. Faults are used up in order, one for each request that the fault is for. There is none before AWS, where a
 * request is signed for the host that it is sent to.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { sleep } from '../wait-for.js';
import { listen } from './reachable-server.js';
import type { AwsTarget } from './target.js';

/** What becomes of a request. */
export type Fault =
  /** It never arrives: the connection breaks off. */
  | 'lose-request'
  /** It is carried out, and the connection breaks off before the answer. */
  | 'lose-reply'
  /** It is carried out, and the connection breaks off in the middle of the answer's body. */
  | 'cut-body'
  /** The connection breaks off, and it is carried out later, when its sender has long given it up. */
  | { readonly lateMs: number }
  /** It is answered here, and never arrives. */
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

export interface FaultyEndpoint {
  readonly endpoint: string;
  /** The same, for functions. */
  readonly endpointForFunctions: string;
  /** `METHOD path` of each request that came in, in order; of a call to DynamoDB `METHOD path operation`. */
  readonly seen: readonly string[];
  /** The next `times` requests whose line (as in `seen`) matches meet this fault. */
  inject(fault: Fault, matching?: RegExp, times?: number): void;
  /** Decides about requests for which no fault was injected. Default: nothing happens to them. */
  otherwise: (line: string) => Fault | undefined;
  /** Faults that no request has met so far. */
  readonly pending: number;
  close(): Promise<void>;
}

/** Starts one before the target's. @throws {Error} on AWS */
export async function startFaultyEndpoint(target: AwsTarget): Promise<FaultyEndpoint> {
  const { endpoint: behind } = target;
  if (behind === undefined) throw new Error('there is no endpoint to stand before');
  const seen: string[] = [];
  const faults: { readonly fault: Fault; readonly matching: RegExp }[] = [];

  const server = createServer((incoming, answer) => {
    const line = lineOf(incoming);
    seen.push(line);
    const index = faults.findIndex(({ matching }) => matching.test(line));
    const fault = index < 0 ? faulty.otherwise(line) : faults.splice(index, 1)[0]?.fault;
    bodyOf(incoming)
      .then((body) => serve(behind, incoming, body, answer, fault))
      .catch(() => answer.destroy()); // whoever hangs up, the other side sees the connection end
  });
  const listening = await listen(server, target);

  const faulty: FaultyEndpoint = {
    endpoint: listening.url,
    endpointForFunctions: listening.urlForFunctions,
    seen,
    otherwise: () => undefined,
    get pending() {
      return faults.length;
    },
    inject(fault, matching = /^/, times = 1) {
      for (let time = 0; time < times; time += 1) faults.push({ fault, matching });
    },
    close: () => listening.close(),
  };
  return faulty;
}

function lineOf({ method, url, headers }: IncomingMessage): string {
  const operation = /^DynamoDB_\d+\.(\w+)$/.exec(String(headers['x-amz-target'] ?? ''))?.[1];
  return [method, url, ...(operation === undefined ? [] : [operation])].join(' ');
}

async function serve(
  target: string,
  incoming: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  if (fault === 'lose-request') {
    answer.destroy();
    return;
  }
  if (typeof fault === 'object' && 'lateMs' in fault) {
    answer.destroy();
    await sleep(fault.lateMs);
    await forward(target, incoming, body);
    return;
  }
  if (typeof fault === 'object') {
    answer.writeHead(fault.status, fault.headers).end(fault.body);
    return;
  }
  const { status, headers, bytes } = await forward(target, incoming, body);
  if (fault === 'lose-reply') {
    answer.destroy();
    return;
  }
  answer.writeHead(status, headers);
  if (fault === undefined) answer.end(bytes);
  else answer.write(bytes.subarray(0, bytes.length / 2), () => answer.destroy());
}

function forward(target: string, incoming: IncomingMessage, body: Buffer) {
  return new Promise<{ status: number; headers: IncomingMessage['headers']; bytes: Buffer }>((resolve, reject) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const to = new URL(url, target);
    const send = to.protocol === 'https:' ? requestSecurely : request;
    const outgoing = send(to, { method, headers }, (reply) => {
      bodyOf(reply).then((bytes) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes }), reject);
    });
    outgoing.on('error', reject).end(body);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
