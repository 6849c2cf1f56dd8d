/**
 * Every store is the fold of what was committed to its changelog, whichever way it is read at the end: what the log still holds
 * after compaction, what the product restores from the log alone, and what it restores from snapshots and tail.
 */

import { asStreamsError } from '../../../model/errors.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import { createMemorySnapshotStore } from '../../../snapshots/memory/memory-snapshot-store.js';
import type { TaskChangelog, TaskSpec } from '../../../topology/resolve-partitions.js';
import type { CheckedRun, Checker } from './checker.js';
import { contentDiffers, foldOf, foldOfLog, restoredContent, type StoreContent } from './store-contents.js';
import { stillHeld, storeTimes } from './store-times.js';

export const stateEqualsChangelog: Checker = {
  name: 'state-equals-changelog',
  watch: (run) => ({
    async ended() {
      const { cloud, witness } = run;
      const created = await cloud.log.describeTopics(witness.map.internalTopics);
      for (const task of witness.map.tasks)
        for (const changelog of task.changelogs)
          if (changelog.internal && created.has(changelog.topic) && isSound(run, changelog))
            await checkStore(run, task, changelog);
    },
  }),
};

function isSound({ cloud }: CheckedRun, changelog: TaskChangelog): boolean {
  return !cloud.harms.partitions.has(topicPartitionKey(changelog));
}

async function checkStore(
  { cloud, witness, wrong }: CheckedRun,
  task: TaskSpec,
  changelog: TaskChangelog,
): Promise<void> {
  const key = topicPartitionKey(changelog);
  const { committed } = witness;
  if (committed.incomplete.has(key)) wrong(`records of ${key} were gone before anybody could read them`);
  const spec = cloud.app.topology.stores.get(changelog.store);
  const times = storeTimes(spec, committed.records(key));
  const truth = stillHeld(foldOf(committed.records(key), spec), times);
  const ways: readonly (readonly [string, () => Promise<StoreContent>])[] = [
    ['the fold of the log as it is', () => foldOfLog(cloud.log, changelog, spec)],
    ['a restore from the log', () => restoredContent(cloud, createMemorySnapshotStore(), task, changelog)],
    ['a restore from snapshot and tail', () => restoredContent(cloud, cloud.snapshots, task, changelog)],
  ];
  for (const [way, read] of ways) {
    try {
      const what = contentDiffers(stillHeld(await read(), times), truth);
      if (what !== null) wrong(`${task.taskId} ${changelog.store}: in ${way} ${what}`);
    } catch (thrown) {
      wrong(`${task.taskId} ${changelog.store}: ${way} fails: ${asStreamsError(thrown).message}`);
    }
  }
}
