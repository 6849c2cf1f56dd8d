/**
 * Why a task or a member is asked to stop.
 *
 * `revoked` the plan gives the task to somebody else · `draining` the deadline is near · `idle` there is no work ·
 * `stopped` the caller wants it · `lost` the slot is no longer ours: nothing may be committed or released any more.
 */
export type StopReason = 'revoked' | 'draining' | 'idle' | 'stopped' | 'lost';

/** A request to stop, as the one asked sees it. */
export interface Stop {
  /** Fires with the first request, and ends waits. */
  readonly signal: AbortSignal;
  /** Null until the first request. */
  readonly reason: StopReason | null;
}

/** A request to stop, as the one asking makes it. The first reason stands, but `revoked` gives way to the end of the member, and all do to `lost`. */
export class StopSource implements Stop {
  private readonly controller = new AbortController();
  private current: StopReason | null = null;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get reason(): StopReason | null {
    return this.current;
  }

  request(reason: StopReason): void {
    if (this.current === null || this.current === 'revoked' || reason === 'lost') this.current = reason;
    this.controller.abort(reason);
  }
}
