/**
 * Steps of schedulers: list leases, then members and the plan, decide, and do what was decided, one write after the other. A
 * scheduler may die at any point, and two may overlap; what they decide is the code's (`decide`), what they make of a refusal too
 * (outcomes.ts).
 */

import { stepPlan } from '../../leases/lease-transitions.js';
import type { MemberCommand } from '../../leases/member-transitions.js';
import type { Incarnation, Lease, Member } from '../../leases/records.js';
import type { Action, DeclareDead, WritePlan } from '../../scheduler/actions.js';
import { outcomeOfDeath } from '../../scheduler/outcomes.js';
import type { Sight } from './application.js';
import { keyOfActions } from './keys.js';
import type { Protections } from './protections.js';
import { type Index, leasesOf, memberOf, membersOf, replaced, SLOT_IDS, type State, type Tick } from './state.js';
import type { Deed, Emit, Step } from './step.js';
import { writeSlot } from './tables.js';
import { disturbed } from './turn.js';
import { isOrdered, undertakings } from './undertakings.js';

/** Ticks at once. */
const OVERLAPPING_TICKS = 2;

/** Emits what schedulers can do. */
export function tickSteps(state: State, protections: Protections, emit: Emit) {
  if (state.ticks.length < OVERLAPPING_TICKS) begin(state, protections, emit);
  for (const [at, tick] of state.ticks.entries()) {
    if (isDeciding(tick)) lookAndDecide(state, at, tick, protections, emit);
    else act(state, at, tick, protections, emit);
    if (tick.actions.length > 0) step(emit, () => 'a scheduler dies', without(state, at));
  }
}

function isDeciding({ leases, members }: Tick): boolean {
  return leases !== null || members !== null;
}

/** A tick that lists all at one moment. One that overlaps with another is a disturbance. */
function begin(state: State, protections: Protections, emit: Emit) {
  const tick: Tick = { leases: leasesOf(state).map(listed), members: null, actions: [] };
  const isOverlap = state.ticks.length > 0;
  if (isOverlap && state.disturbancesLeft === 0) return;
  const begun: State = { ...state, ticks: [...state.ticks, tick] };
  lookAndDecide(isOverlap ? disturbed(begun) : begun, state.ticks.length, tick, protections, emit);
}

/**
 * Emits a step, and for a step that changes what a tick lists first (leases; members for a mutant) also the case that a tick had
 * listed just before it and is still to list the rest. Where nothing has changed since, a tick that lists all at once does the same.
 */
export function besideListing(before: State, protections: Protections, emit: Emit): Emit {
  if (before.ticks.length === OVERLAPPING_TICKS) return emit;
  const isOverlap = before.ticks.length > 0;
  return (one) => {
    emit(one);
    const { after } = one;
    const isChanged = protections.leasesBeforeMembers ? after.leases !== before.leases : after.slots !== before.slots;
    if (!isChanged || (isOverlap && after.disturbancesLeft === 0)) return;
    const tick: Tick = protections.leasesBeforeMembers
      ? { leases: leasesOf(before).map(listed), members: null, actions: [] }
      : { leases: null, members: membersOf(before), actions: [] };
    const listedBefore: State = { ...after, ticks: [...after.ticks, tick] };
    const what = protections.leasesBeforeMembers ? 'leases' : 'members';
    const label = () => `(a scheduler lists ${what}) ${one.label()}`;
    emit({ ...one, label, after: isOverlap ? disturbed(listedBefore) : listedBefore, isReliable: false });
  };
}

/** A lease as far as a tick looks at it: its owner. */
function listed(lease: Lease): Lease {
  return { ...lease, epoch: 1 as Lease['epoch'] };
}

function lookAndDecide(state: State, at: number, tick: Tick, protections: Protections, emit: Emit) {
  const leases = tick.leases ?? leasesOf(state).map(listed);
  const members = tick.members ?? membersOf(state);
  const seen = new Set<string>();
  for (const { sight, isRare } of sights(state, members, leases, protections)) {
    for (const actions of undertakings(sight, protections)) {
      const key = `${isRare} ${keyOfActions(actions)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      undertake(state, at, actions, isRare, protections, emit);
    }
  }
}

function undertake(
  state: State,
  at: number,
  actions: readonly Action[],
  isRare: boolean,
  protections: Protections,
  emit: Emit,
) {
  if (isRare && state.disturbancesLeft === 0) return;
  const before = isRare ? disturbed(state) : state;
  const details = { isReliable: !isRare };
  const [first] = actions;
  if (first === undefined) return step(emit, () => 'a scheduler finds nothing to do', without(before, at), details);
  const label = (does: string) => () => `a scheduler ${does}: ${actions.map(nameOf).join(', ')}`;
  if (isOrdered(first) || first.type === 'RetireSlot')
    return step(emit, label('decides to'), withTick(before, at, { leases: null, members: null, actions }), details);
  const { deed, transition, after } = actions.reduce<Effect>((effect, action) => applied(effect, action, protections), {
    after: without(before, at),
    deed: null,
    transition: null,
  });
  step(emit, label('does'), after, { ...details, deed, transition });
}

interface Effect {
  readonly after: State;
  readonly deed: Deed | null;
  readonly transition: Step['transition'];
}

interface Sighting {
  readonly sight: Sight;
  /** Whether it takes a disturbance: an invocation that nobody answered for a session time-out, a member cut off. */
  readonly isRare: boolean;
}

/** All that a tick can make of what it lists now: for how long each thing has stood still, and whose end was reported. */
function* sights(
  state: State,
  members: readonly Member[],
  leases: readonly Lease[],
  protections: Protections,
): Generator<Sighting> {
  const { wanted, plan } = state;
  const mayBeStill = members.filter((member) => !isRenewing(state, member) || !protections.selfStop);
  const mayHaveFailed: readonly Incarnation[] = members.filter((member) => isGone(state, member));
  for (const slots of subsets(mayBeStill)) {
    const still = new Set(slots.map(({ memberId }) => memberId));
    // Without self-stop who is cut off from the tables works on, and looks to the scheduler like one that is frozen.
    const isRare = slots.some((slot) => !isRunning(slot) || isRenewing(state, slot));
    for (const failed of subsets(mayHaveFailed))
      for (const isPlanOld of plan === null ? [false] : [false, true])
        yield { sight: { members, still, leases, plan, isPlanOld, failed, wanted }, isRare };
  }
}

function isRunning({ status }: Member): boolean {
  return status === 'claimed' || status === 'draining';
}

/** Whether a process keeps the slot's heartbeat moving: it runs and is in time. (B1 to B3 of heartbeat.ts.) */
function isRenewing({ processes }: State, member: Member): boolean {
  if (!isRunning(member)) return false;
  return processes.some((process) => isOf(process, member) && !process.isLate);
}

function isGone({ processes }: State, member: Member): boolean {
  return isRunning(member) && !processes.some((process) => isOf(process, member));
}

function isOf(process: State['processes'][number], member: Member): boolean {
  return SLOT_IDS[process.slot] === member.memberId && process.incarnation === member.incarnation;
}

/** The subsets of at most two items. */
function subsets<T>(items: readonly T[]): readonly (readonly T[])[] {
  return [[], ...items.map((item) => [item]), ...(items.length > 1 ? [items] : [])];
}

function act(state: State, at: number, tick: Tick, protections: Protections, emit: Emit) {
  const [action, ...rest] = tick.actions;
  if (action === undefined) return;
  const goOn = (after: State): State =>
    rest.length === 0 ? without(after, at) : withTick(after, at, { ...tick, actions: rest });
  if (action.type === 'DeclareDead') declareDead(state, at, tick, action, protections, emit, goOn);
  else if (action.type === 'WritePlan') writePlan(state, at, action, protections, emit, goOn);
  else {
    const { after, deed, transition } = applied({ after: state, deed: null, transition: null }, action, protections);
    step(emit, () => `a scheduler does: ${nameOf(action)}`, goOn(after), { deed, transition });
  }
}

/** The state after one write that no other depends on. Topics and standbys: there are none in the model. */
function applied({ after: before, ...nothing }: Effect, action: Action, protections: Protections): Effect {
  switch (action.type) {
    case 'AnnouncePlan':
      return write(
        before,
        { type: 'announcePlan', memberId: action.memberId, planNumber: action.planNumber },
        protections,
      );
    case 'CreateSlot':
      return write(before, { type: 'create', memberId: action.memberId }, protections);
    case 'RetireSlot':
      return write(before, { ...action, type: 'delete' }, protections);
    case 'InvokeMember': {
      const slot = indexOf(action.memberId);
      const item = memberOf(before.slots[slot]);
      const isNext = item !== null && (action.incarnation === null || action.incarnation === item.incarnation + 1);
      return { ...nothing, after: isNext ? { ...before, invoked: replaced(before.invoked, slot, true) } : before };
    }
    default:
      return { ...nothing, after: before };
  }
}

function write(state: State, command: MemberCommand, protections: Protections): Effect {
  return writeSlot(state, indexOf(command.memberId), command, protections);
}

function writePlan(
  state: State,
  at: number,
  action: WritePlan,
  protections: Protections,
  emit: Emit,
  goOn: (after: State) => State,
) {
  const isWritten = stepPlan(state.plan, action.plan).applied || !protections.planCondition;
  if (!isWritten) step(emit, () => 'a scheduler is refused its plan, and ends its tick', without(state, at));
  else
    step(emit, () => `a scheduler does: ${nameOf(action)}`, goOn({ ...state, plan: action.plan }), {
      deed: { type: 'plan', after: action.plan },
    });
}

function declareDead(
  state: State,
  at: number,
  tick: Tick,
  action: DeclareDead,
  protections: Protections,
  emit: Emit,
  goOn: (after: State) => State,
) {
  const { memberId, incarnation, heartbeatVersion } = action;
  const command: MemberCommand = { type: 'declareDead', memberId, incarnation, heartbeatVersion };
  const { answer, after, deed, transition } = writeSlot(state, indexOf(memberId), command, protections);
  const outcome = outcomeOfDeath(action, answer);
  const refused = `a scheduler is refused the death of ${memberId}`;
  if (typeof outcome === 'number') {
    const actions = tick.actions.map((one) => (one === action ? { ...action, heartbeatVersion: outcome } : one));
    step(emit, () => `${refused}, and tries again`, withTick(state, at, { ...tick, actions }));
  } else if (outcome === 'lost' && protections.lostDeathEndsTick)
    step(emit, () => `${refused}, and ends its tick`, without(state, at));
  else step(emit, () => `a scheduler does: ${nameOf(action)}`, goOn(after), { deed, transition });
}

function nameOf(action: Action): string {
  switch (action.type) {
    case 'WritePlan': {
      const { number, assignment, dead } = action.plan;
      const grants = Object.entries(assignment).map(([id, { active }]) => `${id}: ${active.join(' ') || '–'}`);
      const listed = dead.map((one) => `${one.memberId}#${one.incarnation}`);
      return `write plan ${number} (${grants.join(', ')}${listed.length === 0 ? '' : `; dead ${listed.join(' ')}`})`;
    }
    case 'DeclareDead':
      return `declare ${action.memberId}#${action.incarnation} dead`;
    case 'AnnouncePlan':
      return `tell ${action.memberId} of plan ${action.planNumber}`;
    case 'CreateSlot':
      return `create ${action.memberId}`;
    case 'InvokeMember':
      return `invoke ${action.memberId}`;
    case 'RetireSlot':
      return `delete ${action.memberId}`;
    default:
      return action.type;
  }
}

function indexOf(memberId: Member['memberId']): Index {
  return memberId === SLOT_IDS[0] ? 0 : 1;
}

function withTick(state: State, at: number, tick: Tick): State {
  return { ...state, ticks: state.ticks.map((other, index) => (index === at ? tick : other)) };
}

function without(state: State, at: number): State {
  return { ...state, ticks: state.ticks.filter((_, index) => index !== at) };
}

function step(emit: Emit, label: () => string, after: State, details: Partial<Step> = {}) {
  emit({ label, after, deed: null, transition: null, isReliable: true, ...details });
}
