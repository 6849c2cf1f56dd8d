/**
 * What must hold in every state of the protocol and at every step, whatever happens. Numbered; docs/protocol.md explains each.
 */
import type { Lease } from '../../leases/records.js';
import { INDEXES, idOf, memberOf, type Process, SLOT_IDS, type State, TASK_IDS } from './state.js';
import type { Deed, Step } from './step.js';

/** Plans that one disturbance may cost: the death, the return, and what the return waits for. */
const PLANS_PER_DISTURBANCE = 3;

export interface Invariant {
  readonly id: string;
  readonly text: string;
  /** Whether the step keeps it; absent: it is judged over all states (M11). */
  readonly holds?: (before: State, step: Step) => boolean;
}

export const INVARIANTS: readonly Invariant[] = [
  {
    id: 'M1',
    text: 'a task has at most one effective writer: once a producer was initialised under an epoch, no commit of an earlier one counts',
    holds: (before, { deed }) => {
      if (deed?.type !== 'commit') return true;
      return (deed.by.runs[deed.task]?.epoch ?? 0) >= before.initialised[deed.task];
    },
  },
  {
    id: 'M2',
    text: 'committed offsets never go back: a commit that counts goes on from the one before',
    holds: (_, { deed }) => deed?.type !== 'commit' || deed.by.runs[deed.task]?.position === 'fresh',
  },
  {
    id: 'M3',
    text: 'the incarnation of a slot grows by one with each claim, never otherwise, also where the slot was deleted in between',
    holds: (before, { after, deed }) =>
      INDEXES.every((slot) => {
        const grows = deed?.type === 'slot' && deed.command === 'claim' && deed.slot === slot ? 1 : 0;
        return (after.slots[slot]?.incarnation ?? 0) === (before.slots[slot]?.incarnation ?? 0) + grows;
      }),
  },
  {
    id: 'M4',
    text: 'no two processes are one incarnation of one slot',
    holds: (_, { after, deed }) => {
      if (deed?.type !== 'slot' || deed.command !== 'claim') return true;
      const names = after.processes.map(({ slot, incarnation }) => `${slot}#${incarnation}`);
      return new Set(names).size === names.length;
    },
  },
  {
    id: 'M5',
    text: 'the epoch of a lease grows by one with each take, never otherwise',
    holds: (before, { after, deed }) =>
      INDEXES.every((task) => {
        const grows = deed?.type === 'take' && deed.task === task ? 1 : 0;
        return (after.leases[task]?.epoch ?? 0) === (before.leases[task]?.epoch ?? 0) + grows;
      }),
  },
  {
    id: 'M6',
    text: 'a lease is wanted only by whom a plan grants the task, or by a doorbell where no live member is granted it',
    holds: (_, { deed }) => deed?.type !== 'decide-to-take' || hasRight(deed),
  },
  {
    id: 'M7',
    text: 'an owner loses its lease only by its own release, to itself, to a later incarnation of its slot, or declared dead',
    holds: (before, { deed }) => {
      if (deed?.type !== 'take' && deed?.type !== 'release') return true;
      return mayEnd(before.leases[deed.task], deed);
    },
  },
  {
    id: 'M8',
    text: 'nobody is declared dead, by a slot or by a plan, who runs its slot and renews in time',
    holds: (before, { deed }) => {
      if (deed?.type === 'slot' && deed.command === 'declareDead')
        return !before.processes.some((process) => process.slot === deed.slot && isRunning(before, process));
      if (deed?.type !== 'plan') return true;
      return !before.processes.some(
        (process) =>
          isRunning(before, process) &&
          deed.after.dead.some(
            (one) => one.memberId === SLOT_IDS[process.slot] && one.incarnation >= process.incarnation,
          ),
      );
    },
  },
  {
    id: 'M9',
    text: 'the number of the plan grows by one with each plan, and a plan grants each task once',
    holds: (before, { deed }) => {
      if (deed?.type !== 'plan') return true;
      const granted = Object.values(deed.after.assignment).flatMap(({ active }) => active);
      const isWhole = granted.length === TASK_IDS.length && TASK_IDS.every((taskId) => granted.includes(taskId));
      return isWhole && deed.after.number === (before.plan?.number ?? 0) + 1;
    },
  },
  {
    id: 'M10',
    text: 'the scheduler falls quiet: a disturbance costs at most three plans',
    holds: (before, { deed }) =>
      deed?.type !== 'plan' || deed.after.number <= 1 + PLANS_PER_DISTURBANCE * before.disturbances,
  },
  {
    id: 'M11',
    text: 'nothing gets stuck: whatever has happened, members in time and the scheduler can bring both tasks to run again, without a disturbance and without those that are late',
  },
];

/** Where M11 wants to get: each task runs, in the hands of a member that keeps its slot. */
export function isAtWork(state: State): boolean {
  return INDEXES.every((task) =>
    state.processes.some(({ slot, incarnation, isLate, stage, runs }) => {
      const run = runs[task];
      const owner = state.leases[task]?.owner;
      return (
        run?.phase === 'running' &&
        run.producer === 'current' &&
        !isLate &&
        stage === 'working' &&
        owner?.memberId === SLOT_IDS[slot] &&
        owner.incarnation === incarnation
      );
    }),
  );
}

function hasRight({ by, task, members }: Extract<Deed, { type: 'decide-to-take' }>): boolean {
  const { plan, wanted } = by;
  const granted = (slot: string) => plan?.assignment[slot as 'member-1']?.active.includes(TASK_IDS[task]) === true;
  if (granted(SLOT_IDS[by.slot])) return true;
  if (wanted !== task || members === null) return false;
  const isDead = (id: string, incarnation: number) =>
    plan?.dead.some((one) => one.memberId === id && one.incarnation >= incarnation) === true;
  return !members.some(
    ({ memberId, status, incarnation }) =>
      (status === 'claimed' || status === 'draining') && granted(memberId) && !isDead(memberId, incarnation),
  );
}

function mayEnd(lease: Lease | null, deed: Extract<Deed, { type: 'take' | 'release' }>): boolean {
  const owner = lease?.owner ?? null;
  const { by } = deed;
  if (deed.type === 'release')
    return (
      owner?.memberId === SLOT_IDS[by.slot] &&
      owner.incarnation === by.incarnation &&
      lease?.epoch === by.runs[deed.task]?.epoch
    );
  if (owner === null) return true;
  const taker = idOf(by);
  if (owner.memberId === taker.memberId && owner.incarnation <= taker.incarnation) return true;
  return by.plan?.dead.some((one) => one.memberId === owner.memberId && one.incarnation >= owner.incarnation) === true;
}

/** Whether a process is its slot's current incarnation and renews. */
function isRunning(state: State, { slot, incarnation, isLate }: Process): boolean {
  const item = memberOf(state.slots[slot]);
  const isCurrent = item?.incarnation === incarnation && (item.status === 'claimed' || item.status === 'draining');
  return isCurrent && !isLate;
}
