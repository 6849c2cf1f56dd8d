/** Every store holds what the reference holds, partition by partition. At least once, a store may have counted repeated input. */
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { TaskChangelog, TaskSpec } from '../../../topology/resolve-partitions.js';
import type { CheckedRun, Checker } from './checker.js';
import { foldOf, withoutTimestamps } from './store-contents.js';
import { storeDifference } from './store-difference.js';

export const storesEqualReference: Checker = {
  name: 'stores-equal-reference',
  watch: (run) => ({
    async ended() {
      const { cloud, subject, witness } = run;
      if (cloud.app.settings.processingGuarantee !== 'exactly_once_v2') return;
      const excused = cloud.harms.excused();
      const left = new Set(subject.incomparableStores ?? []);
      for (const task of witness.map.tasks)
        for (const changelog of task.changelogs)
          if (changelog.internal && !left.has(changelog.store) && !excused.has(task.subTopology))
            await compareStore(run, task, changelog);
    },
  }),
};

async function compareStore(run: CheckedRun, task: TaskSpec, changelog: TaskChangelog): Promise<void> {
  const { witness, wrong, cloud, subject } = run;
  const key = topicPartitionKey(changelog);
  const records = witness.committed.records(key);
  const spec = cloud.app.topology.stores.get(changelog.store);
  const what = await storeDifference(
    { spec, records, content: withoutTimestamps(foldOf(records, spec)) },
    {
      every: (await witness.reference()).stores.get(key),
      lasts: async () => (await witness.reference('last')).stores.get(key),
    },
    {
      isFedByCache: task.inputs.some(({ topic }) => witness.map.isCoalesced(topic, cloud.app.settings)),
      hasOrigins: !(subject.storesWithoutOrigins ?? []).includes(changelog.store),
    },
  );
  if (what !== null) wrong(`${task.taskId} ${changelog.store}: ${what}`);
}
