/** One run of the scheduler: observe, decide, apply. It may run twice at once: the conditional writes settle that. */
import { findAssignor } from '../assignment/assignors.js';
import type { TaskAssignor } from '../assignment/task-assignor.js';
import type { Incarnation, MemberId, Plan, Rest } from '../leases/records.js';
import { isRun } from '../leases/rules.js';
import { InvalidAssignmentError } from '../model/errors.js';
import { checkedMembers, type MembersRange } from '../model/settings.js';
import type { TaskId } from '../model/task-id.js';
import type { StreamsApp } from '../topology/app.js';
import type { Action } from './actions.js';
import { apply } from './apply.js';
import { decide, tasksToPlace } from './decide.js';
import { withWanted } from './elastic.js';
import type { HeartbeatWatch } from './heartbeat-watch.js';
import { observe } from './observe.js';
import { observeChangelogs } from './observe-changelogs.js';
import type { SchedulerPorts } from './ports.js';
import type { Precedence } from './precedence.js';
import { startNotice } from './start-notice.js';
import type { ApplicationState } from './state.js';
import { withWeights } from './task-weights.js';
import { resolveTopics } from './topics.js';

/** What may differ from the application's settings from tick to tick. */
export interface TickOverrides {
  /** Members wanted instead of the setting `members`, and as that. */
  readonly members?: number | MembersRange;
  /** Standbys of each task instead of the setting `numStandbyReplicas`. */
  readonly numStandbyReplicas?: number;
}

export interface TickInput {
  readonly app: StreamsApp;
  readonly ports: SchedulerPorts;
  /** What this scheduler remembers; a new one forgets only how long heartbeats have stood still. */
  readonly watch: HeartbeatWatch;
  /** Why there is a tick, in words: `schedule`, `doorbell`. Kept with the plan. */
  readonly reason: string;
  /** Incarnations whose end was reported: they are declared dead at once. */
  readonly failed?: readonly Incarnation[];
  /** Ends the application's rest, if it has one (rest.ts). Default false. */
  readonly resume?: boolean;
  readonly overrides?: TickOverrides;
  /** Of the loop that the tick is part of; absent: this tick decides by its own settings. */
  readonly precedence?: Precedence;
  /** The user's own assignors, found by the setting `assignor` before the built-in ones. */
  readonly assignors?: readonly TaskAssignor[];
}

export interface TickOutcome {
  /** Newest plan that the tick has read or written; null: there is none yet. */
  readonly planNumber: number | null;
  /** What took effect, in order; empty: all was as planned. */
  readonly done: readonly Action[];
  /** Whether another scheduler was faster, so that the rest was left to the next tick. */
  readonly overtaken: boolean;
  /** Tasks on their way for which a new placement waits. */
  readonly waitingFor: readonly TaskId[];
  /** Whether plans were left to a scheduler that has begun later, with other settings. */
  readonly heldBack: boolean;
  /** Slots that are run, or were invoked by this tick. */
  readonly members: readonly MemberId[];
  /** Why the application rests; null: it does not. */
  readonly rest: Rest | null;
}

/**
 * Runs one tick. Calling it again changes nothing unless something has changed. A plan that the table does not take, since it is too
 * large, is to the tick what a faulty placement is: the newest plan stays, and all else is done.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING (assignor, members) · what `decide` throws, before anything is
 *   touched · {UnavailableError} STREAMS_UNAVAILABLE at any point: the next tick goes on from there
 */
export async function runTick(input: TickInput): Promise<TickOutcome> {
  const assignor = findAssignor(input.app.settings.assignor, input.assignors);
  try {
    return await tick(input, assignor, null);
  } catch (thrown) {
    if (!(thrown instanceof InvalidAssignmentError)) throw thrown;
    return tick(input, assignor, thrown);
  }
}

/** @param refused why the plan that was decided upon could not be written; null: none was */
async function tick(
  input: TickInput,
  assignor: TaskAssignor,
  refused: InvalidAssignmentError | null,
): Promise<TickOutcome> {
  const { ports, watch } = input;
  const app = overridden(input.app, input.overrides);
  const wanted = checkedMembers(input.overrides?.members ?? app.settings.members);
  const failed = input.failed ?? [];
  const precedence = input.precedence ?? null;
  const observed = await observe({
    app,
    ports,
    watch,
    assignor,
    wanted,
    tickReason: input.reason,
    failed,
    resume: input.resume ?? false,
    precedence,
  });
  const nowMonotonicMs = ports.host.clock.monotonic();
  const resolution = resolveTopics(observed);
  const counted =
    typeof wanted === 'number' ? observed : withWanted(observed, resolution, wanted, watch, nowMonotonicMs);
  const seen = withWeights(counted, watch, nowMonotonicMs);
  const tasks = refused === null ? tasksToPlace(seen, resolution) : null;
  const { topics } = seen;
  const changelogs = tasks === null ? null : await observeChangelogs({ ...ports, app: seen.app, tasks, topics });
  const state: ApplicationState = { ...seen, changelogs };
  const { actions, rejected, waitingFor } = decide(state, refused, resolution);
  const { logger, metrics } = ports.host;
  if (rejected !== null) {
    logger.error('plan-rejected', { code: rejected.code, message: rejected.message });
    metrics.count('plans-rejected', 1, { code: rejected.code });
  }
  if (waitingFor.length > 0) logger.debug('plan-waits-for-moves', { tasks: waitingFor });
  const { done, lostTo } = await apply(state, actions, ports, watch);
  const members = runningAfter(state, done);
  metrics.count('scheduler-ticks', 1);
  metrics.gauge('running-members', members.length);
  const plan = planAfter(state, done);
  const planNumber = plan?.number ?? null;
  const notice = startNotice(state, plan === state.plan ? null : plan);
  if (notice !== null) logger.warn('state-has-no-copy', { ...notice });
  const isThrough = lostTo === null && waitingFor.length === 0;
  if (isThrough || done.some(({ type }) => type === 'WritePlan')) precedence?.noteBegun(planNumber);
  return {
    planNumber,
    done,
    overtaken: lostTo !== null,
    waitingFor,
    heldBack: state.holdsBack,
    members,
    rest: plan?.rest ?? null,
  };
}

function overridden(app: StreamsApp, { numStandbyReplicas }: TickOverrides = {}): StreamsApp {
  return numStandbyReplicas === undefined ? app : { ...app, settings: { ...app.settings, numStandbyReplicas } };
}

function planAfter(state: ApplicationState, done: readonly Action[]): Plan | null {
  return done.find((action) => action.type === 'WritePlan')?.plan ?? state.plan;
}

function runningAfter(state: ApplicationState, done: readonly Action[]): readonly MemberId[] {
  const running = new Set(state.members.filter(isRun).map(({ memberId }) => memberId));
  for (const action of done) {
    if (action.type === 'DeclareDead') running.delete(action.memberId);
    if (action.type === 'InvokeMember') running.add(action.memberId);
  }
  return [...running];
}
