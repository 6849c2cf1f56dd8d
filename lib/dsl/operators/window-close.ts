import type { CommittedTime, EngineContext } from '../../processor/engine-context.js';

/**
 * The time up to which an operator's windows are closed: its stream time less the time that it waits for late records.
 *
 * It is committed with the offsets, so that what was late before a restart is late after it. Before the first window could have
 * closed it is below 0, and then nothing depends on it.
 */
export class WindowClose {
  /** Kafka: `windowCloseTime`; −∞ before the first record of a first run. */
  closeMs: number;
  private readonly waitMs: number;
  private readonly committed: CommittedTime;

  constructor(context: EngineContext<never, never>, of: { readonly name: string; readonly waitMs: number }) {
    this.waitMs = of.waitMs;
    this.committed = context.committedTime(of.name);
    this.closeMs = this.committed.ms < 0 ? Number.NEGATIVE_INFINITY : this.committed.ms;
  }

  /** Takes note of a record's timestamp. */
  observe(timestampMs: number): void {
    const closeMs = timestampMs - this.waitMs;
    if (closeMs <= this.closeMs) return;
    this.closeMs = closeMs;
    this.committed.raise(closeMs);
  }
}
