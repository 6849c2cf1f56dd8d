/**
 * No conditional write was applied that should have been refused: a release is the current owner's (E2), a death is declared for
 * the heartbeat that the item has (M6), plan numbers grow by one (E4). Takes have a checker of their own (takes-are-allowed.ts).
 */
import type { Conditional, LeaseTable, MemberTable } from '../../../leases/lease-store.js';
import type { Lease, Member, Plan } from '../../../leases/records.js';
import type { TaskId } from '../../../model/task-id.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

export const writesMeetConditions: Checker = {
  name: 'writes-meet-conditions',
  watch({ cloud, wrong }) {
    const tables = new Tables();
    const hear = (effect: Effect) => {
      const what = tables.hear(effect);
      if (what !== null) wrong(`${effect.process.name} ${what}`);
    };
    cloud.listen(hear, ['takeLease', 'releaseLease', 'declareDead', 'writePlan']);
    return {};
  },
};

class Tables {
  private readonly leases = new Map<TaskId, Lease>();
  private planNumber = 0;

  /** @returns what is wrong with an applied write, in words; null: nothing, or it was none */
  hear(effect: Effect): string | null {
    if (!effect.ok) return null;
    const { method, args } = effect;
    const answer = effect.answer as Conditional<unknown> | undefined;
    if (answer?.applied !== true) return null; // what is only kept for people has no condition
    switch (method) {
      case 'takeLease':
        this.leases.set((answer.item as Lease).taskId, answer.item as Lease);
        return null;
      case 'releaseLease':
        return this.released(args[0] as Parameters<LeaseTable['releaseLease']>[0], answer.item as Lease);
      case 'declareDead':
        return buried(args[0] as Parameters<MemberTable['declareDead']>[0], answer.item as Member);
      case 'writePlan':
        return this.planned(answer.item as Plan, args[1] as { readonly anew?: boolean } | undefined);
      default:
        return null;
    }
  }

  private released({ taskId, owner, epoch }: Parameters<LeaseTable['releaseLease']>[0], after: Lease): string | null {
    const before = this.leases.get(taskId);
    this.leases.set(taskId, after);
    const { memberId, incarnation } = owner;
    const isOwners =
      before?.epoch === epoch && before.owner?.memberId === memberId && before.owner.incarnation === incarnation;
    if (isOwners) return null;
    return `releases ${taskId} as ${memberId}/${incarnation} in epoch ${epoch}, where ${before?.owner?.memberId ?? 'nobody'} has epoch ${before?.epoch}`;
  }

  private planned({ number }: Plan, how: { readonly anew?: boolean } | undefined): string | null {
    const before = this.planNumber;
    this.planNumber = number;
    if (how?.anew === true && number > before) return null; // the first, or after its row was deleted
    return number === before + 1 ? null : `writes plan ${number} where the newest is ${before}`;
  }
}

function buried(
  { memberId, heartbeatVersion }: Parameters<MemberTable['declareDead']>[0],
  after: Member,
): string | null {
  if (after.heartbeatVersion === heartbeatVersion) return null;
  return `declares ${memberId} dead that stood still at heartbeat ${heartbeatVersion}, and is at ${after.heartbeatVersion}`;
}
