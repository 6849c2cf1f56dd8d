import { describe, expect, it } from 'vitest';
import { defineApp, type KeyValueStore, StreamsBuilder, string, type ValueAndTimestamp } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';
import { internalTopicSpecs } from '../../../lib/topology/internal-topic-specs.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';
import { startTask, texts } from '../task/task-rig.js';

const text = { key: string(), value: string() };
const left = (_: string, value: string, all: string) => `${all}L${value}`;
const right = (_: string, value: string, all: string) => `${all}R${value}`;
const kept = { init: () => '', value: string(), store: 'both' };

describe('a cogroup', () => {
  it('adds values of several streams to one row of their key', async () => {
    const builder = new StreamsBuilder();
    const other = builder.stream('r', text).groupByKey();
    builder.stream('l', text).groupByKey().cogroup<string>(left).cogroup(other, right).aggregate(kept);
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));

    await driver.pipeInput('l', { key: 'k', value: '1', timestampMs: 5 });
    await driver.pipeInput('r', { key: 'k', value: '2', timestampMs: 3 });

    const store = driver.getStore<KeyValueStore<string, ValueAndTimestamp<string>>>('both');
    expect(await store.get('k')).toEqual({ value: 'L1R2', timestampMs: 5 });
  });

  it('gives the last update of a row at a commit, whichever stream made it', async () => {
    const builder = new StreamsBuilder();
    const other = builder.stream('r', text).groupByKey();
    const both = builder.stream('l', text).groupByKey().cogroup<string>(left).cogroup(other, right);
    both.aggregate(kept).toStream().to('out');
    const { task, give, commit } = await startTask(builder, { settings: { statestoreCacheMaxBytes: 100_000 } });
    give('r', [{ key: 'k', value: '1', ts: 1 }]);
    give('l', [{ key: 'k', value: '2', ts: 2 }]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect([...outputs.values()].flatMap(texts)).toEqual(['k=R1L2@2']);
  });

  it('adds a stream that is given twice by the later function alone', async () => {
    const builder = new StreamsBuilder();
    const only = builder.stream('l', text).groupByKey();
    only.cogroup<string>(left).cogroup(only, right).aggregate(kept);
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));

    await driver.pipeInput('l', { key: 'k', value: '1', timestampMs: 5 });

    expect(await driver.getStore<KeyValueStore<string, unknown>>('both').get('k')).toMatchObject({ value: 'R1' });
  });

  it('sends a stream whose key has changed through a topic of as many partitions as the other has', () => {
    const builder = new StreamsBuilder();
    const other = builder.stream('r', text).groupByKey();
    const moved = builder.stream('l', text).groupBy((_, value) => value, { name: 'by-value' });
    moved.cogroup<string>(left).cogroup(other, right).aggregate(kept);
    const app = defineApp({ applicationId: 'app', topology: builder.build() });
    const specsOf = (l: number, r: number) => {
      const resolved = resolvePartitions(app, new Map(Object.entries({ l, r })));
      return internalTopicSpecs(app, resolved).map(({ name, partitions }) => `${name}: ${partitions}`);
    };

    expect(specsOf(6, 6)).toEqual(['app-by-value-repartition: 6', 'app-both-changelog: 6']);
    // As in Kafka Streams, which asks for one count of the topics that were grouped.
    expect(() => specsOf(2, 6)).toThrow('l has 2, r has 6');
  });
});
