/**
 * The tables in memory: for the embedded system, tests and the simulation.
 *
 * Each operation is one step of the event loop, so it is atomic by construction. What goes in is copied, and all is frozen: no
 * caller can change an item behind the store's back, nor what another has read.
 */
import { compareTaskIds, type TaskId } from '../../model/task-id.js';
import { stepDrainMark } from '../drain-marks.js';
import type { Conditional, LeaseStore } from '../lease-store.js';
import { stepLease, stepPlan, stepTopicIds } from '../lease-transitions.js';
import { type MemberCommand, type SlotItem, stepMember } from '../member-transitions.js';
import type { Lease, Member, MemberId, Plan } from '../records.js';
import { compareMemberIds } from '../slots.js';
import { deepFreeze, frozenCopy } from './frozen-copy.js';
import { createMemoryHistory } from './memory-history.js';

/** Plans kept unless told otherwise: enough to see why a task moved during the last hours. */
export const DEFAULT_PLANS_KEPT = 100;

export interface MemoryLeaseStoreOptions {
  /** Newest plans that `readPlanNumber` still finds; at least 1. */
  readonly plansKept?: number;
  /** The newest plan of an earlier life of the application: the next one follows it. Default: there was none. */
  readonly newestPlan?: Plan | null;
}

/** The tables in memory, with an operator's hand in them. */
export interface MemoryLeaseStore extends LeaseStore {
  /**
   * Deletes an item as somebody does with a console: no condition, and no gravestone stays. The engines never do so.
   *
   * @returns whether there was one
   */
  deleteItem(table: 'members', key: MemberId): boolean;
  deleteItem(table: 'leases', key: TaskId): boolean;
  /** Of the newest plan; those before stay to be read up in DynamoDB, and here nobody asks for them. */
  deleteItem(table: 'plans', key: 'newest'): boolean;
}

/** Makes tables without members and leases. */
export function createMemoryLeaseStore(options: MemoryLeaseStoreOptions = {}): MemoryLeaseStore {
  const plansKept = Math.max(1, options.plansKept ?? DEFAULT_PLANS_KEPT);
  const slots = new Map<MemberId, SlotItem>();
  const leases = new Map<TaskId, Lease>();
  const { newestPlan = null } = options;
  const plans: Plan[] = newestPlan === null ? [] : [frozenCopy(newestPlan)];

  async function writeMember(command: MemberCommand): Promise<Conditional<Member>> {
    const { answer, after } = stepMember(slots.get(command.memberId) ?? null, frozenCopy(command));
    if (after !== null) slots.set(command.memberId, deepFreeze(after));
    return deepFreeze(answer);
  }

  async function writeLease<C extends { readonly taskId: TaskId }>(
    step: (before: Lease | null, command: C) => Conditional<Lease>,
    command: C,
  ): Promise<Conditional<Lease>> {
    const answer = step(leases.get(command.taskId) ?? null, frozenCopy(command));
    if (answer.applied) leases.set(command.taskId, deepFreeze(answer.item));
    return deepFreeze(answer);
  }

  const presentMember = (memberId: MemberId): Member | null => {
    const item = slots.get(memberId);
    return item === undefined || item.status === 'retired' ? null : item;
  };

  return {
    async listMembers() {
      const ids = [...slots.keys()].sort(compareMemberIds);
      return ids.map(presentMember).filter((member) => member !== null);
    },
    readMember: async (memberId) => presentMember(memberId),
    createMember: (memberId, after = 0) => writeMember({ type: 'create', memberId, after }),
    claimMember: (claim) => writeMember({ ...claim, type: 'claim' }),
    heartbeat: (beat) => writeMember({ ...beat, type: 'heartbeat' }),
    drainMember: (member) => writeMember({ ...member, type: 'drain' }),
    freeMember: (member) => writeMember({ ...member, type: 'free' }),
    declareDead: (member) => writeMember({ ...member, type: 'declareDead' }),
    announcePlan: (memberId, planNumber) => writeMember({ type: 'announcePlan', memberId, planNumber }),
    deleteMember: (member) => writeMember({ ...member, type: 'delete' }),
    async markDrain(memberId, drain) {
      const answer = frozenCopy(stepDrainMark(slots.get(memberId) ?? null, drain));
      if (answer.applied) slots.set(memberId, answer.item);
      return answer;
    },

    listLeases: async () => [...leases.values()].sort((a, b) => compareTaskIds(a.taskId, b.taskId)),
    readLease: async (taskId) => leases.get(taskId) ?? null,
    takeLease: (take) => writeLease(stepLease, { ...take, type: 'take' }),
    releaseLease: (release) => writeLease(stepLease, { ...release, type: 'release' }),
    recordTopics: (record) => writeLease(stepTopicIds, record),

    readPlan: async () => plans.at(-1) ?? null,
    async writePlan(plan, { anew } = { anew: false }) {
      const answer = frozenCopy(stepPlan(plans.at(-1) ?? null, plan, anew));
      if (answer.applied) plans.push(answer.item);
      if (plans.length > plansKept) plans.shift();
      return answer;
    },
    readPlanNumber: async (number) => plans.find((plan) => plan.number === number) ?? null,

    ...createMemoryHistory(),

    deleteItem(table, key) {
      if (table === 'plans') return plans.splice(0).length > 0;
      return table === 'members' ? slots.delete(key as MemberId) : leases.delete(key as TaskId);
    },
  };
}
