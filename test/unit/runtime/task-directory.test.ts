import { describe, expect, it } from 'vitest';
import { StreamsBuilder } from '../../../lib/dsl/streams-builder.js';
import { loadTaskDirectory } from '../../../lib/runtime/task-directory.js';
import { string } from '../../../lib/serde/string-serde.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { createTaskWorld, INPUT, OUTPUT, STORE } from '../../support/task-world.js';

const CHANGELOG = `app-${STORE}-changelog`;

describe('the tasks of an application', () => {
  it('come with the partition counts of all topics that they touch', async () => {
    const { app, ports } = await createTaskWorld({ partitions: 3 });

    const { tasks, partitionCounts } = await loadTaskDirectory(app, ports.log, { partitions: { [INPUT]: 3 } });

    expect([...tasks.keys()]).toEqual(['0_0', '0_1', '0_2']);
    expect(new Map(partitionCounts)).toEqual(
      new Map([
        [INPUT, 3],
        [OUTPUT, 3],
        [CHANGELOG, 3],
      ]),
    );
  });

  it('are refused where a count differs from the recorded one, with both numbers (trap 34)', async () => {
    const { app, ports } = await createTaskWorld({ partitions: 3 });

    const refused = loadTaskDirectory(app, ports.log, { partitions: { [INPUT]: 2 } });

    await expect(refused).rejects.toMatchObject({
      code: 'STREAMS_PARTITION_COUNT_CHANGED',
      details: { topic: INPUT, recordedPartitions: 2, partitions: 3 },
    });
  });

  it('are refused where a topic that the application reads again has another partitioner than the recorded one (feature B14)', async () => {
    const builder = new StreamsBuilder();
    const text = { key: string(), value: string() };
    builder.stream(INPUT, text).repartition({ name: 'moved' }).groupByKey().count({ store: 'counts' });
    const { app, ports } = await createTaskWorld({ topology: builder.build() });
    const partitioners = { 'app-moved-repartition': 'byRegion' };

    const refused = loadTaskDirectory(app, ports.log, { partitions: {}, partitioners });

    await expect(refused).rejects.toMatchObject({ code: 'STREAMS_PARTITIONER_CHANGED' });
  });

  it('wait for internal topics that the scheduler has not created yet', async () => {
    const { app, ports } = await createTaskWorld();
    await ports.log.deleteTopic(CHANGELOG);

    const refused = loadTaskDirectory(app, ports.log, null);

    await expect(refused).rejects.toMatchObject({ code: 'STREAMS_UNKNOWN_TOPIC', kind: 'transient' });
  });

  it('are refused without their source topic', async () => {
    const { app, ports } = await createTaskWorld();
    await ports.log.deleteTopic(INPUT);

    await expect(loadTaskDirectory(app, ports.log, null)).rejects.toMatchObject({
      code: 'STREAMS_MISSING_SOURCE_TOPIC',
    });
  });

  it('read by pattern what the plan has recorded of what there is; before the first plan, all that matches', async () => {
    const { app, ports } = await createTaskWorld();
    const text = { key: string(), value: string() };
    const topology = new TopologyBuilder().addSource('source', /orders-.*/, text).build();
    for (const name of ['orders-a', 'orders-b']) await ports.log.createTopic({ name, partitions: 1, config: {} });
    const inputs = async (recorded: Readonly<Record<string, number>>) => {
      const { tasks } = await loadTaskDirectory({ ...app, topology }, ports.log, { partitions: recorded });
      return [...tasks.values()].flatMap((task) => task.inputs.map(({ topic }) => topic));
    };

    expect(await inputs({ 'orders-a': 1, 'orders-gone': 1 })).toEqual(['orders-a']);
    expect(await inputs({})).toEqual(['orders-a', 'orders-b']);
  });
});
