import { describe, expect, it } from 'vitest';
import { BrokerError, ConnectionFailure } from '../../../../lib/log/kafka/failures.js';
import { Pauses } from '../../../../lib/log/kafka/net/pauses.js';
import { type History, Retrier, UNKNOWN_TOPIC_GRACE_MS } from '../../../../lib/log/kafka/retrier.js';
import { codeOf } from '../../../../lib/testing/conformance/test-runner.js';
import { createTestHost, type TestHost } from '../../../support/test-host.js';

const RETRY_TIMEOUT_MS = 10_000;
const STEP_MS = 5;

function scene() {
  const host = createTestHost();
  const pauses = new Pauses(host.clock);
  const retrier = new Retrier({ clock: host.clock, random: host.random, pauses, retryTimeoutMs: RETRY_TIMEOUT_MS });
  return { host, pauses, retrier };
}

/** Moves the clock on in small steps, so that what one pause leads to may pause again in its turn. */
async function elapse(host: TestHost, ms: number): Promise<void> {
  for (let step = 0; step < ms; step += STEP_MS) await host.advance(STEP_MS);
}

/** Fails with the code at every attempt; answers how many there were, when, and how it ended. */
async function fails(error: Error, signal?: AbortSignal) {
  const { host, retrier } = scene();
  const atMs: number[] = [];
  const ended = codeOf(
    retrier.run({
      what: 'test',
      signal,
      attempt: async () => {
        atMs.push(host.clock.monotonic());
        throw error;
      },
    }),
  );
  await elapse(host, 2 * RETRY_TIMEOUT_MS);
  return { atMs, code: await ended };
}

const lost = new ConnectionFailure('lost', { maybeSent: true });

describe('retries are bounded, and each failure has its own (trap 14)', () => {
  it.each([
    ['a leader that has moved', new BrokerError('test', 6)],
    ['a coordinator that has moved', new BrokerError('test', 16)],
    ['replicas that are away', new BrokerError('test', 19)],
    ['a transaction that is being ended', new BrokerError('test', 51)],
    ['a connection that was lost', lost],
  ])('of %s go on until time is up, and no longer', async (_, error) => {
    const { atMs, code } = await fails(error);

    expect(code).toBe('STREAMS_UNAVAILABLE');
    expect(atMs.length).toBeGreaterThan(8);
    expect(atMs.at(-1)).toBeLessThanOrEqual(RETRY_TIMEOUT_MS + STEP_MS);
    expect(atMs.at(-1)).toBeGreaterThan(RETRY_TIMEOUT_MS / 2);
  });

  it.each([
    ['a record that is too large', 10, 'STREAMS_RECORD_TOO_LARGE'],
    ['a record that is refused', 87, 'STREAMS_INVALID_RECORD'],
    ['a producer that was fenced', 90, 'STREAMS_PRODUCER_FENCED'],
    ['a producer of an old epoch', 47, 'STREAMS_PRODUCER_FENCED'],
    ['an offset that is out of range', 1, 'STREAMS_OFFSET_OUT_OF_RANGE'],
    ['a right that is missing', 29, 'STREAMS_INVALID_SETTING'],
    ['a transaction that was lost', 48, 'STREAMS_UNAVAILABLE'],
    ['an error that only newer brokers know', 12_345, 'STREAMS_UNAVAILABLE'],
  ])('are not made of %s', async (_, errorCode, expected) => {
    const { atMs, code } = await fails(new BrokerError('test', errorCode));

    expect([atMs.length, code]).toEqual([1, expected]);
  });

  it('of an unknown topic are made for as long as news of it may be on its way', async () => {
    const { atMs, code } = await fails(new BrokerError('test', 3));

    expect(code).toBe('STREAMS_UNKNOWN_TOPIC');
    expect(atMs.length).toBeGreaterThan(2);
    expect(atMs.at(-1)).toBeLessThan(4 * UNKNOWN_TOPIC_GRACE_MS);
  });

  it('are not made of credentials that are wrong', async () => {
    const { atMs, code } = await fails(new ConnectionFailure('no', { maybeSent: false, isRefusal: true }));

    expect([atMs.length, code]).toEqual([1, 'STREAMS_INVALID_SETTING']);
  });

  it('come after milliseconds where the broker is about to be ready, else after growing pauses', async () => {
    const soon = (await fails(new BrokerError('test', 51))).atMs;
    const later = (await fails(lost)).atMs;

    expect(soon.length).toBeGreaterThan(later.length);
    expect(later.length).toBeLessThan(40);
  });

  it('know whether an earlier attempt may have taken effect', async () => {
    const { host, retrier } = scene();
    const seen: History[] = [];
    const errors = [new BrokerError('test', 16), lost, new BrokerError('test', 16)];

    const ended = retrier.run({
      what: 'test',
      attempt: async (history) => {
        seen.push(history);
        const error = errors[history.failures];
        if (error !== undefined) throw error;
      },
    });
    await elapse(host, 5_000);
    await ended;

    expect(seen.map(({ mayHaveHappened }) => mayHaveHappened)).toEqual([false, false, true, true]);
  });

  it('end when the signal fires, and when the log is closed', async () => {
    const { retrier, pauses } = scene();
    const giveUp = new AbortController();
    const attempt = async () => {
      throw lost;
    };

    const aborted = codeOf(retrier.run({ what: 'test', attempt, signal: giveUp.signal }));
    const closed = codeOf(retrier.run({ what: 'test', attempt }));
    await Promise.resolve();
    giveUp.abort();
    pauses.close();

    expect(await Promise.all([aborted, closed])).toEqual(['STREAMS_ABORTED', 'STREAMS_ABORTED']);
    expect(await codeOf(retrier.run({ what: 'test', attempt }))).toBe('STREAMS_ABORTED');
  });
});
