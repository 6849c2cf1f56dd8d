/**
 * When every process has ended nothing is left over: no open transaction, no lease with an owner, no slot beyond the wanted ones
 * nor one that is still run, no topic that nobody asked for, no plans beyond those kept, no object beyond retention and grace.
 */

import { wantedSlots } from '../../../leases/drain-marks.js';
import { DEFAULT_PLANS_KEPT } from '../../../leases/memory/memory-lease-store.js';
import type { Member } from '../../../leases/records.js';
import { leasesWithoutLiveOwner } from '../../../leases/rules.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import { DEFAULT_SAFE_AGE_MS, DEFAULT_SNAPSHOTS_KEPT } from '../../../snapshots/collect-garbage.js';
import { storePrefix } from '../../../snapshots/snapshot-names.js';
import { boundsOf } from './bounds.js';
import type { CheckedRun, Checker } from './checker.js';

/** Objects of one store beyond the kept ones that are old enough to go wait for the next snapshot to be written. */
const MANIFEST = /\.manifest$/;

export const noGarbage: Checker = {
  name: 'no-garbage',
  watch: (run) => {
    let isSettled = false;
    return {
      async settled() {
        isSettled = true;
        await tidiedUp(run);
      },
      async ended() {
        await checkLog(run);
        await checkObjects(run);
        if (isSettled) await checkTables(run); // else whoever would have cleared up never had the time
      },
    };
  },
};

/** Gives those who clear up the time that they may take: whoever died last is found silent, and his tasks are taken. */
async function tidiedUp({ cloud }: CheckedRun): Promise<void> {
  const { silent, unowned, withoutScheduler } = boundsOf(cloud.app.settings, cloud.scenario.taskTimeoutMs);
  const deadlineMs = cloud.time.nowMs + withoutScheduler + silent + unowned;
  while (cloud.time.nowMs < deadlineMs && !(await isTidy(cloud)))
    await cloud.until(cloud.time.nowMs + cloud.app.settings.tickIntervalMs);
}

/** Slots that are run have a process, leases an owner that runs, and no slot is left that nobody wants. */
async function isTidy(cloud: CheckedRun['cloud']): Promise<boolean> {
  const { leases, platform } = cloud;
  const members = await leases.listMembers();
  const run = members.filter(({ status }) => status === 'claimed' || status === 'draining');
  const processes = platform.running.filter(({ runs }) => runs === 'task');
  if (run.length > processes.length || leftOver(cloud, members).length > 0) return false;
  return leasesWithoutLiveOwner(await leases.listLeases(), members).length === 0;
}

/** Slots that nobody wants, and that no operator drains (D4 of drain-marks.ts). */
function leftOver({ members: asked, scenario }: CheckedRun['cloud'], members: readonly Member[]): readonly Member[] {
  const isElastic = scenario.elastic === true;
  const wanted = wantedSlots(asked, members, isElastic);
  return members.filter(({ memberId, drain }) => !wanted.includes(memberId) && drain === undefined);
}

async function checkLog({ cloud, subject, witness, wrong }: CheckedRun): Promise<void> {
  const { log } = cloud;
  const expected = new Set([...Object.keys(subject.topics), ...witness.map.internalTopics]);
  const described = await log.describeTopics(await log.listTopics());
  for (const { name, partitions } of described.values()) {
    if (!expected.has(name)) wrong(`there is a topic ${name}`);
    const all = Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition }));
    const stable = await log.listOffsets(all, 'lastStable');
    const high = await log.listOffsets(all, 'highWatermark');
    for (const key of all.map(topicPartitionKey))
      if (stable.get(key) !== high.get(key)) wrong(`a transaction is open in ${key} at ${stable.get(key)}`);
  }
  for (const { name } of cloud.platform.running) wrong(`${name} still runs`);
}

async function checkTables({ cloud, wrong }: CheckedRun): Promise<void> {
  const { leases } = cloud;
  for (const { taskId, owner } of await leases.listLeases())
    if (owner !== null) wrong(`${taskId} is still held by ${owner.memberId}, incarnation ${owner.incarnation}`);
  const members = await leases.listMembers();
  for (const { memberId } of leftOver(cloud, members))
    wrong(`there is a slot ${memberId}, and ${cloud.members} are wanted`);
  for (const { memberId, status, incarnation } of members) {
    if (status === 'claimed' || status === 'draining') wrong(`${memberId}, incarnation ${incarnation}, is ${status}`);
  }
  const newest = (await leases.readPlan())?.number ?? 0;
  const oldest = newest - DEFAULT_PLANS_KEPT;
  if (oldest > 0 && (await leases.readPlanNumber(oldest)) !== null) wrong(`plan ${oldest} of ${newest} is still kept`);
}

async function checkObjects({ cloud, witness, wrong }: CheckedRun): Promise<void> {
  const { applicationId } = cloud.app;
  const prefixes = witness.map.tasks.flatMap(({ taskId, changelogs }) =>
    changelogs.map(({ store }) => storePrefix({ applicationId, taskId, store })),
  );
  const nowMs = cloud.host.clock.now();
  const old = new Map<string, number>();
  for (const { name, modifiedAtMs } of await cloud.snapshots.list('')) {
    const prefix = prefixes.find((each) => name.startsWith(each));
    if (prefix === undefined) wrong(`there is an object ${name}, which belongs to no store`);
    else if (MANIFEST.test(name) && nowMs - modifiedAtMs > DEFAULT_SAFE_AGE_MS + cloud.app.settings.snapshotIntervalMs)
      old.set(prefix, (old.get(prefix) ?? 0) + 1);
  }
  for (const [prefix, count] of old)
    if (count > DEFAULT_SNAPSHOTS_KEPT) wrong(`${count} manifests of ${prefix} are beyond the grace period`);
}
