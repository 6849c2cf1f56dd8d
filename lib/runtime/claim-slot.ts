import type { LeaseStore } from '../leases/lease-store.js';
import type { Incarnation, Member, MemberReport, StorePosition } from '../leases/records.js';
import { chooseSlot } from '../leases/slots.js';

export interface ClaimedSlot {
  readonly member: Member;
  /** Whether the incarnation before is still handing over: its leases are better waited for than taken. */
  readonly predecessorDrains: boolean;
}

/**
 * Claims a slot for this invocation: the one whose stores it still holds, else the one it was invoked for. A doorbell's comes for
 * certain tasks, so it claims the one that was chosen for those (run-doorbell.ts), whatever it holds.
 *
 * @returns null if there is none to claim: a duplicate or late event, which has nothing to do
 */
export async function claimSlot(question: {
  readonly leases: LeaseStore;
  readonly invokedFor: Incarnation;
  readonly held: readonly StorePosition[];
  readonly isForDoorbell: boolean;
  readonly tags: Readonly<Record<string, string>>;
}): Promise<ClaimedSlot | null> {
  const { leases, invokedFor, held, isForDoorbell, tags } = question;
  const own = await ownSlot(leases, invokedFor);
  const members = await leases.listMembers();
  const plan = await leases.readPlan();
  // The list may be older than the consistent read of our own slot.
  const others = members.filter((member) => member.memberId !== invokedFor.memberId);
  const chosen = chooseSlot({
    members: own === null ? others : [...others, own],
    plan,
    invokedFor,
    held: isForDoorbell ? [] : held,
  });
  if (chosen === null) return null;
  const before = [...others, ...(own === null ? [] : [own])].find(({ memberId }) => memberId === chosen.memberId);
  const report: MemberReport = { running: [], positions: held, recordsProcessed: 0 };
  const claim = await leases.claimMember({ ...chosen, report, tags });
  return claim.applied ? { member: claim.item, predecessorDrains: before?.status === 'draining' } : null;
}

/** The slot that we were invoked for; a first incarnation creates it if nobody has. */
async function ownSlot(leases: LeaseStore, { memberId, incarnation }: Incarnation): Promise<Member | null> {
  const found = await leases.readMember(memberId);
  if (found !== null || incarnation !== 1) return found;
  return (await leases.createMember(memberId)).item;
}
