/** What the query function may be called with: a request to its function URL (payload format 2.0). */
import { InvalidPayloadError, QueryRefusedError } from '../model/errors.js';
import { fieldsOf, textOf } from './event-fields.js';

export interface QueryRequest {
  readonly store: string;
  /** As written in the URL, decoded; may be empty. */
  readonly keyText: string;
}

/** `//stores` is what a function URL, which ends in `/`, and a path make that were written one after the other. */
const PATH = /^\/+stores\/([^/]+)\/(.*)$/s;
const FORM = 'GET /stores/{store}/{key}';

/**
 * Reads `GET /stores/{store}/{key}`; everything behind the store's `/` is the key, percent-encoded.
 *
 * @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD if the event is no such request event ·
 *   {QueryRefusedError} STREAMS_QUERY_REFUSED for any other method or path
 */
export function decodeQueryEvent(event: unknown): QueryRequest {
  const fields = fieldsOf(event, 'event');
  const http = fieldsOf(fieldsOf(fields.requestContext, 'requestContext').http, 'requestContext.http');
  const method = textOf(http.method, 'requestContext.http.method');
  const path = textOf(fields.rawPath, 'rawPath');
  const [, store, key] = method === 'GET' ? (PATH.exec(path) ?? []) : [];
  if (store === undefined || key === undefined) {
    throw new QueryRefusedError(`${method} ${path} asks for nothing that is here`, { remedy: `Ask ${FORM}.` });
  }
  return { store: decoded(store), keyText: decoded(key) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new InvalidPayloadError(`'${text}' is not percent-encoded UTF-8`, { cause, remedy: `Ask ${FORM}.` });
  }
}
