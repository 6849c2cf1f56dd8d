/** What a tick makes of the answers to its writes. Pure. */
import type { Conditional } from '../leases/lease-store.js';
import type { Member } from '../leases/records.js';
import type { DeclareDead } from './actions.js';

/** What came of an action: `done` by us · `void` somebody else had done it, or it was refused · `lost` the tick ends. */
export type Outcome = 'done' | 'void' | 'lost';

/**
 * What came of a death, or the heartbeat version to declare it upon once more.
 *
 * The version read may be a moment old. For a heartbeat that stood still a newer one is life; for a reported end it is only
 * the last sign before it, so the death is declared upon that one.
 */
export function outcomeOfDeath(action: DeclareDead, answer: Conditional<Member>): Outcome | number {
  if (answer.applied) return 'done';
  const { item } = answer;
  if (item !== null && item.incarnation === action.incarnation && item.status === 'dead') return 'void';
  if (action.because !== 'failure event' || item === null) return 'lost';
  return item.heartbeatVersion;
}
