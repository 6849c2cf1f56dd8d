/** One page with the counts and members, the JSON behind it, and two things to press. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const MAX_BODY_BYTES = 1024;

/** What the page shows and does; errors thrown by these are answered with their message. */
export interface PageActions {
  state(): Promise<unknown>;
  setMembers(count: number): Promise<void>;
  crash(memberId: string): void;
  word(word: string): Promise<unknown>;
}

/** A request that is answered with 4xx and a message. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Serves the page on localhost.
 *
 * @param port 0 for any free port; a taken port becomes any free one, since a demonstration must not fail for that
 * @returns the server and the port it got
 */
export async function servePage(
  port: number,
  actions: PageActions,
): Promise<{ readonly server: Server; readonly port: number }> {
  const page = await readFile(new URL('page.html', import.meta.url));
  const server = createServer((request, response) => {
    void answer(page, actions, request, response);
  });
  const got = await listen(server, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return listen(server, 0);
  });
  return { server, port: got };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, 'localhost', () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function answer(
  page: Buffer,
  actions: PageActions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await route(page, actions, request);
    const isPage = Buffer.isBuffer(body);
    response.writeHead(200, {
      'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json',
      'cache-control': 'no-store',
    });
    response.end(isPage ? body : JSON.stringify(body));
  } catch (error) {
    const status = error instanceof BadRequest ? error.status : 500;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: error instanceof Error ? error.message : String(error) }));
  }
}

async function route(page: Buffer, actions: PageActions, request: IncomingMessage): Promise<unknown> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const [, api, subject, id, verb] = pathname.split('/');
  const asked = `${request.method} ${[api, subject, id === undefined ? undefined : ':id', verb].filter((part) => part !== undefined).join('/')}`;
  switch (asked) {
    case 'GET ':
      return page;
    case 'GET api/state':
      return actions.state();
    case 'GET api/words/:id':
      return actions.word(decodeURIComponent(id ?? ''));
    case 'POST api/members':
      await actions.setMembers(membersOf(await jsonBody(request)));
      return {};
    case 'POST api/members/:id/crash':
      await jsonBody(request);
      actions.crash(id ?? '');
      return {};
    default:
      throw new BadRequest(404, `there is no ${request.method} ${pathname}`);
  }
}

/** Bodies must say that they are JSON: a page of another origin cannot send that without being asked first. */
async function jsonBody(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json')
    throw new BadRequest(415, 'the body must be application/json');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) throw new BadRequest(413, `the body is larger than ${MAX_BODY_BYTES} bytes`);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new BadRequest(400, 'the body is no JSON');
  }
}

function membersOf(body: unknown): number {
  const members = typeof body === 'object' && body !== null ? (body as { members?: unknown }).members : undefined;
  if (typeof members !== 'number') throw new BadRequest(400, '{ "members": <number> } is wanted');
  return members;
}
