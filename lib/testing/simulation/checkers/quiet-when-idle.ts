/**
 * An application without work costs its schedule alone: once it has fallen asleep nothing is invoked but the scheduler by its
 * schedule. And with work it wakes: a record appended then is processed.
 */
import { SCHEDULE_INTERVAL_MS } from '../cloud.js';
import { isSettled } from '../settled.js';
import type { Effect } from '../simulated-ports.js';
import type { CheckedRun, Checker } from './checker.js';

/** Schedules that are watched. */
const WATCHED_SCHEDULES = 2;
/** Longest that the restores of the tasks that wake take where the application has them held back: they are a few thousand bytes each. */
const RESTORES_HELD_BACK_MS = 120_000;
/** Time after a moment of the schedule for what it brings about. */
const SLACK_MS = 5_000;
const LOOK_INTERVAL_MS = 1_000;

export const quietWhenIdle: Checker = {
  name: 'quiet-when-idle',
  watch(run) {
    const { cloud, subject, wrong } = run;
    const invoked: string[] = [];
    const standbys = new StandbyRequests();
    cloud.timeline.listen(({ event, fields }) => {
      if (event === 'invocation-accepted') invoked.push(String(fields.target));
    });
    cloud.listen((effect) => standbys.hear(effect), ['releaseLease', 'invoke']);
    return {
      async settled() {
        if (subject.sleeps !== true || cloud.harms.all.length > 0) return;
        if (!(await fallsAsleep(run))) return;
        invoked.length = 0;
        standbys.repeated = 0;
        await cloud.until(cloud.time.nowMs + WATCHED_SCHEDULES * SCHEDULE_INTERVAL_MS);
        const count = (wanted: string) => invoked.filter((target) => target === wanted).length;
        if (count('task') > 0) wrong(`${count('task')} members are invoked while it sleeps`);
        if (standbys.repeated > 0)
          wrong(`${standbys.repeated} times the standby function is asked again while it sleeps`);
        if (count('scheduler') > WATCHED_SCHEDULES + 1)
          wrong(`${count('scheduler')} invocations of the scheduler by ${WATCHED_SCHEDULES} schedules`);
        await wakes(run);
      },
    };
  },
};

/**
 * The standby function is asked once for what a task has left at its last release. A scheduler in a new execution environment does
 * not know whether it was asked, and asks once more (heartbeat-watch.ts): only who asks twice is at fault.
 */
class StandbyRequests {
  repeated = 0;
  /** By process: tasks that it has asked for since they were last released. */
  private readonly asked = new Map<string, Set<unknown>>();

  hear({ port, method, args, process, ok }: Effect): void {
    if (!ok) return;
    const [first, payload] = args as readonly [unknown, { readonly taskIds?: readonly unknown[] }?];
    if (port === 'leases' && method === 'releaseLease')
      for (const tasks of this.asked.values()) tasks.delete((first as { readonly taskId: unknown }).taskId);
    if (port !== 'invoker' || first !== 'standby') return;
    const tasks = this.asked.get(process.name) ?? new Set();
    this.asked.set(process.name, tasks);
    if (payload?.taskIds?.some((taskId) => tasks.has(taskId)) === true) this.repeated += 1;
    for (const taskId of payload?.taskIds ?? []) tasks.add(taskId);
  }
}

/**
 * No member runs, and whatever there was to do after the last one has been done: members end `idleTimeoutMs` after their last
 * work, one that was invoked for nothing as well; a dead one is seen by the next schedule after a session time-out and is run
 * once more; the standby function is asked for once after the last release, by the next schedule, and by each scheduler in an environment of
 * its own: so a late one is left to {@link StandbyRequests}.
 */
async function fallsAsleep({ cloud, wrong }: CheckedRun): Promise<boolean> {
  const { idleTimeoutMs, sessionTimeoutMs, snapshotIntervalMs } = cloud.app.settings;
  const deadlineMs = cloud.time.nowMs + 2 * SCHEDULE_INTERVAL_MS + 2 * (idleTimeoutMs + sessionTimeoutMs) + SLACK_MS;
  const asleepMs = SCHEDULE_INTERVAL_MS + snapshotIntervalMs + SLACK_MS;
  let sinceMs = cloud.time.nowMs;
  while (cloud.time.nowMs - sinceMs < asleepMs) {
    await cloud.until(cloud.time.nowMs + LOOK_INTERVAL_MS);
    const isLate = cloud.time.nowMs >= deadlineMs;
    const awake = cloud.platform.running.filter(({ runs }) => runs === 'task' || (runs === 'standby' && !isLate));
    if (awake.length === 0) continue;
    sinceMs = cloud.time.nowMs;
    if (!isLate) continue;
    wrong(`does not fall asleep: ${awake.map(({ name }) => name).join(', ')} still run`);
    return false;
  }
  return true;
}

/** The next schedule asks for the slot, which claims, restores and commits; what is downstream is asked for by the next tick. */
async function wakes({ cloud, witness, wrong }: CheckedRun): Promise<void> {
  const last = cloud.inputs.at(-1);
  if (last === undefined) return;
  const { sessionTimeoutMs, tickIntervalMs, restoreMaxBytesPerSecond } = cloud.app.settings;
  const { nowMs } = cloud.time;
  await cloud.append({ ...last, atMs: nowMs, timestampMs: cloud.host.clock.now() });
  const heldBackMs = restoreMaxBytesPerSecond > 0 ? RESTORES_HELD_BACK_MS : 0;
  const deadlineMs = nowMs + SCHEDULE_INTERVAL_MS + sessionTimeoutMs + 4 * tickIntervalMs + heldBackMs;
  while (!(await isSettled(cloud, witness))) {
    if (cloud.time.nowMs >= deadlineMs) {
      wrong(`a record appended while it sleeps is not processed after ${deadlineMs - nowMs} ms`);
      return;
    }
    await cloud.until(cloud.time.nowMs + LOOK_INTERVAL_MS);
  }
}
