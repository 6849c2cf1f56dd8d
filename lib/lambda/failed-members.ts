/**
 * From a failed invocation to the incarnation that died with it.
 *
 * An invocation writes its request id into its claim, as a tag of the member. Lambda's record of the failure carries the same
 * id, so that exactly the right incarnation is declared dead, whichever slot it had claimed; one that had claimed nothing, or
 * has ended cleanly, is found nowhere.
 */
import { REQUEST_ID_TAG } from '../leases/placement-tags.js';
import type { Incarnation, Member } from '../leases/records.js';
import { isRun } from '../leases/rules.js';
import type { FailedInvocation } from './scheduler-event.js';

/** The incarnations that ran in the failed invocations and are still taken for alive. */
export function failedMembers(failed: readonly FailedInvocation[], members: readonly Member[]): readonly Incarnation[] {
  const requestIds = new Set(failed.map(({ requestId }) => requestId));
  return members
    .filter((member) => {
      const requestId = member.tags[REQUEST_ID_TAG];
      return isRun(member) && requestId !== undefined && requestIds.has(requestId);
    })
    .map(({ memberId, incarnation }) => ({ memberId, incarnation }));
}
