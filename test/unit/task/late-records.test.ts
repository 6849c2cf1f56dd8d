import { describe, expect, it } from 'vitest';
import {
  type KeyValueStore,
  keyValueStore,
  type Processor,
  type ProcessorContext,
  type StreamRecord,
  StreamsBuilder,
  string,
  tumbling,
} from '../../../lib/index.js';
import { at, startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
const joiner = (one: string, other: string) => `${one}+${other}`;
const dead = { settings: { deadLetterTopic: 'dead' }, partitionCounts: { out: 1, dead: 1 } };

class PutAll implements Processor<string, string, string, string> {
  declare private kept: KeyValueStore<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.kept = context.getStateStore('kept');
  }

  async process({ key, value }: StreamRecord<string, string>): Promise<void> {
    await this.kept.put(key, value);
  }
}

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
  'the ttl of a table': () => {
    const builder = new StreamsBuilder();
    builder.table('in', { ...text, store: 'rows', ttl: 10 });
    return builder;
  },
  "the ttl of a processor's store": () => {
    const builder = new StreamsBuilder();
    builder.addStateStore(keyValueStore({ name: 'kept', ...text, ttl: 10 }));
    builder.stream('in', text).process(() => new PutAll(), { stores: ['kept'], ...text });
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

it('a row whose time to live is over when it comes replaces what was there, and is deleted', async () => {
  const { task, give, commit, stores } = await startTask(topologies['the ttl of a table']?.() ?? new StreamsBuilder());
  give('in', [
    { key: 'k', value: 'new', ts: 100 },
    { key: 'k', value: 'old', ts: 1 },
  ]);

  await task.process(0, 10);
  const { dropped } = await commit();

  expect([...(stores.get('rows')?.committed() ?? [])]).toEqual([]);
  expect(dropped).toMatchObject([{ reason: 'expired', count: 1 }]);
});
