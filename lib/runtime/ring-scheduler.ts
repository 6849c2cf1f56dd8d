/**
 * While a member runs, a scheduler ticks: it wakes whoever else has work, downstream of what the member writes or beside it. The
 * members that a scheduler invokes have one; a doorbell's may be the first to run, and then it has to call one.
 *
 *   S1  nobody is called while a member still runs that ran before this one claimed its slot: a scheduler ticks for that one,
 *       and goes on as long as it finds a member. Of two that claim at once each may call, never neither: "ran before" has no
 *       circle
 *   S2  the call comes after the claim: a scheduler that found no member would end at once
 *   S3  a call that is refused or lost costs the member nothing, and the others a wait for the schedule
 *
 * docs/decisions/0012-a-doorbell-calls-the-scheduler.md
 */
import type { Logger } from '../host/host.js';
import type { Incarnation, Member } from '../leases/records.js';
import { isRun } from '../leases/rules.js';
import { asStreamsError } from '../model/errors.js';
import type { StreamsApp } from '../topology/app.js';
import type { RuntimePorts } from './ports.js';

export interface RingScheduler {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'leases' | 'invoker' | 'host'>;
  readonly logger: Logger;
  /** The incarnation that has claimed its slot. */
  readonly self: Incarnation;
  /** The members as they were before that. */
  readonly before: readonly Member[];
}

/** Has a scheduler tick for as long as members run, unless one does. Never throws (S3). */
export async function ringScheduler({ app, ports, logger, self, before }: RingScheduler): Promise<void> {
  try {
    if ((await ports.leases.listMembers()).some((member) => ranBefore(member, before))) return;
    await ports.invoker.invoke('scheduler', {
      type: 'tick',
      applicationId: app.applicationId,
      expiresAtMs: ports.host.clock.now() + app.settings.sessionTimeoutMs,
      reason: `a doorbell woke ${self.memberId}`,
      whileMembers: true,
    });
    logger.info('scheduler-rung');
  } catch (thrown) {
    const { code, message } = asStreamsError(thrown);
    logger.warn('scheduler-not-rung', { code, message });
  }
}

function ranBefore(member: Member, before: readonly Member[]): boolean {
  const then = before.find(({ memberId }) => memberId === member.memberId);
  return then !== undefined && isRun(member) && isRun(then) && then.incarnation === member.incarnation;
}
