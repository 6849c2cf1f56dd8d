/**
 * Who could not renew its slot for the session time-out stops by itself (B2 of runtime/heartbeat.ts): it commits nothing any
 * more, though no fence has met it yet.
 *
 * A call that stood still with its process takes effect when that goes on, before the process can have looked at its clocks: so
 * only commits of one that has been awake for a while count.
 */
import type { Conditional } from '../../../leases/lease-store.js';
import type { Member } from '../../../leases/records.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

/** A heartbeat counts from when it was sent; a commit may be on its way for as long. */
const SLACK_MS = 1_000;

export const silentMembersStop: Checker = {
  name: 'silent-members-stop',
  watch({ cloud, wrong }) {
    /** By process: virtual milliseconds of the last renewal of its slot, or of its first call. */
    const renewedAtMs = new Map<string, number>();
    const boundMs = cloud.app.settings.sessionTimeoutMs + SLACK_MS;
    cloud.listen((effect) => {
      const { process, port, method } = effect;
      if (process.runs !== 'task') return;
      const { nowMs } = cloud.time;
      if (isRenewal(effect) || !renewedAtMs.has(process.name)) renewedAtMs.set(process.name, nowMs);
      if (port !== 'producer' || method !== 'commit' || !effect.ok) return;
      const silentMs = nowMs - (renewedAtMs.get(process.name) ?? nowMs);
      if (silentMs > boundMs && nowMs - process.thawedAtMs > SLACK_MS)
        wrong(`${process.name} commits, and has not renewed its slot for ${Math.round(silentMs)} ms`);
    });
    return {};
  },
};

function isRenewal(effect: Effect): boolean {
  if (!effect.ok || (effect.method !== 'heartbeat' && effect.method !== 'claimMember')) return false;
  return (effect.answer as Conditional<Member>).applied;
}
