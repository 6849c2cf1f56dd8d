/**
 * The calls of services that took effect in one run.
 *
 * What is called twice for one record shows in no output of an exactly-once application: only in what is outside. How often that
 * has happened in a run is what it has called beyond the reference, which processes each record once.
 */
export class RemoteCalls {
  private readonly times = new Map<string, number>();
  private sum = 0;

  /** Calls that took effect. */
  get total(): number {
    return this.sum;
  }

  /** A call took effect. */
  note(method: string, args: readonly unknown[]): void {
    const call = `${method} ${inWords(args)}`;
    this.times.set(call, (this.times.get(call) ?? 0) + 1);
    this.sum += 1;
  }

  /**
   * Calls beyond those of another run: the same call made more often; or more calls than there, should each carry something of
   * its own (a random id, the time).
   */
  beyond(other: RemoteCalls): number {
    let repeated = 0;
    for (const [call, times] of other.times) repeated += Math.max(0, (this.times.get(call) ?? 0) - times);
    return Math.max(repeated, this.sum - other.sum, 0);
  }
}

/** Arguments as JSON; those that JSON does not know count as equal. */
export function inWords(args: unknown): string {
  try {
    return JSON.stringify(args, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)) ?? String(args);
  } catch {
    return '…';
  }
}
