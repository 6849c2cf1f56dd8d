/**
 * How the command line reaches an application that keeps its tables in its own process: a socket file (a named pipe on Windows) on
 * which each connection asks one thing.
 *
 *   I1  one line of JSON each way: the request, then `{"ok":true,"answer":…}` or `{"ok":false,"error":{code,message,remedy}}`
 *   I2  who may use the socket is a matter of the file's permissions: its owner alone
 *   I3  a request of more than {@link MAX_REQUEST_BYTES}, or that does not come within {@link REQUEST_TIMEOUT_MS}, is cut off
 */
import { chmodSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { asStreamsError, CommandRefusedError, StreamsError, UnavailableError } from '../model/errors.js';
import type { ApplicationView } from './application-view.js';
import { type Answers, answer, type Command, isRequest, type Request } from './request.js';

const MAX_REQUEST_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 5_000;
/** How long an answer is waited for: that of `lag` asks brokers. */
const ANSWER_TIMEOUT_MS = 60_000;
const OWNER_ALONE = 0o600;
const NAMED_PIPE = /^\\\\[.?]\\pipe\\/;

/** An open socket. */
export interface Inspection {
  close(): Promise<void>;
}

/**
 * Opens the socket; a file that an earlier process has left there goes.
 *
 * @throws {CommandRefusedError} STREAMS_COMMAND_REFUSED if nothing can listen there: no folder, too long a path
 */
export async function openInspection(path: string, view: () => ApplicationView): Promise<Inspection> {
  const isFile = !NAMED_PIPE.test(path);
  if (isFile) rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('close', () => open.delete(socket)));
    serve(socket, view);
  });
  await listening(server, path);
  if (isFile) chmodSync(path, OWNER_ALONE);
  server.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new CommandRefusedError(`nothing can listen at ${path}: ${cause.message}`, {
          cause,
          details: { path },
          remedy: 'Give the path of a socket file in a folder that there is, of at most about 100 characters.',
        }),
      ),
    );
    server.listen(path, () => resolve());
  });
}

function serve(socket: Socket, view: () => ApplicationView): void {
  let text = '';
  socket.setEncoding('utf8');
  socket.setTimeout(REQUEST_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy()); // who asked has gone
  socket.on('data', (chunk: string) => {
    text += chunk;
    if (text.length > MAX_REQUEST_BYTES) socket.destroy();
    else if (text.endsWith('\n')) {
      socket.setTimeout(0);
      void reply(text, view).then((line) => socket.end(`${line}\n`));
    }
  });
}

/** Never throws: an error is an answer too. */
async function reply(text: string, view: () => ApplicationView): Promise<string> {
  try {
    const request: unknown = JSON.parse(text);
    if (!isRequest(request)) throw new CommandRefusedError('that is no command of this version');
    return JSON.stringify({ ok: true, answer: await answer(view(), request) });
  } catch (thrown) {
    const { code, message, remedy } = asStreamsError(thrown);
    return JSON.stringify({ ok: false, error: { code, message, remedy } });
  }
}

/**
 * Asks the application behind a socket.
 *
 * @throws {UnavailableError} STREAMS_UNAVAILABLE if nobody answers there · what the command throws there, as a
 *   {StreamsError} of the same code
 */
export async function askSocket<C extends Command>(path: string, request: Request<C>): Promise<Answers[C]> {
  const answered = JSON.parse(await exchange(path, JSON.stringify(request))) as
    | { readonly ok: true; readonly answer: Answers[C] }
    | { readonly ok: false; readonly error: Pick<StreamsError, 'code' | 'message' | 'remedy'> };
  if (answered.ok) return answered.answer;
  const { code, message, remedy } = answered.error;
  throw new StreamsError(code, message, { remedy });
}

function exchange(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const away = (why: string, cause?: Error) =>
      reject(
        new UnavailableError(`no application answers at ${path}: ${why}`, {
          cause,
          details: { path },
          remedy: 'Start the application with `LocalStreams.start({ …, inspect: path })`, or correct the path.',
        }),
      );
    let text = '';
    const socket = createConnection(path, () => socket.write(`${line}\n`));
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error(`nothing within ${ANSWER_TIMEOUT_MS} ms`)));
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => (text === '' ? away('it has hung up') : resolve(text)));
    socket.on('error', (cause) => away(cause.message, cause));
  });
}
