/** No slot is claimed by an invocation that began long after its payload had expired (traps 44): whoever asked has asked again. */
import { CLOCK_TOLERANCE_MS } from '../../../invoke/decode-payload.js';
import type { Conditional } from '../../../leases/lease-store.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

/** What a process may do between its start and its look at the payload, whose expiry it stretches by what clocks may be apart. */
const SLACK_MS = CLOCK_TOLERANCE_MS + 1_000;

interface ExpiringEvent {
  readonly expiresAtMs?: number;
}

export const latePayloadsAreIgnored: Checker = {
  name: 'late-payloads-are-ignored',
  watch({ cloud, wrong }) {
    const expiryMs = new Map<unknown, number>();
    /** By process: how late its invocation began, by the true time. */
    const lateMs = new Map<string, number>();
    cloud.timeline.listen(({ who, event, fields }) => {
      if (event === 'invocation-accepted') {
        const { expiresAtMs } = fields.event as ExpiringEvent;
        if (expiresAtMs !== undefined) expiryMs.set(fields.requestId, expiresAtMs);
      } else if (event === 'invocation-started') {
        const expiresAtMs = expiryMs.get(fields.requestId) ?? Number.POSITIVE_INFINITY;
        lateMs.set(who, cloud.host.clock.now() - expiresAtMs);
      }
    });
    const claimed = (effect: Effect) => {
      if (!effect.ok || !(effect.answer as Conditional<unknown>).applied) return;
      const { process } = effect;
      const late = lateMs.get(process.name) ?? Number.NEGATIVE_INFINITY;
      if (late > SLACK_MS + Math.abs(process.skewMs))
        wrong(`${process.name} claims a slot, and its payload had expired ${Math.round(late)} ms before it began`);
    };
    cloud.listen(claimed, ['claimMember']);
    return {};
  },
};
