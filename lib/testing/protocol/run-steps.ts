/**
 * Steps of one task in the hands of one process: take, initialise, look again, read offsets, commit, recover, release. Which lease
 * may be taken and kept is the code's decision (rules.ts, grants.ts); each step here is one read or one write of run-task.ts and
 * open-session.ts, in their order.
 */
import { isHeldAs, isNextOf } from '../../leases/lease-transitions.js';
import type { Lease, LeaseEpoch, Member } from '../../leases/records.js';
import type { TakeDecision } from '../../leases/rules.js';
import { type Grants, goals, mayKeep, mayTakeGoal, needsDoorbellRule } from '../../runtime/grants.js';
import { type Index, idOf, membersOf, type Process, type Run, replaced, type State, TASK_IDS } from './state.js';
import { writeLease } from './tables.js';
import { changed, type Turn } from './turn.js';

const TAKEN: Omit<Run, 'epoch'> = { phase: 'taken', expected: null, producer: 'none', position: 'none' };

/** Emits what a process can do with one task. */
export function runSteps(turn: Turn, task: Index) {
  const run = turn.self.runs[task];
  if (run === null) return readLease(turn, task);
  switch (run.phase) {
    case 'deciding':
      return take(turn, task, run);
    case 'taken':
      return initialise(turn, task, run);
    case 'initialised':
      return lookAgain(turn, task, run, 'checked');
    case 'checked':
      return isStopping(turn.self, task) ? release(turn, task, run) : readOffsets(turn, task, run);
    case 'running':
      return work(turn, task, run);
    case 'unknown':
      return lookAgain(turn, task, run, 'taken');
    case 'fenced':
      return takeNewEpoch(turn, task, run);
  }
}

function grantsOf(self: Process): Grants {
  const wanted = new Set(self.wanted === null ? [] : [TASK_IDS[self.wanted]]);
  return { plan: self.plan ?? null, self: idOf(self), wanted };
}

/** Whether the process gives the task back: it leaves, or the plan that it has read gives the task to another. */
function isStopping(self: Process, task: Index): boolean {
  if (self.stage === 'working') return !mayKeep(grantsOf(self), TASK_IDS[task]);
  return self.stage === 'leaving' || self.stage === 'superseded';
}

function readLease(turn: Turn, task: Index) {
  const { self, state, protections } = turn;
  if (self.stage !== 'working' || self.plan === undefined) return;
  if (self.runs.some((run) => run?.phase === 'deciding')) return; // one after the other
  const taskId = TASK_IDS[task];
  const grants = grantsOf(self);
  const isWanted = !protections.doorbellRule && self.wanted === task;
  if (protections.grantRule && !isWanted && !goals(grants).has(taskId)) return;
  const lease = state.leases[task];
  const members = needsDoorbellRule(grants, taskId) ? membersOf(state) : null;
  if (!mayTake(turn, grants, { task, lease, members }).may) return;
  const expected = lease === null ? null : { epoch: lease.epoch, owner: lease.owner };
  const deciding: Run = { phase: 'deciding', expected, epoch: 0, producer: 'none', position: 'none' };
  turn.emit(() => `reads the lease of ${taskId}: ${nameOf(lease)}`, withRun(turn, state, task, deciding), {
    deed: { type: 'decide-to-take', by: self, task, lease, members },
  });
}

interface TakeQuestion {
  readonly task: Index;
  readonly lease: Lease | null;
  readonly members: readonly Member[] | null;
}

function mayTake({ protections, self }: Turn, grants: Grants, { task, lease, members }: TakeQuestion): TakeDecision {
  const taskId = TASK_IDS[task];
  const decision = mayTakeGoal(grants, { taskId, lease, members });
  if (decision.may) return decision;
  const { because } = decision;
  if (!protections.doorbellRule && because === 'granted-to-live-member') return { may: true, because: 'free' };
  if (!protections.deadRule && because === 'held') return { may: true, because: 'dead' };
  if (!protections.grantRule && because === 'not-granted' && (lease?.owner ?? null) === null && self.wanted === null)
    return { may: true, because: 'free' };
  return decision;
}

function take(turn: Turn, task: Index, run: Run) {
  const { self, state } = turn;
  const taskId = TASK_IDS[task];
  const { expected } = run;
  const command = { type: 'take', taskId, owner: idOf(self), expected } as const;
  const write = writeLease(state, task, command, { plan: self.plan ?? null, protections: turn.protections });
  if (!write.answer.applied)
    return turn.emit(() => `may not take ${taskId} any more`, withRun(turn, state, task, null));
  const { item } = write.answer;
  const { transition } = write;
  const deed = { type: 'take', by: self, task, after: item } as const;
  const taken: Run = { ...TAKEN, epoch: item.epoch };
  turn.emit(() => `takes ${taskId} at epoch ${item.epoch}`, withRun(turn, write.after, task, taken), {
    deed,
    transition,
  });
  const forgotten = withRun(turn, write.after, task, null);
  turn.befall(() => `takes ${taskId} at epoch ${item.epoch} and never hears of it`, forgotten, { deed, transition });
}

/** Fences whatever producer there is of the task. Without S3 the offsets are read before. */
function initialise(turn: Turn, task: Index, run: Run) {
  const { state, protections } = turn;
  if (!protections.offsetsAfterFence && run.position === 'none')
    return turn.emit(
      () => `reads the offsets of ${TASK_IDS[task]}`,
      withRun(turn, state, task, { ...run, position: 'fresh' }),
    );
  const fenced = state.processes.map((process) => {
    const other = process.runs[task];
    if (!protections.fencing || other?.producer !== 'current') return process;
    return { ...process, runs: replaced(process.runs, task, { ...other, producer: 'fenced' as const }) };
  });
  const epoch = Math.max(state.initialised[task], run.epoch);
  const after: State = { ...state, processes: fenced, initialised: replaced(state.initialised, task, epoch) };
  const initialised: Run = { ...run, phase: protections.secondLook ? 'initialised' : 'checked', producer: 'current' };
  turn.emit(() => `initialises the producer of ${TASK_IDS[task]}`, withRun(turn, after, task, initialised));
}

/** The second look (S2), and the look of a recovery (T1). */
function lookAgain(turn: Turn, task: Index, run: Run, then: 'checked' | 'taken') {
  const { self, state } = turn;
  const isOurs = isHeldAs(state.leases[task], { epoch: run.epoch as LeaseEpoch, owner: idOf(self) });
  const next: Run | null = !isOurs ? null : then === 'taken' ? { ...TAKEN, epoch: run.epoch } : { ...run, phase: then };
  turn.emit(
    () => `looks at the lease of ${TASK_IDS[task]}: ${isOurs ? 'still its own' : 'gone'}`,
    withRun(turn, state, task, next),
  );
}

function readOffsets(turn: Turn, task: Index, run: Run) {
  const position = run.position === 'none' ? 'fresh' : run.position;
  turn.emit(
    () => `reads the offsets of ${TASK_IDS[task]}`,
    withRun(turn, turn.state, task, { ...run, phase: 'running', position }),
  );
}

function work(turn: Turn, task: Index, run: Run) {
  if (isStopping(turn.self, task)) release(turn, task, run);
  const { state, protections, self } = turn;
  const taskId = TASK_IDS[task];
  if (run.producer !== 'current' && protections.fencing) {
    const fenced: Run = { ...run, phase: 'fenced', producer: 'none', position: 'none' };
    return turn.emit(() => `commits ${taskId}, refused: fenced`, withRun(turn, state, task, fenced));
  }
  const moved: State = {
    ...state,
    processes: state.processes.map((process) => {
      const other = process.runs[task];
      if (other?.position !== 'fresh') return process;
      return { ...process, runs: replaced(process.runs, task, { ...other, position: 'stale' as const }) };
    }),
  };
  const deed = { type: 'commit', by: self, task } as const;
  turn.emit(() => `commits ${taskId}`, withRun(turn, moved, task, { ...run, position: 'fresh' }), { deed });
  const lost: Run = protections.newSession
    ? { ...run, phase: 'unknown', producer: 'none', position: 'none' }
    : { ...run, position: 'stale' };
  turn.befall(() => `commits ${taskId}, and the answer is lost`, withRun(turn, moved, task, lost), { deed });
  if (protections.newSession)
    turn.befall(() => `sends a commit of ${taskId} that does not arrive`, withRun(turn, state, task, lost));
}

/** An owner that was fenced needs a new epoch before it initialises again (H2, R3). */
function takeNewEpoch(turn: Turn, task: Index, run: Run) {
  const { self, state, protections } = turn;
  const taskId = TASK_IDS[task];
  const held = { epoch: run.epoch as LeaseEpoch, owner: idOf(self) };
  const command = { type: 'take', taskId, owner: held.owner, expected: held } as const;
  const { answer, after, transition } = writeLease(state, task, command, { plan: self.plan ?? null, protections });
  if (!answer.applied) {
    const isOurs = isNextOf(answer.item, held);
    const next = isOurs ? { ...TAKEN, epoch: run.epoch + 1 } : null;
    return turn.emit(
      () => `may not take ${taskId} again${isOurs ? ', for it has' : ''}`,
      withRun(turn, state, task, next),
    );
  }
  const deed = { type: 'take', by: self, task, after: answer.item } as const;
  const label = `takes its own lease of ${taskId} again, at epoch ${answer.item.epoch}`;
  const taken: Run = { ...TAKEN, epoch: answer.item.epoch };
  turn.emit(label, withRun(turn, after, task, taken), { deed, transition });
  turn.befall(() => `${label}, and the answer is lost`, after, { deed, transition });
}

function release(turn: Turn, task: Index, run: Run) {
  const { self, state, protections } = turn;
  const taskId = TASK_IDS[task];
  const epoch = run.epoch as LeaseEpoch;
  const command = { type: 'release', taskId, owner: idOf(self), epoch, offsets: null } as const;
  const { answer, after, transition } = writeLease(state, task, command, { plan: self.plan ?? null, protections });
  if (!answer.applied) return turn.emit(() => `may not release ${taskId} any more`, withRun(turn, state, task, null));
  const deed = { type: 'release', by: self, task } as const;
  turn.emit(() => `releases ${taskId}`, withRun(turn, after, task, null), { deed, transition });
  const lost: Run = { ...run, phase: 'unknown', producer: 'none', position: 'none' };
  turn.befall(() => `releases ${taskId}, and the answer is lost`, withRun(turn, after, task, lost), {
    deed,
    transition,
  });
}

function withRun(turn: Turn, state: State, task: Index, run: Run | null): State {
  const self = state.processes[turn.at] ?? turn.self;
  return changed(state, turn.at, { ...self, runs: replaced(self.runs, task, run) });
}

function nameOf(lease: Lease | null): string {
  if (lease === null) return 'never taken';
  const { owner, epoch } = lease;
  return owner === null ? `free at epoch ${epoch}` : `${owner.memberId}#${owner.incarnation} at epoch ${epoch}`;
}
