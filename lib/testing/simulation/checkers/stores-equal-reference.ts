/** Every store holds what the reference holds, partition by partition. At least once, a store may have counted repeated input. */
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { TaskChangelog, TaskSpec } from '../../../topology/resolve-partitions.js';
import type { CheckedRun, Checker } from './checker.js';
import { contentDiffers, foldOf, withoutTimestamps } from './store-contents.js';
import { stillHeld, storeTimes } from './store-times.js';

type Content = ReadonlyMap<string, string>;

const NOTHING: Content = new Map();

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

async function compareStore(run: CheckedRun, { taskId, inputs }: TaskSpec, changelog: TaskChangelog): Promise<void> {
  const { witness, wrong, cloud } = run;
  const key = topicPartitionKey(changelog);
  const records = witness.committed.records(key);
  const spec = cloud.app.topology.stores.get(changelog.store);
  const times = storeTimes(spec, records);
  const content = stillHeld(withoutTimestamps(foldOf(records, spec)), times);
  const every = stillHeld((await witness.reference()).stores.get(key) ?? NOTHING, times);
  const what = contentDiffers(content, every);
  if (what === null) return;
  const isFedByCache = inputs.some(({ topic }) => witness.map.isCoalesced(topic, cloud.app.settings));
  const last = isFedByCache ? stillHeld((await witness.reference('last')).stores.get(key) ?? NOTHING, times) : every;
  if (contentDiffers(content, mixed(content, every, last)) !== null) wrong(`${taskId} ${changelog.store}: ${what}`);
}

/** Of each key what the content has of the two: caches before may have left out all that a key was ever told of. */
function mixed(content: Content, every: Content, last: Content): Content {
  const chosen = new Map<string, string>();
  for (const key of new Set([...every.keys(), ...last.keys()])) {
    const value = content.get(key) === last.get(key) ? last.get(key) : every.get(key);
    if (value !== undefined) chosen.set(key, value);
  }
  return chosen;
}
