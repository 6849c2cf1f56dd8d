import type { Clock } from '../../../host/host.js';

/** Waits between attempts; closing the log ends them all. */
export class Pauses {
  private readonly clock: Clock;
  private readonly pending = new Set<AbortController>();
  private closed = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** @throws {AbortedError} STREAMS_ABORTED when the signal fires or the log is closed */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    const end = new AbortController();
    const onAbort = () => end.abort(signal?.reason);
    if (this.closed || signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.pending.add(end);
    try {
      await this.clock.sleep(ms, end.signal);
    } finally {
      this.pending.delete(end);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  close(): void {
    this.closed = true;
    for (const end of this.pending) end.abort(new Error('the log was closed'));
  }
}
