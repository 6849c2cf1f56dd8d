import { describe, expect, it } from 'vitest';
import { BrokerError, ConnectionFailure, mayHaveHappened } from '../../../../lib/log/kafka/failures.js';
import { asLogError } from '../../../../lib/log/kafka/log-errors.js';
import { asSendError } from '../../../../lib/log/kafka/producing/send-errors.js';
import { errorCodeInfo } from '../../../../lib/log/kafka/protocol/error-codes.js';
import { MalformedResponse } from '../../../../lib/log/kafka/protocol/malformed-response.js';
import { InvalidRecordError, StreamsError } from '../../../../lib/model/errors.js';

/** The last code before those of group protocols that are not spoken here. */
const LAST = 129;

describe("Kafka's error codes", () => {
  it('all have a name of their own and an action (trap 14)', () => {
    const codes = [-1, ...Array.from({ length: LAST }, (_, index) => index + 1)];

    const infos = codes.map((code) => errorCodeInfo(code));

    const names = infos.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('ERROR_'))).toEqual([]);
    expect(new Set(names).size).toBe(codes.length);
    expect(infos.filter(({ action }) => typeof action !== 'string')).toEqual([]);
  });

  it('of newer brokers are reported by number, as transient', () => {
    const error = asLogError(new BrokerError('fetch', 9_999));

    expect([error.code, error.details.errorName]).toEqual(['STREAMS_UNAVAILABLE', 'ERROR_9999']);
  });

  it('become errors of this library, each with the code, the name and what they are about', () => {
    for (let code = -1; code <= LAST; code += 1) {
      if (code === 0) continue;
      const error = asLogError(new BrokerError('test', code, { topic: 't' }), { attempt: 1 });

      expect(error).toBeInstanceOf(StreamsError);
      expect(error.details).toEqual({
        attempt: 1,
        topic: 't',
        errorCode: code,
        errorName: errorCodeInfo(code).name,
      });
    }
  });
});

describe('failures at the border', () => {
  it.each<[string, unknown, string]>([
    ['a lost connection', new ConnectionFailure('x', { maybeSent: true }), 'STREAMS_UNAVAILABLE'],
    ['wrong credentials', new ConnectionFailure('x', { maybeSent: false, isRefusal: true }), 'STREAMS_INVALID_SETTING'],
    ['an answer that can not be read', new MalformedResponse('x'), 'STREAMS_INTERNAL'],
    ['something that nobody foresaw', new TypeError('x'), 'STREAMS_INTERNAL'],
    ['something that is no error', 'x', 'STREAMS_INTERNAL'],
    ['an error of ours', new InvalidRecordError('x'), 'STREAMS_INVALID_RECORD'],
  ])('%s', (_, thrown, code) => {
    expect(asLogError(thrown).code).toBe(code);
  });

  it('of a write that was given up leave its outcome unknown', () => {
    expect(asSendError(new ConnectionFailure('x', { maybeSent: true })).code).toBe('STREAMS_UNKNOWN_OUTCOME');
    expect(asSendError(new BrokerError('x', 90)).code).toBe('STREAMS_PRODUCER_FENCED');
    expect(asSendError(new BrokerError('x', 3)).code).toBe('STREAMS_UNKNOWN_TOPIC');
  });

  it('know which of them may have taken effect', () => {
    const happened = [
      new ConnectionFailure('x', { maybeSent: true }),
      new BrokerError('x', 7),
      new BrokerError('x', 20),
    ];
    const not = [new ConnectionFailure('x', { maybeSent: false }), new BrokerError('x', 6), new BrokerError('x', 16)];

    expect([happened.map(mayHaveHappened), not.map(mayHaveHappened)]).toEqual([
      [true, true, true],
      [false, false, false],
    ]);
  });
});
