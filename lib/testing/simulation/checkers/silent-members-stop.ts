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
/** Calls further apart than this, and the process may have stood still in between: one that runs polls its inputs. */
const AWAKE_GAP_MS = 500;

interface Sign {
  renewedAtMs: number;
  awakeSinceMs: number;
  lastCallMs: number;
}

export const silentMembersStop: Checker = {
  name: 'silent-members-stop',
  watch({ cloud, wrong }) {
    const signs = new Map<string, Sign>();
    const boundMs = cloud.app.settings.sessionTimeoutMs + SLACK_MS;
    cloud.listen((effect) => {
      const { process, port, method } = effect;
      if (process.runs !== 'task') return;
      const { nowMs } = cloud.time;
      const sign = signs.get(process.name) ?? { renewedAtMs: nowMs, awakeSinceMs: nowMs, lastCallMs: nowMs };
      signs.set(process.name, sign);
      if (nowMs - sign.lastCallMs > AWAKE_GAP_MS) sign.awakeSinceMs = nowMs;
      sign.lastCallMs = nowMs;
      if (isRenewal(effect)) sign.renewedAtMs = nowMs;
      if (port !== 'producer' || method !== 'commit' || !effect.ok) return;
      const silentMs = nowMs - sign.renewedAtMs;
      if (silentMs > boundMs && nowMs - sign.awakeSinceMs > SLACK_MS)
        wrong(`${process.name} commits, and has not renewed its slot for ${Math.round(silentMs)} ms`);
    });
    return {};
  },
};

function isRenewal(effect: Effect): boolean {
  if (!effect.ok || (effect.method !== 'heartbeat' && effect.method !== 'claimMember')) return false;
  return (effect.answer as Conditional<Member>).applied;
}
