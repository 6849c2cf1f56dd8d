import type { Clock } from '../host/host.js';
import type { LeaseStore } from '../leases/lease-store.js';
import type { Incarnation, Member, MemberReport, Plan, StorePosition } from '../leases/records.js';
import { lastIncarnation } from '../leases/rules.js';
import { chooseSlot } from '../leases/slots.js';
import { type Moment, momentOf } from './moment.js';

export interface ClaimedSlot {
  readonly member: Member;
  /** Whether the incarnation before is still handing over: its leases are better waited for than taken. */
  readonly predecessorDrains: boolean;
  /** For how long there had been nothing to do in the slot, in milliseconds: what its claim has reported. */
  readonly idleForMs: number;
  /** When the claim was sent: the slot is kept from then on, however late the answer came. */
  readonly sentAt: Moment;
}

/**
 * Claims a slot for this invocation: of those that were asked for together the one whose stores it still holds, else the one it was
 * invoked for. One that somebody else claims first is left to that, and the next is tried: as many invocations, as many slots.
 *
 * @returns null if there is none to claim: a duplicate or late event, which has nothing to do
 */
export async function claimSlot(question: {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  readonly invokedFor: Incarnation;
  /** Slots that others were invoked for at the same moment. */
  readonly others: readonly Incarnation[];
  readonly held: readonly StorePosition[];
  readonly tags: Readonly<Record<string, string>>;
  readonly idleTimeoutMs: number;
}): Promise<ClaimedSlot | null> {
  const { leases, clock, invokedFor, others, held, tags, idleTimeoutMs } = question;
  const plan = await leases.readPlan();
  const own = await ownSlot(leases, invokedFor, plan);
  // The list may be older than the consistent read of our own slot.
  const listed = (await leases.listMembers()).filter((member) => member.memberId !== invokedFor.memberId);
  const members = own === null ? listed : [...listed, own];
  let asked: readonly Incarnation[] = [invokedFor, ...others];
  while (asked.length > 0) {
    const chosen = chooseSlot({ members, plan, asked, held });
    if (chosen === null) return null;
    const { memberId, incarnation } = chosen;
    const before = members.find((member) => member.memberId === memberId);
    const idleForMs = idleBefore(before, idleTimeoutMs);
    const report: MemberReport = { running: [], positions: held, recordsProcessed: 0, idleForMs };
    const sentAt = momentOf(clock);
    const claim = await leases.claimMember({ memberId, incarnation, report, tags });
    const predecessorDrains = before?.status === 'draining';
    if (claim.applied) return { member: claim.item, predecessorDrains, idleForMs, sentAt };
    asked = asked.filter((slot) => slot.memberId !== memberId);
  }
  return null;
}

/**
 * For how long there was nothing to do in a slot that is about to be claimed, as U3 of copies-in-use.ts has it: an incarnation goes on from
 * what the one before has reported, and where that had ended in order there was nothing.
 */
function idleBefore(before: Member | undefined, idleTimeoutMs: number): number {
  if (before === undefined || before.status === 'free') return idleTimeoutMs;
  return before.report.idleForMs ?? 0;
}

/**
 * The slot that we were invoked for; a first incarnation that a doorbell woke creates it. Where the plan lists it, the item was deleted by hand,
 * and the scheduler makes it again under a number that nobody had (V7 of membership.ts). Where leases name later incarnations, the slot is there
 * for the one that is invoked next.
 */
async function ownSlot(
  leases: LeaseStore,
  { memberId, incarnation }: Incarnation,
  plan: Plan | null,
): Promise<Member | null> {
  const found = await leases.readMember(memberId);
  if (found !== null || incarnation !== 1 || plan?.assignment[memberId] !== undefined) return found;
  const after = lastIncarnation(memberId, await leases.listLeases(), null);
  return (await leases.createMember(memberId, after)).item;
}
