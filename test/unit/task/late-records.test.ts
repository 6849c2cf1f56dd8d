import { describe, expect, it } from 'vitest';
import { StreamsBuilder, string, tumbling } from '../../../lib/index.js';
import { at, startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
const joiner = (one: string, other: string) => `${one}+${other}`;
const dead = { settings: { deadLetterTopic: 'dead' }, partitionCounts: { out: 1, dead: 1 } };

const topologies: Readonly<Record<string, () => StreamsBuilder>> = {
  'the windows of an aggregation': () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .groupByKey()
      .windowedBy(tumbling({ size: 10 }))
      .count({ store: 'counts' });
    return builder;
  },
  'the history of a table': () => {
    const builder = new StreamsBuilder();
    builder.table('in', { ...text, store: 'rows', historyRetention: 10 });
    return builder;
  },
  'the window of a join': () => {
    const builder = new StreamsBuilder();
    const stream = builder.stream('in', text);
    stream.join(builder.stream('other', text), { within: 10, joiner }).to('out');
    return builder;
  },
};

describe.each(Object.entries(topologies))('a record that is too late for %s', (_, make) => {
  const inputs = [
    { key: 'k', value: 'new', ts: 100_000_000 },
    { key: 'k', value: 'old', ts: 1 },
  ];

  it('is a dead letter once, as it was read, and is counted', async () => {
    const { task, give, commit } = await startTask(make(), dead);
    for (const { topic } of task.inputs) give(topic, topic === 'in' ? inputs : []);

    await task.process(0, 10);
    const { outputs, dropped } = await commit();

    expect(texts(outputs.get(at('dead')))).toEqual(['k=old@1']);
    expect(dropped).toMatchObject([{ count: 1, last: { topic: 'in', offset: 1 } }]);
  });

  it('ends the task where that is wanted', async () => {
    const { task, give } = await startTask(make(), { ...dead, settings: { lateRecordHandler: 'fail' } });
    for (const { topic } of task.inputs) give(topic, topic === 'in' ? inputs : []);

    await expect((async () => task.process(0, 10))()).rejects.toThrow(/came (after the grace period|too late)/);
  });
});
