import type { TaskId } from '../model/task-id.js';
import type { Incarnation, Member, Plan } from './records.js';
import { isGrantedTo } from './rules.js';
import { compareMemberIds, lowestUnusedSlot } from './slots.js';

/**
 * The slot for an invocation that a doorbell woke: of those that nobody has, and no operator drains, the one that is granted most of what it is to run, the
 * lowest of several; else a new one. What is granted to other slots is theirs: the scheduler asks for them.
 */
export function chooseSlotForDoorbell(question: {
  readonly members: readonly Member[];
  readonly plan: Plan | null;
  readonly wanted: readonly TaskId[];
}): Incarnation {
  const { members, plan, wanted } = question;
  const grants = ({ memberId: id }: Member) =>
    plan === null ? 0 : wanted.filter((taskId) => isGrantedTo(plan, taskId, id)).length;
  const [open] = members
    .filter(({ status, drain }) => (status === 'free' || status === 'dead') && drain === undefined)
    .sort((a, b) => grants(b) - grants(a) || compareMemberIds(a.memberId, b.memberId));
  return open === undefined ? { memberId: lowestUnusedSlot(members), incarnation: 1 } : nextOf(open);
}

function nextOf({ memberId, incarnation }: Member): Incarnation {
  return { memberId, incarnation: incarnation + 1 };
}
