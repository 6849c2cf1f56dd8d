/**
 * Nothing that is to pass lasts: no slot without heartbeat, no draining one, no lease of an incarnation that has ended, no task
 * with work and without owner, no open transaction, and no time without scheduler while there is something to be run; each for no
 * longer than bounds.ts derives from the settings.
 *
 * What a fault explains does not count (trouble.ts). What only a scheduler sees and mends counts while one and the same scheduler
 * runs, since a new one begins to watch anew.
 */
import type { Lease, Member } from '../../../leases/records.js';
import { leasesWithoutLiveOwner } from '../../../leases/rules.js';
import { smallest } from '../../../model/lists.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { TaskSpec } from '../../../topology/resolve-partitions.js';
import { boundsOf } from './bounds.js';
import type { CheckedRun, Checker } from './checker.js';
import { Standing } from './standing.js';

export const nothingBeyondItsBound: Checker = {
  name: 'nothing-beyond-its-bound',
  watch(run) {
    const watching = new Watching(run);
    return { sample: () => watching.sample() };
  },
};

class Watching {
  private readonly run: CheckedRun;
  private readonly mended = new Standing();
  private readonly others = new Standing();
  private readonly schedulersSinceMs = new Map<string, number>();

  constructor(run: CheckedRun) {
    this.run = run;
  }

  async sample(): Promise<void> {
    const { cloud, witness, wrong } = this.run;
    const { nowMs } = cloud.time;
    const members = await cloud.leases.listMembers();
    const leases = await cloud.leases.listLeases();
    const bounds = boundsOf(cloud.app.settings, cloud.scenario.taskTimeoutMs);
    const idle = this.unownedWithWork(leases);
    const mended = new Map<string, number>();
    for (const member of members) {
      if (isRun(member)) mended.set(`${said(member)} is silent at heartbeat ${member.heartbeatVersion}`, bounds.silent);
      if (member.status === 'draining') mended.set(`${said(member)} is draining`, bounds.draining);
    }
    for (const { taskId, owner } of leasesWithoutLiveOwner(leases, members))
      if (owner !== null) mended.set(`${taskId} is held by ${said(owner)}, which has ended`, bounds.unowned);
    for (const { taskId } of idle) mended.set(`${taskId} has work and no owner`, bounds.unowned);
    const others = new Map<string, number>();
    const schedulerSinceMs = this.schedulerSinceMs();
    if (schedulerSinceMs === null && (idle.length > 0 || members.some(isRun)))
      others.set('no scheduler runs', bounds.withoutScheduler);
    for (const [key, { lastStable, highWatermark }] of witness.ends)
      if (lastStable < highWatermark)
        others.set(`a transaction is open in ${key} at ${lastStable}`, bounds.openTransaction);
    const excusedMs = witness.trouble.untilMs;
    for (const { what, forMs, boundMs } of [
      ...this.others.beyond(others, nowMs, excusedMs),
      ...this.mended.beyond(mended, nowMs, Math.max(excusedMs, schedulerSinceMs ?? nowMs)),
    ])
      wrong(`${what} for ${Math.round(forMs)} ms, and ${boundMs} ms are the most`);
  }

  /** Since when the scheduler has been running that has run for longest; null: none runs. */
  private schedulerSinceMs(): number | null {
    const { cloud } = this.run;
    const running = new Set(cloud.platform.running.filter(({ runs }) => runs === 'scheduler').map(({ name }) => name));
    for (const name of this.schedulersSinceMs.keys()) if (!running.has(name)) this.schedulersSinceMs.delete(name);
    for (const name of running)
      if (!this.schedulersSinceMs.has(name)) this.schedulersSinceMs.set(name, cloud.time.nowMs);
    return running.size === 0 ? null : smallest(Number.POSITIVE_INFINITY, this.schedulersSinceMs.values());
  }

  private unownedWithWork(leases: readonly Lease[]): readonly TaskSpec[] {
    const { cloud, witness } = this.run;
    const owned = new Set<string>(leases.filter(({ owner }) => owner !== null).map(({ taskId }) => taskId));
    const unowned = witness.map.tasks.filter(({ taskId }) => !owned.has(taskId) && this.hasWork(taskId));
    return cloud.harms.all.length === 0
      ? unowned
      : unowned.filter(({ taskId }) => cloud.harms.harmsOf(taskId).length === 0);
  }

  private hasWork(taskId: TaskSpec['taskId']): boolean {
    const { map, transactions, ends } = this.run.witness;
    return (map.task(taskId)?.inputs ?? []).some((input) => {
      const key = topicPartitionKey(input);
      return (ends.get(key)?.lastStable ?? 0) > (transactions.committedOffsets.get(key)?.nextOffset ?? 0);
    });
  }
}

function isRun({ status }: Member): boolean {
  return status === 'claimed' || status === 'draining';
}

function said({ memberId, incarnation }: Pick<Member, 'memberId' | 'incarnation'>): string {
  return `${memberId}/${incarnation}`;
}
