/** Answers over HTTP: JSON bodies, and the status that an error of ours means. */
import type { StreamsError } from '../model/errors.js';

/** What a function URL sends back (payload format 2.0). */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** Whole numbers beyond 2^53 are written as text, bytes as base64. */
export function jsonResponse(statusCode: number, body: unknown): HttpResponse {
  return { statusCode, headers: HEADERS, body: JSON.stringify(body, plain) };
}

/**
 * An error as a response: 400 where the request is wrong, 503 where asking again may help, else 500.
 * The body is `{code, message, remedy}`; causes and details stay in the log, and so does the message of an unforeseen error,
 * which may say anything.
 */
export function errorResponse(error: StreamsError, statusCode = statusOf(error)): HttpResponse {
  const { code, kind, remedy } = error;
  const message = kind === 'internal' ? 'the query failed; the log of the function says why' : error.message;
  return jsonResponse(statusCode, { code, message, remedy });
}

function statusOf(error: StreamsError): number {
  if (error.code === 'STREAMS_QUERY_REFUSED' || error.code === 'STREAMS_INVALID_PAYLOAD') return 400;
  return error.kind === 'transient' ? 503 : 500;
}

function plain(this: unknown, name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : String(value);
  // JSON.stringify has asked a Buffer for its toJSON by now; the holder still has the bytes.
  const held = (this as Record<string, unknown>)[name];
  return held instanceof Uint8Array ? Buffer.from(held).toString('base64') : value;
}

function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}
