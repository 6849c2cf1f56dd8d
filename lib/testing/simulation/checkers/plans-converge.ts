/**
 * Plans converge: once all is quiet the plan stands still, and it is complete: every task is active on exactly one slot that is
 * wanted, every wanted slot is listed and no other, and nobody else owns a task.
 *
 * Quiet is waited for as long as the slowest way to it takes: a schedule that has to come first (it also ends what a scheduler of
 * earlier settings has planned, precedence.ts), one session time-out until a
 * death is seen, one until a plan on its way is given up (N2 of next-plan.ts), one until a slot that does not come back stops to
 * count (V2 of membership.ts); one step down for each member, where the scheduler decides how many there are; and, where restores are limited,
 * for each copy to be had a turn of its own: it is said, seen, and the next one begins. The plan must then stand still for as long as any watch may take to strike.
 */
import { wantedSlots } from '../../../leases/drain-marks.js';
import type { MemberId, Plan } from '../../../leases/records.js';
import { SCHEDULE_INTERVAL_MS } from '../cloud.js';
import type { CheckedRun, Checker } from './checker.js';

/** Session time-outs after which a plan may still have a reason to change. */
const SESSIONS = 3;
/** Ticks by which the steps in between are seen. */
const TICKS = 4;

export const plansConverge: Checker = {
  name: 'plans-converge',
  watch: (run) => ({ settled: () => converge(run) }),
};

async function converge(run: CheckedRun): Promise<void> {
  const { cloud, wrong } = run;
  const { sessionTimeoutMs, tickIntervalMs, membersCooldownMs } = cloud.app.settings;
  const quietMs = sessionTimeoutMs + 2 * tickIntervalMs;
  const stepsMs = cloud.scenario.elastic === true ? cloud.members * (membersCooldownMs + sessionTimeoutMs) : 0;
  const deadlineMs =
    cloud.time.nowMs +
    SCHEDULE_INTERVAL_MS +
    SESSIONS * sessionTimeoutMs +
    TICKS * tickIntervalMs +
    stepsMs +
    turnsMs(run);
  let problems = await problemsNow(run);
  let plan = await cloud.leases.readPlan();
  let sinceMs = cloud.time.nowMs;
  while (cloud.time.nowMs < deadlineMs + quietMs) {
    if (problems.length === 0 && cloud.time.nowMs - sinceMs >= quietMs) return;
    await cloud.until(cloud.time.nowMs + tickIntervalMs);
    const next = await cloud.leases.readPlan();
    problems = await problemsNow(run);
    if (next?.number === plan?.number && problems.length === 0) continue;
    if (next?.number !== plan?.number || cloud.time.nowMs < deadlineMs) sinceMs = cloud.time.nowMs;
    plan = next;
    if (cloud.time.nowMs >= deadlineMs) break;
  }
  for (const problem of problems) wrong(problem);
  if (problems.length === 0) wrong(`plans do not fall quiet: number ${plan?.number}, because of ${plan?.reason}`);
}

/** Each copy may have to be read twice: once as a warm-up where the task goes, once as a standby where another one was. */
function turnsMs({ cloud, witness }: CheckedRun): number {
  const { maxConcurrentRestores, numStandbyReplicas, heartbeatIntervalMs, tickIntervalMs } = cloud.app.settings;
  if (maxConcurrentRestores === 0) return 0;
  const stateful = witness.map.tasks.filter(({ changelogs }) => changelogs.length > 0).length;
  const turns = Math.ceil((2 * stateful * (1 + numStandbyReplicas)) / maxConcurrentRestores);
  return turns * (heartbeatIntervalMs + tickIntervalMs);
}

async function problemsNow({ cloud, witness }: CheckedRun): Promise<readonly string[]> {
  const plan = await cloud.leases.readPlan();
  if (plan === null) return ['there is no plan'];
  const wanted = wantedSlots(wantedBy(plan, cloud), await cloud.leases.listMembers(), cloud.scenario.elastic === true);
  const excused = cloud.harms.stoppedTasks;
  const tasks = witness.map.tasks.map(({ taskId }) => taskId as string);
  return [...problemsOf(plan, wanted, tasks), ...(await strayOwners(plan, cloud, excused))];
}

/** Where the scheduler decides how many slots are wanted, it may decide upon any number up to the one given. */
function wantedBy({ assignment }: Plan, { scenario, members }: CheckedRun['cloud']): number {
  return scenario.elastic === true ? Math.min(Math.max(1, Object.keys(assignment).length), members) : members;
}

/** What is wrong with a plan for these slots and tasks. */
export function problemsOf(plan: Plan, wanted: readonly MemberId[], tasks: readonly string[]): readonly string[] {
  const listed = Object.keys(plan.assignment).sort();
  const problems: string[] = [];
  if (listed.join() !== [...wanted].sort().join())
    problems.push(`plan ${plan.number} lists ${listed.join(', ')} where ${wanted.join(', ')} are wanted`);
  const holders = new Map<string, string[]>(tasks.map((taskId) => [taskId, []]));
  for (const [id, { active }] of Object.entries(plan.assignment))
    for (const taskId of active) {
      const of = holders.get(taskId);
      if (of === undefined) problems.push(`plan ${plan.number} gives ${id} task ${taskId}, which there is not`);
      else of.push(id);
    }
  for (const [taskId, of] of holders)
    if (of.length !== 1)
      problems.push(`plan ${plan.number} gives ${taskId} to ${of.length === 0 ? 'nobody' : of.join(' and ')}`);
  return problems;
}

/** Whoever owns a task is who is granted it; a task that nobody owns sleeps, or has stopped for a harm. */
async function strayOwners(
  plan: Plan,
  { leases }: CheckedRun['cloud'],
  excused: ReadonlySet<string>,
): Promise<readonly string[]> {
  const stray = (await leases.listLeases()).filter(
    ({ taskId, owner }) =>
      owner !== null && !excused.has(taskId) && plan.assignment[owner.memberId]?.active.includes(taskId) !== true,
  );
  return stray.map(
    ({ taskId, owner }) => `${taskId} is held by ${owner?.memberId}, which plan ${plan.number} does not grant it`,
  );
}
