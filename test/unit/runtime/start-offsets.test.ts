import { beforeEach, describe, expect, it } from 'vitest';
import { offset } from '../../../lib/model/offset.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { resetPolicy, startOffsets } from '../../../lib/runtime/start-offsets.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import { defineApp } from '../../../lib/topology/app.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { createTaskWorld, feedWords, INPUT, type TaskWorld } from '../../support/task-world.js';

const input = { topic: INPUT, partition: 0 };
const other = { topic: 'other', partition: 0 };
const KEY = topicPartitionKey(input);
const OTHER = topicPartitionKey(other);
const at = (nextOffset: number) => ({ nextOffset: offset(nextOffset), metadata: 'm' });

let world: TaskWorld;
beforeEach(async () => {
  world = await createTaskWorld();
  await world.ports.log.createTopic({ name: 'other', partitions: 1, config: {} });
  await feedWords(world, ['a', 'b', 'c']);
});

const ask = (recorded: Parameters<typeof startOffsets>[0]['recorded'], recordedAreFresh = true, inputs = [input]) =>
  startOffsets({ app: world.app, log: world.ports.log, inputs, recorded, recordedAreFresh });

describe('where a task begins', () => {
  it('is the committed offset, whatever a release recorded', async () => {
    await world.ports.log.commitOffsets('app', new Map([[KEY, at(2)]]));

    const start = await ask({ [KEY]: at(1) });

    expect([...start.offsets]).toEqual([[KEY, at(2)]]);
    expect([start.isFirstStart, start.mustCommit]).toEqual([false, false]);
  });

  it('is what the last clean release recorded, if the committed offset is gone', async () => {
    const start = await ask({ [KEY]: at(2) });

    expect([...start.offsets]).toEqual([[KEY, at(2)]]);
    expect(start.mustCommit).toBe(true);
  });

  it('is what that release recorded only for the life of the topic that it was of (trap 25)', async () => {
    const topicId = (await world.ports.log.describeTopics([INPUT])).get(INPUT)?.topicId ?? '';

    const start = await ask({ [KEY]: { ...at(2), topicId } });

    expect([...start.offsets]).toEqual([[KEY, at(2)]]);
    await expect(ask({ [KEY]: { ...at(2), topicId: 'another life' } })).rejects.toMatchObject({
      code: 'STREAMS_LOST_OFFSETS',
    });
  });

  it('is refused if somebody has held the lease since that release', async () => {
    await expect(ask({ [KEY]: at(2) }, false)).rejects.toMatchObject({ code: 'STREAMS_LOST_OFFSETS' });
  });

  it('is refused for one input whose offset is gone while another has one', async () => {
    await world.ports.log.commitOffsets('app', new Map([[OTHER, at(0)]]));

    const refused = ask(null, true, [input, other]);

    await expect(refused).rejects.toMatchObject({ code: 'STREAMS_LOST_OFFSETS' });
    await expect(refused).rejects.toMatchObject({ details: { topic: INPUT, endOffset: 3 } });
  });

  it('is 0 for an input that never held a record, at any time', async () => {
    await world.ports.log.commitOffsets('app', new Map([[KEY, at(1)]]));

    const start = await ask(null, true, [input, other]);

    expect(start.offsets.get(OTHER)?.nextOffset).toBe(0);
  });

  it('is the reset policy at a first start alone, from the log’s own start, never an assumed 0 (traps 13, 24)', async () => {
    await world.ports.log.deleteRecords(new Map([[KEY, offset(1)]]));

    const start = await ask(null);

    expect(start.offsets.get(KEY)?.nextOffset).toBe(1);
    expect([start.isFirstStart, start.mustCommit]).toEqual([true, true]);
  });
});

it('the reset policy is the source’s own, else the setting; repartition topics are read from their start', () => {
  const topology = new TopologyBuilder()
    .addRepartitionTopic('between-repartition', 1)
    .addSource('one', 'with-policy', { key: string(), value: long(), offsetReset: 'earliest' })
    .addSource('two', 'without', { key: string(), value: long() })
    .addSource('three', 'between-repartition', { key: string(), value: long() })
    .addSink('sink', 'between-repartition', { parents: ['one', 'two'], key: string(), value: long() })
    .build();
  const app = defineApp({ applicationId: 'app', topology, settings: { autoOffsetReset: 'latest' } });

  const policies = ['with-policy', 'without', 'app-between-repartition'].map((topic) => resetPolicy(app, topic));

  expect(policies).toEqual(['earliest', 'latest', 'earliest']);
});
