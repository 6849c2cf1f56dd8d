import type { ObservedMember } from './state.js';

/** The tag with which a member states its capacity; without it the setting `tasksPerMember` holds. */
export const CAPACITY_TAG = 'capacity';

/** How many tasks a member is meant to hold. @param otherwise of one that does not state it */
export function capacityOf(member: Pick<ObservedMember, 'tags'> | undefined, otherwise: number): number {
  const stated = Number(member?.tags[CAPACITY_TAG]);
  return Number.isSafeInteger(stated) && stated >= 1 ? stated : otherwise;
}
