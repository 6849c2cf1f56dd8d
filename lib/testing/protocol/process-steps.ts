/**
 * Steps of a process with its slot: claim, heartbeat, plan, drain, leave, end; and what may befall it. Each is one read or one write
 * of claim-slot.ts, heartbeat.ts, hand-over.ts and run-member.ts.
 */

import { chooseSlotForDoorbell } from '../../leases/doorbell-slot.js';
import { EMPTY_REPORT, type MemberCommand } from '../../leases/member-transitions.js';
import { mayTakeForDoorbell } from '../../leases/rules.js';
import type { Protections } from './protections.js';
import { runSteps } from './run-steps.js';
import {
  INDEXES,
  type Index,
  idOf,
  memberOf,
  membersOf,
  type Process,
  SLOT_IDS,
  type State,
  TASK_IDS,
} from './state.js';
import type { Emit } from './step.js';
import { writeSlot } from './tables.js';
import { changed, disturbed, type Turn, turnOf } from './turn.js';

/** Emits what the processes there are can do, and what can befall them. */
export function processSteps(state: State, protections: Protections, emit: Emit) {
  for (const [at, self] of state.processes.entries()) {
    const turn = turnOf(state, at, self, protections, emit);
    readFirstPlan(turn);
    heartbeat(turn);
    stopBySelf(turn);
    handOver(turn);
    leave(turn);
    for (const task of INDEXES) runSteps(turn, task);
    if (state.disturbancesLeft === 0) continue;
    turn.befall('crashes', changed(state, at, null));
    if (!self.isLate) turn.befall('freezes, or is cut off from the tables', become(turn, { isLate: true }));
  }
}

/** Emits the invocations that may arrive: one that was asked for, one that arrives once more, one that a doorbell wakes. */
export function invocationSteps(state: State, protections: Protections, emit: Emit) {
  for (const slot of INDEXES) {
    const item = memberOf(state.slots[slot]);
    if (item === null) continue;
    if (state.invoked[slot]) claim(state, { slot, incarnation: item.incarnation + 1, wanted: null }, protections, emit);
    const isRepeated = item.incarnation > 0 && !protections.claimCondition; // refused, and without effect, with it
    if (isRepeated) claim(state, { slot, incarnation: item.incarnation, wanted: null }, protections, emit);
  }
  for (const task of INDEXES) doorbell(state, task, protections, emit);
}

type Newcomer = Pick<Process, 'slot' | 'incarnation' | 'wanted'>;

function claim(state: State, newcomer: Newcomer, protections: Protections, emit: Emit) {
  const { slot, incarnation, wanted } = newcomer;
  const command: MemberCommand = { ...idOf(newcomer), type: 'claim', report: EMPTY_REPORT, tags: {} };
  const { answer, after, deed, transition } = writeSlot(state, slot, command, protections);
  if (!answer.applied) return;
  const process: Process = {
    slot,
    incarnation,
    isLate: false,
    stage: 'working',
    plan: undefined,
    wanted,
    runs: [null, null],
  };
  emit({
    label: () => `${SLOT_IDS[slot]}#${incarnation} claims its slot`,
    after: { ...after, processes: [...after.processes, process] },
    deed,
    transition,
    isReliable: wanted === null,
  });
}

/** An event that says there is work: with nobody to leave the task to, an invocation claims a slot, or creates it first. */
function doorbell(state: State, task: Index, protections: Protections, emit: Emit) {
  if (state.disturbancesLeft === 0) return;
  const { plan } = state;
  const members = membersOf(state);
  const taskId = TASK_IDS[task];
  const decision = mayTakeForDoorbell({ plan, taskId, lease: state.leases[task], members });
  const isMistaken = !protections.doorbellRule && !decision.may && decision.because === 'granted-to-live-member';
  if (!decision.may && !isMistaken) return;
  const chosen = chooseSlotForDoorbell({ members, plan, wanted: [taskId] });
  const slot = INDEXES.find((index) => SLOT_IDS[index] === chosen.memberId);
  if (slot === undefined) return; // a third slot: the model has two
  const disturbedState = disturbed(state);
  if (memberOf(state.slots[slot]) !== null)
    return claim(disturbedState, { slot, incarnation: chosen.incarnation, wanted: task }, protections, emit);
  const created = writeSlot(disturbedState, slot, { type: 'create', memberId: SLOT_IDS[slot] }, protections);
  if (!created.answer.applied) return;
  const { deed, transition } = created;
  emit({
    label: () => `a doorbell creates ${SLOT_IDS[slot]}`,
    after: created.after,
    deed,
    transition,
    isReliable: false,
  });
  if (created.answer.item.incarnation === 0)
    claim(created.after, { slot, incarnation: 1, wanted: task }, protections, emit);
}

function readFirstPlan(turn: Turn) {
  const { self, state } = turn;
  if (self.plan !== undefined || self.stage !== 'working') return;
  turn.emit(() => `reads plan ${state.plan?.number ?? 'none'}`, become(turn, { plan: state.plan }));
}

/**
 * Renews, and reads the plan that the answer announces. Heartbeats that change nothing are left out: those of a member in time,
 * of which nobody has read the version, and that knows the plan.
 */
function heartbeat(turn: Turn) {
  const { self, state, protections } = turn;
  if (self.stage === 'superseded' || isVain(turn)) return;
  const command: MemberCommand = { ...idOf(self), type: 'heartbeat', report: EMPTY_REPORT };
  const { answer, after, deed, transition } = writeSlot(state, self.slot, command, protections);
  if (!answer.applied) return loseSlot(turn, answer.item?.incarnation ?? 0);
  const isDeciding = self.runs.some((run) => run?.phase === 'deciding');
  const isAnnounced = answer.item.planNumber > (self.plan?.number ?? 0);
  const reads = isAnnounced && self.plan !== undefined && self.stage === 'working' && !isDeciding;
  const renewed: Process = { ...self, isLate: false, plan: reads ? state.plan : self.plan };
  const label = reads ? `renews, and reads plan ${state.plan?.number}` : 'renews';
  turn.emit(label, changed(after, turn.at, renewed), { deed, transition });
}

/** Whether a heartbeat would change nothing. */
function isVain({ self, state }: Turn): boolean {
  const item = memberOf(state.slots[self.slot]);
  const isCurrent = item?.incarnation === self.incarnation && (item.status === 'claimed' || item.status === 'draining');
  if (!isCurrent || self.isLate || isWatched(state, self)) return false;
  return self.plan === undefined || self.stage !== 'working' || item.planNumber <= (self.plan?.number ?? 0);
}

/** Whether a tick is about to declare this incarnation dead, for the version that it has read. */
function isWatched({ ticks }: State, { slot, incarnation }: Process): boolean {
  if (ticks.length === 0) return false;
  return ticks.some(({ actions, members }) =>
    [...actions.filter(({ type }) => type === 'DeclareDead'), ...(members ?? [])].some(
      (one) =>
        'memberId' in one && one.memberId === SLOT_IDS[slot] && 'incarnation' in one && one.incarnation === incarnation,
    ),
  );
}

function loseSlot(turn: Turn, seenIncarnation: number) {
  const { self } = turn;
  const isHandingOver = self.stage === 'draining' || self.stage === 'handing-over';
  if (isHandingOver && seenIncarnation > self.incarnation)
    return turn.emit('finds its successor there', become(turn, { stage: 'superseded' }));
  turn.emit('finds its slot lost, and ends', changed(turn.state, turn.at, null));
}

function stopBySelf(turn: Turn) {
  const { self, state, at, protections } = turn;
  if (!self.isLate || !protections.selfStop || self.stage === 'superseded') return;
  turn.emit('stops by itself: it could not renew', changed(state, at, null));
}

function handOver(turn: Turn) {
  const { self, state, protections } = turn;
  const { slot } = self;
  if (self.stage === 'working') {
    if (state.disturbancesLeft === 0) return;
    const { answer, after, deed, transition } = writeSlot(state, slot, { ...idOf(self), type: 'drain' }, protections);
    const stage = answer.applied ? 'draining' : 'leaving';
    turn.befall('nears its deadline, and drains', changed(after, turn.at, { ...self, stage }), { deed, transition });
    return;
  }
  if (self.stage === 'draining') {
    const item = memberOf(state.slots[slot]);
    const isNext = item !== null && item.incarnation === self.incarnation;
    const after: State = isNext
      ? { ...state, invoked: slot === 0 ? [true, state.invoked[1]] : [state.invoked[0], true] }
      : state;
    turn.emit('invokes its successor', changed(after, turn.at, { ...self, stage: 'handing-over' }));
  }
  if (self.stage === 'draining' || self.stage === 'handing-over')
    turn.emit('waits for its successor no longer', become(turn, { stage: 'leaving' }));
}

function leave(turn: Turn) {
  const { self, state, at, protections } = turn;
  const hasRuns = self.runs.some((run) => run !== null);
  const isDeciding = self.runs.some((run) => run?.phase === 'deciding');
  if (self.stage === 'working' && !isDeciding) {
    turn.befall('is stopped in order', become(turn, { stage: 'leaving' }));
    const { plan, wanted } = self;
    if (plan !== undefined && plan !== null && wanted === null && plan.assignment[SLOT_IDS[self.slot]] === undefined)
      turn.emit('is not wanted any more', become(turn, { stage: 'leaving' }));
    if (plan !== undefined && wanted !== null && isIdle(self))
      turn.emit('has no more work', become(turn, { stage: 'leaving' }));
  }
  if (hasRuns) return;
  if (self.stage === 'superseded') turn.emit('ends', changed(state, at, null));
  if (self.stage !== 'leaving') return;
  const { after, deed, transition } = writeSlot(state, self.slot, { ...idOf(self), type: 'free' }, protections);
  turn.emit('frees its slot, and ends', changed(after, at, null), { deed, transition });
}

/** A doorbell's member ends when what it has taken runs without work. */
function isIdle({ runs }: Process): boolean {
  return runs.every((run) => run === null || run.phase === 'running');
}

function become(turn: Turn, changes: Partial<Process>): State {
  return changed(turn.state, turn.at, { ...turn.self, ...changes });
}
