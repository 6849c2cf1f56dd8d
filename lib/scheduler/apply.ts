/**
 * Performs what a tick has decided, in its order.
 *
 *   Y1  a lost race is an answer, not an error. One for a death or the plan ends the tick, for what follows was decided upon
 *       it; any other loss means that somebody else has done it
 *   Y2  an invocation that is refused is logged and left to the next tick: the others still go out
 *   Y3  stopping between any two actions leaves nothing that the next tick cannot go on from
 */
import type { Incarnation, MemberId } from '../leases/records.js';
import { asStreamsError, InternalError } from '../model/errors.js';
import { appendAll } from '../model/lists.js';
import type { Action, CreateInternalTopic, DeclareDead, InvokeMember, InvokeStandby, WritePlan } from './actions.js';
import type { HeartbeatWatch } from './heartbeat-watch.js';
import { deathOf, explainPlan, type HistoryEntry, writeHistory } from './history.js';
import { type Outcome, outcomeOfDeath } from './outcomes.js';
import type { SchedulerPorts } from './ports.js';
import type { ApplicationState } from './state.js';
import { checkInternalTopic } from './topics.js';

/** Actions of one kind that are performed at once. */
const MAX_AT_ONCE = 16;
/** Tries to declare one failed incarnation dead, each with the heartbeat version that stood against the one before. */
const MAX_DEATH_TRIES = 3;

export interface Applied {
  /** What took effect, in order. */
  readonly done: readonly Action[];
  /** The action whose lost race ended the tick, or null. */
  readonly lostTo: Action | null;
}

interface Context {
  readonly state: ApplicationState;
  readonly ports: SchedulerPorts;
  readonly watch: HeartbeatWatch;
  /** Incarnations of slots that this tick has created. */
  readonly created: Map<MemberId, number>;
  /** What has taken effect and is to be written down (history.ts). */
  readonly history: HistoryEntry[];
}

/**
 * Performs actions.
 *
 * @throws {InternalTopicMismatchError} STREAMS_INTERNAL_TOPIC_MISMATCH if a topic was made meanwhile and does not fit ·
 *   {UnavailableError} STREAMS_UNAVAILABLE
 */
export async function apply(
  state: ApplicationState,
  actions: readonly Action[],
  ports: SchedulerPorts,
  watch: HeartbeatWatch,
): Promise<Applied> {
  const context: Context = { state, ports, watch, created: new Map(), history: [] };
  try {
    return await applyAll(actions, context);
  } finally {
    await writeHistory(context.history, ports); // after all else: nothing waits for it (Y2 of leases/history.ts)
  }
}

async function applyAll(actions: readonly Action[], context: Context): Promise<Applied> {
  const { ports } = context;
  const done: Action[] = [];
  for (const together of grouped(actions)) {
    const outcomes = await Promise.all(together.map((action) => perform(action, together, context)));
    appendAll(
      done,
      together.filter((_, index) => outcomes[index] === 'done'),
    );
    const lostTo = together.find((_, index) => outcomes[index] === 'lost');
    if (lostTo !== undefined) {
      ports.host.logger.info('tick-overtaken', { action: lostTo.type });
      return { done, lostTo };
    }
  }
  return { done, lostTo: null };
}

/** Neighbours that do not depend on each other go together. */
function grouped(actions: readonly Action[]): readonly (readonly Action[])[] {
  const groups: Action[][] = [];
  for (const action of actions) {
    const last = groups.at(-1);
    if (last !== undefined && last.length < MAX_AT_ONCE && mayGoTogether(action, last[0])) last.push(action);
    else groups.push([action]);
  }
  return groups;
}

function mayGoTogether(action: Action, other: Action | undefined): boolean {
  const independent = action.type === 'AnnouncePlan' || action.type === 'InvokeStandby' || action.type === 'RetireSlot';
  return action.type === other?.type && (independent || isOfKnownSlot(action, other));
}

/** A slot that this tick creates has to be there before it is invoked. */
function isOfKnownSlot(action: Action, other: Action): boolean {
  return (
    action.type === 'InvokeMember' &&
    other.type === 'InvokeMember' &&
    action.incarnation !== null &&
    other.incarnation !== null
  );
}

async function perform(action: Action, together: readonly Action[], context: Context): Promise<Outcome> {
  const { leases, host } = context.ports;
  switch (action.type) {
    case 'CreateInternalTopic':
      return createTopic(action, context);
    case 'DeclareDead':
      return declareDead(action, context);
    case 'WritePlan':
      return writePlan(action, context);
    case 'AnnouncePlan':
      return (await leases.announcePlan(action.memberId, action.planNumber)).applied ? 'done' : 'void';
    case 'CreateSlot': {
      const { applied, item } = await leases.createMember(action.memberId, action.after);
      if (item !== null) context.created.set(action.memberId, item.incarnation);
      if (applied && action.after !== undefined)
        host.logger.warn('slot-recreated', { memberId: action.memberId, after: action.after });
      return applied ? 'done' : 'void';
    }
    case 'InvokeMember':
      return invokeMember(action, together, context);
    case 'RetireSlot': {
      const { applied } = await leases.deleteMember(action);
      if (applied) host.logger.info('slot-retired', { memberId: action.memberId });
      return applied ? 'done' : 'void';
    }
    case 'InvokeStandby':
      return invokeStandby(action, context);
  }
}

async function createTopic({ spec }: CreateInternalTopic, { ports }: Context): Promise<Outcome> {
  if (await ports.log.createTopic(spec)) {
    ports.host.logger.info('internal-topic-created', { topic: spec.name, partitions: spec.partitions });
    return 'done';
  }
  const found = (await ports.log.describeTopics([spec.name])).get(spec.name);
  if (found !== undefined) checkInternalTopic(spec, found);
  return 'void';
}

async function declareDead(action: DeclareDead, context: Context): Promise<Outcome> {
  const { ports } = context;
  const { memberId, incarnation, because } = action;
  let heartbeatVersion = action.heartbeatVersion;
  for (let attempt = 1; attempt <= MAX_DEATH_TRIES; attempt++) {
    const answer = await ports.leases.declareDead({ memberId, incarnation, heartbeatVersion });
    const outcome = outcomeOfDeath(action, answer);
    if (typeof outcome === 'number') {
      heartbeatVersion = outcome;
      continue;
    }
    if (outcome === 'done') {
      ports.host.logger.warn('member-declared-dead', { memberId, incarnation, because });
      ports.host.metrics.count('members-declared-dead', 1, { because });
      context.history.push({ type: 'death', death: deathOf(action, context.state) });
    }
    return outcome;
  }
  return 'lost';
}

async function writePlan(action: WritePlan, { state, ports, history }: Context): Promise<Outcome> {
  const { plan, moves } = action;
  const { applied } = await ports.leases.writePlan(plan, { anew: state.plan === null });
  if (!applied) return 'lost';
  if (state.plan === null && plan.number > 1) ports.host.logger.warn('plan-recreated', { planNumber: plan.number });
  const decidedAtMs = ports.host.clock.now();
  history.push({ type: 'plan', explain: () => explainPlan(action, state, decidedAtMs) });
  ports.host.logger.info('plan-written', { planNumber: plan.number, reason: plan.reason, moves });
  if (plan.rest !== undefined) {
    const { memberId, taskId, code, message } = plan.rest;
    ports.host.logger.error('application-at-rest', { planNumber: plan.number, memberId, taskId, code, message });
    ports.host.metrics.count('applications-at-rest', 1);
  }
  ports.host.metrics.count('plans-written', 1);
  ports.host.metrics.count('tasks-moved', moves.filter(({ from }) => from !== null).length);
  return 'done';
}

async function invokeMember(action: InvokeMember, together: readonly Action[], context: Context): Promise<Outcome> {
  const { state, ports, watch, created } = context;
  const { memberId, quickEnds, expiresAtMs } = action;
  const incarnation = action.incarnation ?? nextOfCreated(memberId, created);
  const { applicationId } = state.app;
  const others = slotsAskedFor(together).filter((other) => other.memberId !== memberId);
  try {
    await ports.invoker.invoke('task', {
      type: 'run-member',
      applicationId,
      memberId,
      incarnation,
      ...(others.length > 0 && { others }),
      expiresAtMs,
    });
  } catch (thrown) {
    logRefused('task', thrown, { memberId, incarnation }, ports);
    return 'void';
  }
  watch.noteInvocation(memberId, { incarnation, quickEnds, atMonotonicMs: ports.host.clock.monotonic() });
  ports.host.logger.info('member-invoked', { memberId, incarnation });
  return 'done';
}

/** Any of those who are invoked together may claim any of their slots: each holds the stores of one, perhaps. */
function slotsAskedFor(together: readonly Action[]): readonly Incarnation[] {
  return together.flatMap((action) =>
    action.type === 'InvokeMember' && action.incarnation !== null
      ? [{ memberId: action.memberId, incarnation: action.incarnation }]
      : [],
  );
}

function nextOfCreated(memberId: MemberId, created: ReadonlyMap<MemberId, number>): number {
  const incarnation = created.get(memberId);
  if (incarnation === undefined) throw new InternalError(`${memberId} is invoked before it was created`);
  return incarnation + 1;
}

async function invokeStandby(action: InvokeStandby, { state, ports, watch }: Context): Promise<Outcome> {
  const { taskIds, expiresAtMs } = action;
  const { applicationId } = state.app;
  try {
    await ports.invoker.invoke('standby', { type: 'advance-snapshots', applicationId, taskIds, expiresAtMs });
  } catch (thrown) {
    logRefused('standby', thrown, { taskIds }, ports);
    return 'void';
  }
  watch.noteStandby(taskIds, ports.host.clock.monotonic());
  return 'done';
}

function logRefused(
  target: 'task' | 'standby',
  thrown: unknown,
  fields: Readonly<Record<string, unknown>>,
  ports: SchedulerPorts,
): void {
  const { code, message } = asStreamsError(thrown);
  ports.host.logger.warn('invocation-refused', { function: target, code, message, ...fields });
  ports.host.metrics.count('invocations-refused', 1, { function: target });
}
