import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RestorePace } from '../../../lib/runtime/restore-pace.js';
import { TokenBucket } from '../../../lib/runtime/token-bucket.js';

describe('a token bucket', () => {
  it('has its taker wait for as long as the amount takes at the rate', () => {
    const bucket = new TokenBucket(1_000, 0);

    expect(bucket.take(500, 0)).toBe(500);
    expect(bucket.take(250, 500)).toBe(250);
  });

  it('has two takers wait one behind the other', () => {
    const bucket = new TokenBucket(1_000, 0);

    expect(bucket.take(100, 0)).toBe(100);
    expect(bucket.take(100, 0)).toBe(200);
  });

  it('saves nothing up in a pause', () => {
    const bucket = new TokenBucket(1_000, 0);

    expect(bucket.take(1_000, 60_000)).toBe(1_000);
  });

  it('never lets more pass than its rate over any time from a first payment on, whatever is taken when', () => {
    const takes = fc.array(fc.record({ amount: fc.integer({ min: 0, max: 5_000 }), pauseMs: fc.nat(3_000) }), {
      minLength: 1,
      maxLength: 50,
    });
    fc.assert(
      fc.property(takes, fc.integer({ min: 1, max: 10_000 }), (given, rate) => {
        const bucket = new TokenBucket(rate, 0);
        const taken: { atMs: number; amount: number }[] = [];
        let nowMs = 0;
        for (const { amount, pauseMs } of given) {
          nowMs += pauseMs;
          taken.push({ atMs: nowMs, amount });
          nowMs += bucket.take(amount, nowMs);
        }
        for (const [first, { atMs }] of taken.entries()) {
          let sum = 0;
          for (const later of taken.slice(first, -1)) {
            sum += later.amount;
            const next = taken[taken.indexOf(later) + 1];
            const passedMs = (next?.atMs ?? 0) - atMs;
            expect(sum).toBeLessThanOrEqual((passedMs * rate) / 1_000 + 1e-6 * rate + 1e-6);
          }
        }
      }),
    );
  });
});

describe('the pace of a member', () => {
  it('is its equal part of what the application may read', () => {
    const pace = new RestorePace({ maxBytesPerSecond: 10_000, maxConcurrent: 0, nowMs: 0 });

    pace.shareAmong(4);

    expect(pace.bytesPerSecond).toBe(2_500);
  });

  it('is shared by no more members than may restore at once', () => {
    const pace = new RestorePace({ maxBytesPerSecond: 10_000, maxConcurrent: 2, nowMs: 0 });

    pace.shareAmong(50);

    expect(pace.bytesPerSecond).toBe(5_000);
  });
});
