/** Every store holds what the reference holds, partition by partition. At least once, a store may have counted repeated input. */
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { Checker } from './checker.js';
import { contentDiffers, foldOf, withoutTimestamps } from './store-contents.js';

export const storesEqualReference: Checker = {
  name: 'stores-equal-reference',
  watch: ({ cloud, subject, witness, wrong }) => ({
    async ended() {
      if (cloud.app.settings.processingGuarantee !== 'exactly_once_v2') return;
      const excused = cloud.harms.excused();
      const left = new Set(subject.incomparableStores ?? []);
      const reference = await witness.reference();
      for (const { taskId, subTopology, changelogs } of witness.map.tasks) {
        for (const { store, internal, topic, partition } of changelogs) {
          if (!internal || left.has(store) || excused.has(subTopology)) continue;
          const key = topicPartitionKey({ topic, partition });
          const content = withoutTimestamps(foldOf(witness.committed.records(key)));
          const what = contentDiffers(content, reference.stores.get(key) ?? new Map());
          if (what !== null) wrong(`${taskId} ${store}: ${what}`);
        }
      }
    },
  }),
};
