import type { Windowed } from '../../model/windowed.js';
import { isWindowedSerde } from '../../serde/windowed-serdes.js';
import { defaultPartition } from '../../topology/default-partitioner.js';
import type { StreamPartitioner } from '../../topology/node.js';
import { enginePartitioner } from '../../topology/partitioner-names.js';

/** What chooses partitions of a topic of windowed keys: the key without its window. Kafka: `WindowedStreamPartitioner`. */
export function windowedPartitioner(key: object): StreamPartitioner | undefined {
  if (!isWindowedSerde(key)) return undefined;
  return enginePartitioner((_topic, windowed, _value, numPartitions) =>
    windowed === null || windowed === undefined
      ? undefined
      : defaultPartition(key.serializeBaseKey(windowed as Windowed<unknown>), null, numPartitions),
  );
}
