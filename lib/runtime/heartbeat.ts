/**
 * Keeps a member's slot: one conditional update per interval, and a watch over the time since the last one that succeeded.
 *
 * Invariants (docs/design.md §5)
 *   B1  a renewal counts from the moment at which it was sent, not from its answer; so does the claim
 *   B2  who could not renew for `sessionTimeoutMs`, by the larger of the monotonic and the wall clock, has lost the slot: a
 *       process that was frozen finds out from the one or the other
 *   B3  renewing and watching are two loops: a renewal that hangs does not blind the watch
 *   B4  no machine's clock is compared with another's
 *   B5  the watch goes on when somebody else has the slot: who still hands over to its successor stops at the session time-out too
 */
import type { Logger } from '../host/host.js';
import type { Incarnation, Member, MemberReport } from '../leases/records.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { StreamsApp } from '../topology/app.js';
import { elapsedMs, type Moment, momentOf } from './moment.js';
import type { RuntimePorts } from './ports.js';
import { Wakeup } from './wakeup.js';

export interface HeartbeatEvents {
  /** The slot was renewed; the item says which plan is current. */
  renewed(member: Member): void;
  /**
   * The slot is not ours any more; `seen` is who has it, null if it was not renewed in time. Called at most twice: once somebody has it, and once the
   * session time-out is over.
   */
  lost(seen: Member | null): void;
}

export interface HeartbeatInit {
  readonly app: StreamsApp;
  readonly ports: RuntimePorts;
  readonly self: Incarnation;
  /** When the claim of the slot was sent (B1). */
  readonly claimSentAt: Moment;
  readonly report: () => MemberReport;
  readonly events: HeartbeatEvents;
  readonly logger: Logger;
}

export class Heartbeat {
  private readonly init: HeartbeatInit;
  private readonly renewal = new Wakeup();
  private readonly watch = new Wakeup();
  private renewedAt: Moment;
  private ended = false;
  /** Whether somebody else was found to have the slot. */
  private isTaken = false;
  /** Who waits for a report to arrive that is made after they have asked. */
  private awaiting: { readonly arrived: () => void; readonly givenUp: (error: Error) => void }[] = [];

  constructor(init: HeartbeatInit) {
    this.init = init;
    this.renewedAt = init.claimSentAt;
  }

  /** Renews until {@link end} or until somebody else has the slot, and watches until {@link end} or the session time-out. */
  async run(): Promise<void> {
    await Promise.all([this.renewing(), this.watching()]);
  }

  /** Has the next renewal go out now: there is something to report. */
  beat(): void {
    this.renewal.wake();
  }

  /**
   * Has a renewal go out now, and resolves when one has arrived whose report was made after this call. Renewals go one after the other: no
   * older report comes in behind it.
   *
   * @throws {AbortedError} STREAMS_ABORTED when the heartbeat ends first
   */
  reported(): Promise<void> {
    if (this.ended || this.isTaken) return Promise.reject(new AbortedError('the member has ended'));
    return new Promise((arrived, givenUp) => {
      this.awaiting.push({ arrived, givenUp });
      this.beat();
    });
  }

  end(): void {
    this.ended = true;
    for (const { givenUp } of this.awaiting.splice(0)) givenUp(new AbortedError('the member has ended'));
    this.renewal.wake();
    this.watch.wake();
  }

  private async renewing(): Promise<void> {
    const { app, ports } = this.init;
    let isFirst = true;
    while (!this.ended && !this.isTaken) {
      const waitMs = isFirst ? app.settings.heartbeatIntervalMs - this.silentForMs() : app.settings.heartbeatIntervalMs;
      isFirst = false;
      await this.renewal.sleep(ports.host.clock, Math.max(0, waitMs));
      if (!this.ended) await this.renew();
    }
  }

  private async renew(): Promise<void> {
    const { ports, self, report, events, logger } = this.init;
    const sentAt = momentOf(ports.host.clock);
    const awaiting = this.awaiting.splice(0);
    try {
      const beat = await ports.leases.heartbeat({ ...self, report: report() });
      if (!this.ended && !beat.applied) {
        this.isTaken = true; // B5
        events.lost(beat.item);
      }
      if (this.ended || !beat.applied) {
        for (const { givenUp } of [...awaiting, ...this.awaiting.splice(0)])
          givenUp(new AbortedError('the slot is not ours any more'));
        return;
      }
      this.renewedAt = sentAt;
      for (const { arrived } of awaiting) arrived();
      events.renewed(beat.item);
    } catch (thrown) {
      const error = asStreamsError(thrown);
      for (const { givenUp } of awaiting) givenUp(error);
      if (error.kind !== 'transient') throw error;
      logger.warn('heartbeat-failed', { code: error.code, message: error.message });
    }
  }

  private async watching(): Promise<void> {
    const { app, ports, events, logger } = this.init;
    const { sessionTimeoutMs } = app.settings;
    while (!this.ended) {
      const leftMs = sessionTimeoutMs - this.silentForMs();
      if (leftMs <= 0) {
        this.end();
        logger.error('session-timed-out', { silentForMs: this.silentForMs(), sessionTimeoutMs });
        events.lost(null);
        return;
      }
      await this.watch.sleep(ports.host.clock, leftMs);
    }
  }

  private silentForMs(): number {
    return elapsedMs(this.renewedAt, this.init.ports.host.clock);
  }
}
