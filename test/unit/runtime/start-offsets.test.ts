import { beforeEach, describe, expect, it } from 'vitest';
import type { TopicIds } from '../../../lib/leases/records.js';
import { isTasksOwn } from '../../../lib/leases/topic-lives.js';
import { offset } from '../../../lib/model/offset.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { resetPolicy, startOffsets } from '../../../lib/runtime/start-offsets.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import { records } from '../../../lib/testing/conformance/log/scene.js';
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

const CURRENT = { [INPUT]: 'this life', other: 'other' };
const ask = (
  recorded: Parameters<typeof startOffsets>[0]['recorded'],
  recordedAreFresh = true,
  inputs = [input],
  recordedIds?: TopicIds,
) =>
  startOffsets({
    app: world.app,
    log: world.ports.log,
    inputs,
    recorded,
    recordedAreFresh,
    lives: { recorded: recordedIds, current: CURRENT },
    nowMs: world.ports.host.clock.now(),
  });

describe('where a task begins', () => {
  it('is the start of a topic that a pattern has come to match since its lease was written (O6)', async () => {
    await world.ports.log.append(other, records('o=1', 'o=2'));
    await world.ports.log.commitOffsets('app', new Map([[KEY, at(2)]]));

    const start = await ask(null, true, [input, other], { [INPUT]: 'this life' });

    expect([...start.offsets].map(([key, { nextOffset }]) => [key, nextOffset])).toEqual([
      [KEY, 2],
      [OTHER, 0],
    ]);
    expect(start.mustCommit).toBe(true);
  });

  it('is lost where the lease names a topic whose offset is gone', async () => {
    await world.ports.log.append(other, records('o=1', 'o=2'));
    await world.ports.log.commitOffsets('app', new Map([[KEY, at(2)]]));

    const refused = ask(null, true, [input, other], CURRENT);

    await expect(refused).rejects.toMatchObject({ code: 'STREAMS_LOST_OFFSETS', details: { topic: 'other' } });
  });

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
    const start = await ask({ [KEY]: { ...at(2), topicId: 'this life' } });

    expect([...start.offsets]).toEqual([[KEY, at(2)]]);
    await expect(ask({ [KEY]: { ...at(2), topicId: 'another life' } })).rejects.toMatchObject({
      code: 'STREAMS_LOST_OFFSETS',
    });
  });

  it('is the committed offset only in the life of the topic that the lease names (trap 25)', async () => {
    await world.ports.log.commitOffsets('app', new Map([[KEY, at(2)]]));

    const same = await ask(null, true, [input], { [INPUT]: 'this life' });
    const unknown = await ask(null, true, [input], { elsewhere: 'another life' });
    const refused = ask(null, true, [input], { [INPUT]: 'another life' });

    expect([same, unknown].map(({ offsets, goesOn }) => [offsets.get(KEY), goesOn])).toEqual([
      [at(2), true],
      [at(2), true],
    ]);
    await expect(refused).rejects.toMatchObject({
      code: 'STREAMS_LOST_OFFSETS',
      details: { ...input, committedOffset: 2, recordedTopicId: 'another life', topicId: 'this life' },
    });
  });

  it('is where a person has set it, in any life of the topic, and from then on the task’s own (trap 25)', async () => {
    const byHand = { nextOffset: offset(2), metadata: '' };
    await world.ports.log.commitOffsets('app', new Map([[KEY, byHand]]));

    const start = await ask(null, true, [input], { [INPUT]: 'another life' });

    expect(start.offsets.get(KEY)?.nextOffset).toBe(2);
    expect([start.goesOn, isTasksOwn(start.offsets.get(KEY) ?? byHand)]).toEqual([false, true]);
  });

  it('is 0 in any life of the topic: nothing comes before it (trap 25)', async () => {
    await world.ports.log.commitOffsets('app', new Map([[KEY, at(0)]]));

    const start = await ask(null, true, [input], { [INPUT]: 'another life' });

    expect([start.offsets.get(KEY)?.nextOffset, start.goesOn]).toEqual([0, false]);
  });

  it('is lost with the offsets, if the lease names the topics that it has worked on', async () => {
    await expect(ask(null, true, [input], { [INPUT]: 'this life' })).rejects.toMatchObject({
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
