/**
 * The life of a lease and the row of plans, as pure transitions. Every adapter performs these and no others; a model checker
 * walks the same functions. Who *should* write is in rules.ts.
 *
 * ```
 *            take (epoch 1)            release (epoch stays)
 *   absent ────────────────▶ held ──────────────────────────▶ free
 *                            ▲  │ take (epoch + 1)              │
 *                            └──┴───────────────────────────────┘ take (epoch + 1)
 * ```
 *
 * Invariants
 *   E1  the epoch grows by one with each take, never otherwise (P2): two takes that expect the same item, one applies
 *   E2  only the owner of the current epoch releases; after a take by somebody else its release is refused
 *   E3  recorded offsets survive takes and releases without offsets: a task that has worked is known to have worked
 *   E4  plan numbers grow by one, from 1 (P3): two schedulers that write the same number, one applies. Where the row was deleted by hand they
 *       begin anew, with whatever number the first writer gives: members that know of higher ones than 1 would never hear of it
 *   E5  recorded punctuations last until the next take
 *   E6  recorded topic ids last until the owner of the current epoch records others: no take or release loses them
 */
import type { TaskId } from '../model/task-id.js';
import type { Conditional } from './lease-store.js';
import type {
  Incarnation,
  Lease,
  LeaseEpoch,
  Plan,
  RecordedOffsets,
  RecordedPunctuation,
  TopicIds,
} from './records.js';

/** One conditional write. */
export type LeaseCommand =
  | {
      readonly type: 'take';
      readonly taskId: TaskId;
      readonly owner: Incarnation;
      readonly expected: Pick<Lease, 'epoch' | 'owner'> | null;
    }
  | {
      readonly type: 'release';
      readonly taskId: TaskId;
      readonly owner: Incarnation;
      readonly epoch: LeaseEpoch;
      readonly offsets: RecordedOffsets | null;
      readonly punctuations?: readonly RecordedPunctuation[];
      readonly releasedAtMs?: number;
    };

/** Applies one conditional write to the lease of the task that the command names, or to none (null). */
export function stepLease(before: Lease | null, command: LeaseCommand): Conditional<Lease> {
  switch (command.type) {
    case 'take':
      if (!isAsExpected(before, command.expected)) return { applied: false, item: before };
      return { applied: true, item: taken(before, command.taskId, command.owner) };
    case 'release':
      if (before === null || before.epoch !== command.epoch || !isSameIncarnation(before.owner, command.owner)) {
        return { applied: false, item: before };
      }
      return { applied: true, item: released(before, command) };
  }
}

/** Records which topics the task's offsets and state are of; who holds the lease stays (E6). */
export function stepTopicIds(
  before: Lease | null,
  { owner, epoch, topicIds }: { readonly owner: Incarnation; readonly epoch: LeaseEpoch; readonly topicIds: TopicIds },
): Conditional<Lease> {
  if (!isHeldAs(before, { owner, epoch }) || before === null) return { applied: false, item: before };
  return { applied: true, item: { ...before, topicIds } };
}

/** Writes the next plan after `newest`. @param isAnew whether it is to be the first, of any number */
export function stepPlan(newest: Plan | null, plan: Plan, isAnew = false): Conditional<Plan> {
  const isNext = isAnew ? newest === null : plan.number === (newest?.number ?? 0) + 1;
  return isNext ? { applied: true, item: plan } : { applied: false, item: newest };
}

/** Whether two owners are one incarnation of one slot, or both nobody. */
export function isSameIncarnation(a: Incarnation | null, b: Incarnation | null): boolean {
  if (a === null || b === null) return a === b;
  return a.memberId === b.memberId && a.incarnation === b.incarnation;
}

/** Whether a lease as read is the one that its owner took: the same owner in the same epoch. */
export function isHeldAs(seen: Lease | null, taken: Pick<Lease, 'epoch'> & { readonly owner: Incarnation }): boolean {
  return seen !== null && seen.epoch === taken.epoch && isSameIncarnation(seen.owner, taken.owner);
}

/** Whether a lease as read is what its owner's own next take makes of it: nobody but the owner writes itself into the item. */
export function isNextOf(seen: Lease | null, taken: Pick<Lease, 'epoch'> & { readonly owner: Incarnation }): boolean {
  return seen !== null && seen.epoch === taken.epoch + 1 && isSameIncarnation(seen.owner, taken.owner);
}

function isAsExpected(item: Lease | null, expected: Pick<Lease, 'epoch' | 'owner'> | null): boolean {
  if (item === null || expected === null) return item === expected;
  return item.epoch === expected.epoch && isSameIncarnation(item.owner, expected.owner);
}

function taken(before: Lease | null, taskId: TaskId, owner: Incarnation): Lease {
  const { memberId, incarnation } = owner;
  const epoch = ((before?.epoch ?? 0) + 1) as LeaseEpoch;
  return { taskId, epoch, owner: { memberId, incarnation }, offsets: before?.offsets ?? null, ...topicIdsOf(before) };
}

function released(before: Lease, command: Extract<LeaseCommand, { type: 'release' }>): Lease {
  const { offsets, punctuations = [], releasedAtMs } = command;
  const { taskId, epoch } = before;
  const at = releasedAtMs === undefined ? {} : { releasedAtMs };
  const free = { taskId, epoch, owner: null, offsets: offsets ?? before.offsets, ...at, ...topicIdsOf(before) };
  return punctuations.length === 0 ? free : { ...free, punctuations };
}

function topicIdsOf(before: Lease | null): Pick<Lease, 'topicIds'> {
  return before?.topicIds === undefined ? {} : { topicIds: before.topicIds };
}
