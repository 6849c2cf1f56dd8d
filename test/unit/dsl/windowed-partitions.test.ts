import { expect, it } from 'vitest';
import { StreamsBuilder, string, tumbling } from '../../../lib/index.js';
import { parseTopicPartitionKey } from '../../../lib/model/topic-partition.js';
import { defaultPartition } from '../../../lib/topology/default-partitioner.js';
import { startTask } from '../task/task-rig.js';

it('all windows of a key are written to the partition of the key alone, unless a partitioner says otherwise', async () => {
  const builder = new StreamsBuilder();
  const counts = builder
    .stream('in', { key: string(), value: string() })
    .groupByKey()
    .windowedBy(tumbling({ size: 10 }))
    .count();
  counts.toStream().to('out');
  counts.toStream().to('first', { partitioner: () => 0 });
  const { task, give, commit } = await startTask(builder, { partitionCounts: { out: 7, first: 7 } });
  const keys = ['a', 'b', 'c', 'd'];
  give(
    'in',
    [5, 15, 25, 35].flatMap((ts) => keys.map((key) => ({ key, value: 'v', ts }))),
  );

  await task.process(0, 100);
  const { outputs } = await commit();

  const partitions = new Map<string, Set<number>>();
  for (const [at, set] of outputs) {
    const { topic, partition } = parseTopicPartitionKey(at);
    for (const { key } of set) {
      const name = `${topic}/${Buffer.from(key ?? []).toString('latin1', 0, 1)}`;
      partitions.set(name, (partitions.get(name) ?? new Set()).add(partition));
    }
  }
  for (const key of keys) {
    expect([...(partitions.get(`out/${key}`) ?? [])]).toEqual([defaultPartition(Buffer.from(key), null, 7)]);
    expect([...(partitions.get(`first/${key}`) ?? [])]).toEqual([0]);
  }
});
