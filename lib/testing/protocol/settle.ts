/**
 * Makes equal what can not be told apart, so that there are fewer states: heartbeat versions, and steps that only show a process
 * what is certain already.
 */
import { isHeldAs, isNextOf, isSameIncarnation } from '../../leases/lease-transitions.js';
import type { Lease, LeaseEpoch, Member } from '../../leases/records.js';
import type { Action, DeclareDead } from '../../scheduler/actions.js';
import type { Protections } from './protections.js';
import {
  INDEXES,
  type Index,
  idOf,
  memberOf,
  type Process,
  type Run,
  replaced,
  type State,
  type Tick,
} from './state.js';

export function settled(state: State, protections: Protections): State {
  return withoutVain(withSmallVersions(state), protections);
}

/**
 * Runs that have lost their lease and can do no more than find it out end at once: a lease that was taken by somebody else never
 * comes back, so it makes no difference when they look. Those that can still fence or commit go on.
 */
function withoutVain(state: State, protections: Protections): State {
  let next = state;
  for (const [at, process] of state.processes.entries())
    for (const task of INDEXES) {
      const run = process.runs[task];
      if (run === null || !isVain(run, state.leases[task], process, protections)) continue;
      next = {
        ...next,
        processes: next.processes.map((other, index) =>
          index === at ? { ...other, runs: replaced(other.runs, task, null) } : other,
        ),
      };
    }
  return next;
}

function isVain(run: Run, lease: Lease | null, process: Process, protections: Protections): boolean {
  if (run.phase === 'deciding') return protections.takeCondition && !isAsRead(lease, run.expected);
  const held = { epoch: run.epoch as LeaseEpoch, owner: idOf(process) };
  if (isHeldAs(lease, held)) return false;
  if (run.phase === 'initialised' || run.phase === 'unknown') return true;
  if (run.phase === 'fenced') return protections.takeCondition && !isNextOf(lease, held);
  const canFence = run.phase === 'taken' || run.producer !== 'fenced'; // or commit
  return !canFence && protections.releaseCondition && protections.takeCondition;
}

function isAsRead(lease: Lease | null, read: Run['expected']): boolean {
  if (lease === null || read === null) return lease === read;
  return lease.epoch === read.epoch && isSameIncarnation(lease.owner, read.owner);
}

/**
 * A state with its heartbeat versions as small as can be: versions only grow and are only compared for equality with those that a
 * tick has read, so all that matters is whether a tick has read the present one.
 */
function withSmallVersions(state: State): State {
  if (state.ticks.some(({ members }) => members !== null)) return state; // only a mutant keeps a list of members, for one step
  let next = state;
  for (const slot of INDEXES) next = withSmallVersion(next, slot);
  return next;
}

function withSmallVersion(state: State, slot: Index): State {
  const item = memberOf(state.slots[slot]);
  if (item === null) return state;
  const deaths = state.ticks.length === 0 ? [] : state.ticks.flatMap(({ actions }) => actions.filter(isDeath));
  const read = deaths.filter(({ memberId }) => memberId === item.memberId);
  const version = read.some((death) => !isOf(death, item)) ? 1 : 0;
  const isSmall = item.heartbeatVersion === version;
  if (isSmall && read.length === 0) return state;
  const small = isSmall ? item : { ...item, heartbeatVersion: version };
  const next: State = { ...state, slots: replaced(state.slots, slot, small) };
  return read.length === 0 ? next : { ...next, ticks: state.ticks.map((tick) => withVersionRead(tick, item, version)) };
}

function withVersionRead(tick: Tick, item: Member, version: number): Tick {
  const actions = tick.actions.map((action) => {
    if (!isDeath(action) || action.memberId !== item.memberId) return action;
    return { ...action, heartbeatVersion: isOf(action, item) ? version : 0 };
  });
  return { ...tick, actions };
}

function isDeath(action: Action): action is DeclareDead {
  return action.type === 'DeclareDead';
}

function isOf(death: DeclareDead, item: Member): boolean {
  return death.incarnation === item.incarnation && death.heartbeatVersion === item.heartbeatVersion;
}
