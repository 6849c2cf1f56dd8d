/** From failed invocations to the members that died with them. */
import { describe, expect, it } from 'vitest';
import { failedMembers } from '../../../lib/lambda/failed-members.js';
import { REQUEST_ID_TAG } from '../../../lib/leases/placement-tags.js';
import type { Member, MemberId, MemberStatus } from '../../../lib/leases/records.js';

const member = (memberId: MemberId, status: MemberStatus, requestId: string | null): Member => ({
  memberId,
  incarnation: 7,
  status,
  heartbeatVersion: 3,
  planNumber: 1,
  report: { running: [], positions: [], recordsProcessed: 0 },
  tags: requestId === null ? {} : { [REQUEST_ID_TAG]: requestId },
});
const failure = (requestId: string) => ({ requestId, condition: 'RetriesExhausted' });

describe('a failed invocation', () => {
  it('kills the incarnation that it had claimed, whichever slot it was invoked for', () => {
    const members = [member('member-1', 'claimed', 'a'), member('member-2', 'claimed', 'b')];

    expect(failedMembers([failure('b')], members)).toEqual([{ memberId: 'member-2', incarnation: 7 }]);
  });

  it('kills a draining incarnation too', () => {
    expect(failedMembers([failure('a')], [member('member-1', 'draining', 'a')])).toHaveLength(1);
  });

  it.each<MemberStatus>(['free', 'dead'])('leaves a slot alone that is %s by now', (status) => {
    expect(failedMembers([failure('a')], [member('member-1', status, 'a')])).toEqual([]);
  });

  it('that had claimed nothing kills nobody', () => {
    const members = [member('member-1', 'claimed', 'a'), member('member-2', 'claimed', null)];

    expect(failedMembers([failure('late')], members)).toEqual([]);
  });
});
