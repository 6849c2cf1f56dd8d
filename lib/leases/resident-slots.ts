/** Which slots stay without work. Pure. */
import type { Settings } from '../model/settings.js';
import type { MemberId } from './records.js';
import { slotNumber } from './slots.js';

/**
 * For how long a slot's member stays without work, in milliseconds; 0: for ever. Where members are wanted between bounds, the first `min`
 * of them stay, and the others end.
 */
export function idleTimeoutMsOf(settings: Pick<Settings, 'members' | 'idleTimeoutMs'>, memberId: MemberId): number {
  const { members, idleTimeoutMs } = settings;
  return typeof members === 'object' && slotNumber(memberId) <= members.min ? 0 : idleTimeoutMs;
}
