/**
 * A token bucket that lends: what has come is paid for afterwards, by waiting. Pure; time comes as an argument.
 *
 * Over any time beginning with the first payment, no more than `ratePerSecond` times that time is taken, and one payment. Rest is not
 * saved up: after a pause the rate is the same.
 */
export class TokenBucket {
  private ratePerSecond: number;
  /** Monotonic milliseconds at which everything that was taken is paid for. */
  private paidAtMs: number;

  /** @param ratePerSecond above 0; Infinity never makes anybody wait */
  constructor(ratePerSecond: number, nowMs: number) {
    this.ratePerSecond = ratePerSecond;
    this.paidAtMs = nowMs;
  }

  get rate(): number {
    return this.ratePerSecond;
  }

  /** Changes the rate from the next payment on. */
  setRate(ratePerSecond: number): void {
    this.ratePerSecond = ratePerSecond;
  }

  /** Takes an amount. @returns how long its taker has to wait before it takes again, in milliseconds */
  take(amount: number, nowMs: number): number {
    this.paidAtMs = Math.max(this.paidAtMs, nowMs) + (amount / this.ratePerSecond) * 1_000;
    return this.paidAtMs - nowMs;
  }
}
