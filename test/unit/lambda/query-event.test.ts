/** Requests of the query function: paths, keys as text, answers as JSON. */
import { describe, expect, it } from 'vitest';
import { errorResponse, jsonResponse } from '../../../lib/lambda/http-response.js';
import { decodeQueryEvent } from '../../../lib/lambda/query-event.js';
import { parseQueryKey } from '../../../lib/lambda/query-key.js';
import { InternalError, InvalidPayloadError, QueryRefusedError, UnavailableError } from '../../../lib/model/errors.js';
import { json } from '../../../lib/serde/json-serde.js';
import { double, int, long } from '../../../lib/serde/number-serdes.js';
import type { Serde } from '../../../lib/serde/serde.js';
import { string } from '../../../lib/serde/string-serde.js';

const request = (rawPath: string, method = 'GET') => ({
  version: '2.0',
  rawPath,
  requestContext: { http: { method } },
});

describe('a request to the query function', () => {
  it.each([
    ['/stores/counts/hello', 'counts', 'hello'],
    ['/stores/counts/hello%20world', 'counts', 'hello world'],
    ['/stores/counts/a%2Fb', 'counts', 'a/b'],
    ['/stores/counts/a/b', 'counts', 'a/b'],
    ['/stores/counts/', 'counts', ''],
    ['//stores/counts/hello', 'counts', 'hello'],
    ['/stores/counts//a', 'counts', '/a'],
    ['/stores/my%20store/%F0%9F%8C%8A', 'my store', '🌊'],
  ])('%s asks store %s for key %j', (path, store, keyText) => {
    expect(decodeQueryEvent(request(path))).toEqual({ store, keyText });
  });

  it.each([['/'], ['/stores'], ['/stores/counts'], ['/stores//x'], ['/tables/counts/x']])(
    'is refused for the path %s',
    (path) => {
      expect(() => decodeQueryEvent(request(path))).toThrow(QueryRefusedError);
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'HEAD'])('is refused for the method %s', (method) => {
    expect(() => decodeQueryEvent(request('/stores/counts/x', method))).toThrow(QueryRefusedError);
  });

  it('is refused if a part is not percent-encoded UTF-8', () => {
    expect(() => decodeQueryEvent(request('/stores/counts/%ff'))).toThrow(InvalidPayloadError);
  });

  it.each([null, {}, { rawPath: '/stores/a/b' }, { requestContext: { http: { method: 'GET' } } }])(
    'is refused if the event is no request: %j',
    (event) => {
      expect(() => decodeQueryEvent(event)).toThrow(InvalidPayloadError);
    },
  );
});

describe('a key in a URL', () => {
  it.each<[string, Serde<unknown>, string, unknown]>([
    ['string', string() as Serde<unknown>, 'hello', 'hello'],
    ['string', string() as Serde<unknown>, '', ''],
    ['int', int() as Serde<unknown>, '-42', -42],
    ['long', long() as Serde<unknown>, '9007199254740991', 9_007_199_254_740_991],
    ['double', double() as Serde<unknown>, '-1.5e3', -1_500],
  ])('of a store with %s keys is read by that serde: %s', (_, serde, text, key) => {
    expect(parseQueryKey('counts', serde, text)).toBe(key);
  });

  it.each<[string, Serde<unknown>, string]>([
    ['int', int() as Serde<unknown>, '2147483648'],
    ['int', int() as Serde<unknown>, '1.5'],
    ['int', int() as Serde<unknown>, ''],
    ['long', long() as Serde<unknown>, '9007199254740992'],
    ['long', long() as Serde<unknown>, '0x10'],
    ['double', double() as Serde<unknown>, 'many'],
    ['json', json() as Serde<unknown>, '{}'],
  ])('of a store with %s keys is refused if it is none: %s', (_, serde, text) => {
    expect(() => parseQueryKey('counts', serde, text)).toThrow(QueryRefusedError);
  });
});

describe('a response', () => {
  it('writes great whole numbers as text and bytes as base64', () => {
    const body = { small: 7n, great: 2n ** 60n, bytes: Buffer.from('hi'), list: [new Uint8Array([1])], none: null };

    expect(JSON.parse(jsonResponse(200, body).body)).toEqual({
      small: 7,
      great: '1152921504606846976',
      bytes: 'aGk=',
      list: ['AQ=='],
      none: null,
    });
  });

  it.each([
    [new QueryRefusedError('no such key'), 400],
    [new InvalidPayloadError('no request'), 400],
    [new UnavailableError('slow'), 503],
  ])('of the error %s has the status %i and says code, message and remedy', (error, statusCode) => {
    const { code, message, remedy } = error;

    const response = errorResponse(error);

    expect(response.statusCode).toBe(statusCode);
    expect(JSON.parse(response.body)).toEqual({ code, message, remedy });
  });

  it('of an unforeseen error keeps its message to itself', () => {
    const response = errorResponse(new InternalError('the secret is 42'));

    expect(response.statusCode).toBe(500);
    expect(response.body).toContain('STREAMS_INTERNAL');
    expect(response.body).not.toContain('42');
  });
});
