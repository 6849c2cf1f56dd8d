/**
 * Every lease is taken by the rules (P5, E1), as the tables truly are at that moment: the item is the one that the taker expected;
 * a plan that the taker has read grants it the task, which is free, held by an earlier incarnation of its slot or by one declared
 * dead; or a doorbell takes what is free and, as far as it has read, granted to no live member.
 *
 * The rules are written down here once more: what is checked can not be its own judge.
 */
import type { Conditional, LeaseTable } from '../../../leases/lease-store.js';
import type { Incarnation, Lease, Member, Plan } from '../../../leases/records.js';
import type { TaskId } from '../../../model/task-id.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

type Take = Parameters<LeaseTable['takeLease']>[0];

/** Reads of each kind kept of a process: a take may have been decided by the one before the newest. */
const READS_KEPT = 3;

interface Reads {
  readonly plans: Plan[];
  readonly members: (readonly Member[])[];
}

export const takesAreAllowed: Checker = {
  name: 'takes-are-allowed',
  watch({ cloud, wrong }) {
    const leases = new Map<TaskId, Lease>();
    const readBy = new Map<string, Reads>();
    const heard = (effect: Effect) => {
      if (!effect.ok) return;
      const { method, process, answer } = effect;
      if (effect.reads) {
        const reads = readBy.get(process.name) ?? { plans: [], members: [] };
        readBy.set(process.name, reads);
        hear(method, answer, reads);
        return;
      }
      const { applied, item } = answer as Conditional<Lease>;
      if (!applied) return;
      if (method === 'takeLease') {
        const take = effect.args[0] as Take;
        // An item deleted by hand begins at epoch 1 again.
        const before = item.epoch === 1 ? null : (leases.get(item.taskId) ?? null);
        const what = notAsExpected(take, before) ?? notAllowed(take, before, readBy.get(process.name));
        if (what !== null) wrong(`${process.name} takes ${item.taskId} for ${said(take.owner)}: ${what}`);
      }
      leases.set(item.taskId, item);
    };
    cloud.listen(heard, ['listMembers', 'readPlan', 'readPlanNumber', 'takeLease', 'releaseLease']);
    return {};
  },
};

function hear(method: string, answer: unknown, { plans, members }: Reads): void {
  if (method === 'listMembers') {
    keep(members, answer as readonly Member[]);
    return;
  }
  const plan = answer as Plan | null;
  if (plan !== null && plans.at(-1)?.number !== plan.number) keep(plans, plan);
}

function keep<T>(kept: T[], read: T): void {
  kept.push(read);
  if (kept.length > READS_KEPT) kept.shift();
}

/** E1 */
function notAsExpected({ expected }: Take, before: Lease | null): string | null {
  if (expected === null || before === null)
    return expected === before ? null : `it expected ${expected === null ? 'no item' : 'an item'}`;
  if (expected.epoch === before.epoch && isSame(expected.owner, before.owner)) return null;
  return `it expected epoch ${expected.epoch} of ${said(expected.owner)}, which is epoch ${before.epoch} of ${said(before.owner)}`;
}

/** R1 to R4 */
function notAllowed({ owner: self, taskId }: Take, before: Lease | null, reads: Reads | undefined): string | null {
  const owner = before?.owner ?? null;
  if (owner !== null && isSame(owner, self)) return null; // R3
  const plans = reads?.plans ?? [];
  const granting = plans.filter(({ assignment }) => assignment[self.memberId]?.active.includes(taskId) === true);
  if (owner === null)
    return granting.length > 0 || isFreeForDoorbell(taskId, plans, reads?.members ?? [])
      ? null
      : 'no plan that it has read grants it that, and it is granted to a live member';
  if (granting.length === 0) return `no plan that it has read grants it that, and ${said(owner)} holds it`;
  const isOwnSlot = owner.memberId === self.memberId && owner.incarnation < self.incarnation;
  if (isOwnSlot || granting.some((plan) => isDead(plan, owner))) return null;
  return `${said(owner)} holds it, and no plan has declared that dead`;
}

/** R4, for one of the plans and one of the lists of members that it has read. */
function isFreeForDoorbell(taskId: TaskId, plans: readonly Plan[], lists: readonly (readonly Member[])[]): boolean {
  if (plans.length === 0) return true;
  return plans.some((plan) =>
    lists.some((members) =>
      members.every(
        (member) =>
          (member.status !== 'claimed' && member.status !== 'draining') ||
          isDead(plan, member) ||
          plan.assignment[member.memberId]?.active.includes(taskId) !== true,
      ),
    ),
  );
}

function isDead({ dead }: Plan, { memberId, incarnation }: Incarnation): boolean {
  return dead.some((one) => one.memberId === memberId && incarnation <= one.incarnation);
}

function isSame(a: Incarnation | null, b: Incarnation | null): boolean {
  return a?.memberId === b?.memberId && a?.incarnation === b?.incarnation;
}

function said(owner: Incarnation | null): string {
  return owner === null ? 'nobody' : `${owner.memberId}/${owner.incarnation}`;
}
