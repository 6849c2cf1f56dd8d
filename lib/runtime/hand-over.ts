import type { Logger } from '../host/host.js';
import type { Incarnation, Member } from '../leases/records.js';
import { asStreamsError } from '../model/errors.js';
import type { StreamsApp } from '../topology/app.js';
import type { RuntimePorts } from './ports.js';
import { warmUpPatienceMs } from './predecessor.js';

export interface HandOver {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'leases' | 'invoker' | 'host'>;
  readonly self: Incarnation;
  readonly logger: Logger;
  /** Monotonic milliseconds after which nobody waits for the successor any more. */
  readonly untilMs: number;
  /** Whether nothing is to be waited for: the slot was lost to anybody but a successor, or the member is asked to end at once. */
  readonly isOver: () => boolean;
  readonly pollMs: number;
}

/**
 * Marks the slot as draining, invokes its next incarnation, and waits until that has claimed the slot and is ready to take over
 * (predecessor.ts): the tasks work on while the successor starts and copies their stores. A successor that does not come is the scheduler's to
 * replace.
 */
export async function handOver(handOver: HandOver): Promise<void> {
  const { app, ports, self, logger, isOver, pollMs } = handOver;
  const { clock } = ports.host;
  try {
    const drained = await ports.leases.drainMember(self);
    if (!drained.applied) return;
    await ports.invoker.invoke('task', {
      type: 'run-member',
      applicationId: app.applicationId,
      memberId: self.memberId,
      incarnation: self.incarnation + 1,
      expiresAtMs: clock.now() + app.settings.sessionTimeoutMs,
    });
    logger.info('successor-invoked', { incarnation: self.incarnation + 1 });
    let { untilMs } = handOver;
    let isClaimed = false;
    while (!isOver() && clock.monotonic() < untilMs) {
      await clock.sleep(Math.min(pollMs, Math.max(0, untilMs - clock.monotonic())));
      const seen = await look(handOver);
      if (seen === null) return;
      const isNext = seen !== 'late' && seen.incarnation !== self.incarnation;
      if (isNext && seen.report.planRead !== undefined) return;
      // From there on our own heartbeats renew nothing: whoever works on must not do so for long.
      if (isNext && !isClaimed) untilMs = Math.min(untilMs, clock.monotonic() + warmUpPatienceMs(app.settings));
      isClaimed ||= isNext;
    }
  } catch (thrown) {
    const error = asStreamsError(thrown);
    if (error.kind !== 'transient') throw error;
    logger.warn('successor-not-invoked', { code: error.code, message: error.message });
  }
}

/** The slot's item; `late` if that takes long, or the table is away: the successor may have claimed the slot meanwhile, or may not. */
async function look({ app, ports, self }: HandOver): Promise<Member | null | 'late'> {
  const answered = new AbortController();
  const patience = ports.host.clock.sleep(warmUpPatienceMs(app.settings) / 2, answered.signal);
  const late = patience.then(
    () => 'late' as const,
    () => 'late' as const,
  );
  try {
    return await Promise.race([ports.leases.readMember(self.memberId), late]);
  } catch (thrown) {
    if (asStreamsError(thrown).kind === 'transient') return 'late';
    throw thrown;
  } finally {
    answered.abort();
  }
}
