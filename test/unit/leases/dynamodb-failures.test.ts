import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../lib/leases/dynamodb/failures.js';
import { LONGEST_PAUSE_MS, MAX_ATTEMPTS, RETRY_BUDGET_MS, withRetries } from '../../../lib/leases/dynamodb/retrier.js';
import { InvalidAssignmentError, type StreamsError } from '../../../lib/model/errors.js';
import { createTestHost } from '../../support/test-host.js';

/** An error as the SDK throws it. */
function sdkError(name: string, httpStatusCode?: number, code?: string): Error {
  return Object.assign(new Error('said so'), { name, code, $metadata: { httpStatusCode } });
}

describe('what the SDK throws', () => {
  it.each([
    ['throttling', sdkError('ThrottlingException', 400), 'throttled', 'STREAMS_UNAVAILABLE'],
    ['a busy table', sdkError('ProvisionedThroughputExceededException', 400), 'throttled', 'STREAMS_UNAVAILABLE'],
    ['an account at its limit', sdkError('RequestLimitExceeded', 400), 'throttled', 'STREAMS_UNAVAILABLE'],
    ['a busy item', sdkError('TransactionConflictException', 400), 'throttled', 'STREAMS_UNAVAILABLE'],
    ['a proxy asked too often', sdkError('Error', 429), 'throttled', 'STREAMS_UNAVAILABLE'],
    ['credentials that have expired', sdkError('ExpiredTokenException', 400), 'throttled', 'STREAMS_UNAVAILABLE'],
    ['a clock that is wrong', sdkError('RequestTimeTooSkewed', 403), 'throttled', 'STREAMS_UNAVAILABLE'],
    [
      'a signature that is too old',
      Object.assign(sdkError('InvalidSignatureException', 400), {
        message: 'Signature expired: 1 is now earlier than 2',
      }),
      'throttled',
      'STREAMS_UNAVAILABLE',
    ],
    ['a signature that is wrong', sdkError('InvalidSignatureException', 400), 'final', 'STREAMS_INVALID_SETTING'],
    ['a broken TLS record', sdkError('Error', undefined, 'ERR_SSL_BAD_RECORD_TYPE'), 'unknown', 'STREAMS_UNAVAILABLE'],
    ['an error of the service', sdkError('InternalServerError', 500), 'unknown', 'STREAMS_UNAVAILABLE'],
    ['an error without a name', sdkError('UnknownError', 503), 'unknown', 'STREAMS_UNAVAILABLE'],
    ['a time-out', sdkError('TimeoutError'), 'unknown', 'STREAMS_UNAVAILABLE'],
    ['a connection reset', sdkError('Error', undefined, 'ECONNRESET'), 'unknown', 'STREAMS_UNAVAILABLE'],
    ['a name that is not known', sdkError('Error', undefined, 'ENOTFOUND'), 'unknown', 'STREAMS_UNAVAILABLE'],
    ['an answer cut off', sdkError('SyntaxError', 200), 'unknown', 'STREAMS_UNAVAILABLE'],
    ['a missing table', sdkError('ResourceNotFoundException', 400), 'final', 'STREAMS_INVALID_SETTING'],
    ['a missing right', sdkError('AccessDeniedException', 400), 'final', 'STREAMS_INVALID_SETTING'],
    ['missing credentials', sdkError('CredentialsProviderError'), 'final', 'STREAMS_INVALID_SETTING'],
    ['a request that is wrong', sdkError('ValidationException', 400), 'final', 'STREAMS_INTERNAL'],
    ['a fault of the program', new TypeError('no function'), 'final', 'STREAMS_INTERNAL'],
    ['no error at all', 'a text', 'final', 'STREAMS_INTERNAL'],
  ])('%s is known for what it is', (_, thrown, kind, code) => {
    const failure = failureOf(thrown, { table: 'leases' });

    expect([failure.kind, failure.error.code]).toEqual([kind, code]);
    expect(failure.error.cause).toBe(thrown);
    expect(failure.error.details).toMatchObject({ table: 'leases' });
  });

  it('is left as it is where it is one of ours', () => {
    const own = new InvalidAssignmentError('too large');

    expect(failureOf(own, {})).toEqual({ kind: 'final', error: own });
  });
});

describe('repetition', () => {
  /** Runs it to its end on a clock that sleeps in no time; `passMs` is how long each attempt takes. */
  async function run(send: (attempt: number) => Promise<string>, passMs = 0) {
    let elapsedMs = 0;
    const pauses: number[] = [];
    const clock = {
      now: () => elapsedMs,
      monotonic: () => elapsedMs,
      sleep: async (ms: number) => {
        pauses.push(ms);
        elapsedMs += ms;
      },
    };
    let attempts = 0;
    const attempt = () => {
      attempts += 1;
      elapsedMs += passMs;
      return send(attempts);
    };
    const result = await withRetries({ ...createTestHost(), clock }, {}, attempt).catch((error: StreamsError) => error);
    return { attempts, pauses, result };
  }

  it('ends with the first answer', async () => {
    const { attempts, result } = await run(async (attempt) => {
      if (attempt < 3) throw sdkError('ThrottlingException', 400);
      return 'done';
    });

    expect([attempts, result]).toEqual([3, 'done']);
  });

  it('is bounded in number and pauses', async () => {
    const { attempts, pauses, result } = await run(() => Promise.reject(sdkError('ThrottlingException', 400)));

    expect([attempts, (result as StreamsError).details.outcome]).toEqual([MAX_ATTEMPTS, 'not written']);
    expect(pauses.length).toBe(MAX_ATTEMPTS - 1);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
    expect(new Set(pauses).size).toBe(pauses.length);
  });

  it('is bounded in time', async () => {
    const { attempts, result } = await run(() => Promise.reject(sdkError('TimeoutError')), RETRY_BUDGET_MS / 2);

    expect([attempts, (result as StreamsError).code]).toEqual([2, 'STREAMS_UNAVAILABLE']);
  });

  it('remembers a lost reply: throttled afterwards, the outcome is still unknown', async () => {
    const { result } = await run((attempt) =>
      Promise.reject(attempt === 1 ? sdkError('TimeoutError') : sdkError('ThrottlingException', 400)),
    );

    expect((result as StreamsError).details.outcome).toBe('unknown');
  });

  it('does not try again what can not get better', async () => {
    const { attempts, result } = await run(() => Promise.reject(sdkError('AccessDeniedException', 400)));

    expect([attempts, (result as StreamsError).code]).toEqual([1, 'STREAMS_INVALID_SETTING']);
  });
});
