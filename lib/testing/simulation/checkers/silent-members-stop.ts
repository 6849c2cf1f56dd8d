/**
 * Who could not renew its slot for the session time-out stops by itself (B2 of runtime/heartbeat.ts): it commits nothing any
 * more, though no fence has met it yet.
 *
 * Renewals and commits count from when they are sent, whenever they take effect. One that is sent as a process goes on that stood still is sent
 * before that can have looked at its clocks: it does not count.
 */
import type { Conditional } from '../../../leases/lease-store.js';
import type { Member } from '../../../leases/records.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

/** What a process that has come to the end of its time, or goes on after it stood still, still does at that very moment. */
const SLACK_MS = 50;

export const silentMembersStop: Checker = {
  name: 'silent-members-stop',
  watch({ cloud, wrong }) {
    /** By process: virtual milliseconds at which the last renewal of its slot was sent that took effect. */
    const renewals = new Map<string, number>();
    const boundMs = cloud.app.settings.sessionTimeoutMs + SLACK_MS;
    const hear = (effect: Effect) => {
      const { process, method, sentAtMs, ok } = effect;
      if (!ok || process.runs !== 'task') return;
      const renewedAtMs = renewals.get(process.name) ?? sentAtMs;
      if (isRenewal(effect)) renewals.set(process.name, Math.max(renewedAtMs, sentAtMs));
      if (method !== 'commit') return;
      const silentMs = sentAtMs - renewedAtMs;
      if (silentMs > boundMs && sentAtMs - process.thawedAtMs > SLACK_MS)
        wrong(`${process.name} commits, and has not renewed its slot for ${Math.round(silentMs)} ms`);
    };
    cloud.listen(hear, ['claimMember', 'heartbeat', 'commit']);
    return {};
  },
};

function isRenewal(effect: Effect): boolean {
  return effect.ok && effect.method !== 'commit' && (effect.answer as Conditional<Member>).applied;
}
