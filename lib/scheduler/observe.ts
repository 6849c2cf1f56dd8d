/** Reads what a tick decides upon. Only reads: no write, no rule. */
import type { TaskAssignor } from '../assignment/task-assignor.js';
import type { Incarnation, Lease, Member, MemberId } from '../leases/records.js';
import type { MembersRange } from '../model/settings.js';
import type { TaskId } from '../model/task-id.js';
import type { StreamsApp } from '../topology/app.js';
import { matchAllTopics, matchTopics } from '../topology/topic-patterns.js';
import type { HeartbeatWatch } from './heartbeat-watch.js';
import { observeInputs } from './observe-inputs.js';
import type { SchedulerPorts } from './ports.js';
import { type Precedence, settingsDigestOf } from './precedence.js';
import type { ApplicationState, ObservedInvocation } from './state.js';
import { topicsOf } from './topics.js';

export interface ObserveInput {
  readonly app: StreamsApp;
  readonly ports: Pick<SchedulerPorts, 'log' | 'leases' | 'host'>;
  readonly watch: HeartbeatWatch;
  readonly assignor: TaskAssignor;
  /** Members wanted, or the bounds between which they are; then the state has the least of them until elastic.ts has decided. */
  readonly wanted: number | MembersRange;
  readonly tickReason: string;
  readonly failed: readonly Incarnation[];
  /** Whether a person ends the rest. */
  readonly resume: boolean;
  /** Null: it decides by its own settings. */
  readonly precedence: Precedence | null;
}

/**
 * The application as it is now.
 *
 * The plan is read last, so that it is at least as new as the leases taken under it: two ticks that overlap then decide upon
 * what a plan already says rather than repeat it.
 *
 * @throws {UnavailableError} STREAMS_UNAVAILABLE
 */
export async function observe(input: ObserveInput): Promise<ApplicationState> {
  const { ports, watch } = input;
  const { clock } = ports.host;
  const found = await matchAllTopics(input.app, ports.log);
  // Leases before members: who holds a lease has claimed its slot before, so that no live owner can look absent.
  const [leases, topics] = await Promise.all([ports.leases.listLeases(), ports.log.describeTopics(topicsOf(found))]);
  const app = matchTopics(found, topics.keys()); // without those that are gone since
  const members = await ports.leases.listMembers();
  const plan = await ports.leases.readPlan();
  const inputs = await observeInputs({ app, log: ports.log, members, leases, plan, topics });
  const nowMonotonicMs = clock.monotonic();
  const planKey = `plan ${plan?.number ?? 0}`;
  const released = leases.filter(({ owner }) => owner === null);
  const ages = watch.ages([...members.map(memberKey), ...released.map(leaseKey), planKey], nowMonotonicMs);
  const planAgeMs = plan === null ? 0 : (ages.get(planKey) ?? 0);
  const settingsDigest = settingsDigestOf(input.app, input.wanted, input.assignor.name, ports.host.digest);
  const holdsBack = input.precedence?.holdsBack({ plan, planAgeMs, settingsDigest }) ?? false;
  watch.retain(new Set(members.map(({ memberId }) => memberId)), new Set(leases.map(({ taskId }) => taskId)));
  return {
    app,
    assignor: input.assignor,
    wanted: holdsBack && plan !== null ? Object.keys(plan.assignment).length : leastOf(input.wanted),
    load: null,
    weights: new Map(),
    heavy: null,
    tickReason: input.tickReason,
    failed: input.failed,
    resume: input.resume,
    nowMs: clock.now(),
    members: members.map((member) => ({ ...member, stillMs: ages.get(memberKey(member)) ?? 0 })),
    leases,
    plan,
    planAgeMs,
    settingsDigest,
    holdsBack,
    topics,
    inputs,
    changelogs: null,
    invocations: invocationsOf(members, watch, nowMonotonicMs),
    standbyAges: standbyAgesOf(leases, watch, nowMonotonicMs),
    releasedAges: new Map(released.map((lease) => [lease.taskId, ages.get(leaseKey(lease)) ?? 0])),
  };
}

function leastOf(wanted: number | MembersRange): number {
  return typeof wanted === 'number' ? wanted : Math.max(1, wanted.min);
}

function memberKey({ memberId, status, incarnation, heartbeatVersion }: Member): string {
  return `${memberId} ${status} ${incarnation} ${heartbeatVersion}`;
}

function leaseKey({ taskId, epoch }: Lease): string {
  return `lease ${taskId} ${epoch}`;
}

function invocationsOf(
  members: readonly Member[],
  watch: HeartbeatWatch,
  nowMs: number,
): ReadonlyMap<MemberId, ObservedInvocation> {
  const invocations = new Map<MemberId, ObservedInvocation>();
  for (const { memberId } of members) {
    const invocation = watch.invocation(memberId);
    if (invocation !== undefined)
      invocations.set(memberId, { ...invocation, ageMs: Math.max(0, nowMs - invocation.atMonotonicMs) });
  }
  return invocations;
}

function standbyAgesOf(leases: readonly Lease[], watch: HeartbeatWatch, nowMs: number): ReadonlyMap<TaskId, number> {
  const ages = new Map<TaskId, number>();
  for (const { taskId } of leases) {
    const atMs = watch.standbyInvokedAtMs(taskId);
    if (atMs !== undefined) ages.set(taskId, Math.max(0, nowMs - atMs));
  }
  return ages;
}
