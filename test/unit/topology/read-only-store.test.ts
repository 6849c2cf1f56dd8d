import { describe, expect, it } from 'vitest';
import {
  type KeyValueStore,
  keyValueStore,
  type ProcessorContext,
  type ProcessorSupplier,
  string,
  TopologyBuilder,
} from '../../../lib/index.js';
import { at, startTask, texts } from '../task/task-rig.js';

const text = { key: string(), value: string() };
const rates = () => keyValueStore({ name: 'rates', ...text });
const from = { topic: 'rates', source: 'rates-source', processor: 'keep', ...text };

const keep: ProcessorSupplier<string, string> = () => {
  let store: KeyValueStore<string, string>;
  return {
    init(context) {
      store = context.getStateStore('rates');
    },
    process: ({ key, value }) => store.put(key, value),
  };
};

const withRate: ProcessorSupplier<string, string, string, string> = () => {
  let context: ProcessorContext<string, string>;
  return {
    init(given) {
      context = given;
    },
    async process(record) {
      const rate = await context.getStateStore<KeyValueStore<string, string>>('rates').get(record.key);
      await context.forward(record.withValue(`${record.value}*${rate}`));
    },
  };
};

function priced(): TopologyBuilder {
  return new TopologyBuilder()
    .addReadOnlyStateStore(rates(), from, keep)
    .addSource('amounts', 'in', text)
    .addProcessor('price', withRate, { parents: 'amounts', stores: 'rates' })
    .addSink('out', 'out', { ...text, parents: 'price' });
}

describe('a store that is kept from a topic', () => {
  it('has the topic for its changelog, and reads it from the start', () => {
    const topology = priced().build();

    expect([...topology.changelogs.values()]).toEqual([{ store: 'rates', topic: 'rates', internal: false }]);
    expect(topology.stores.get('rates')?.logged).toBe(false);
    expect(topology.nodes.get('rates-source')).toMatchObject({ offsetReset: 'earliest', topics: ['rates'] });
    expect(topology.subTopologies.map(({ sourceTopics }) => sourceTopics)).toEqual([['in', 'rates']]);
  });

  it('is kept by its own processor, writes no changelog, and is asked by those that are connected', async () => {
    const { task, give, commit } = await startTask(priced());
    give('rates', [{ key: 'EUR', value: '7', ts: 1 }]);
    give('in', [
      { key: 'EUR', value: '2', ts: 2 },
      { key: 'USD', value: '3', ts: 3 },
    ]);

    await task.process(0, 10);
    const { outputs, changelogs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['EUR=2*7@2', 'USD=3*null@3']);
    expect(changelogs.size).toBe(0);
  });

  it('is refused with a ttl, or beside another of its name', () => {
    const ending = keyValueStore({ name: 'rates', ...text, ttl: '1h' });

    expect(() => new TopologyBuilder().addReadOnlyStateStore(ending, from, keep)).toThrow(
      "read-only store 'rates' can not have a ttl",
    );
    expect(() => priced().addStateStore(rates())).toThrow("'rates' has already been added");
    expect(() => new TopologyBuilder().addReadOnlyStateStore(rates(), { ...from, topic: '' }, keep)).toThrow(
      'is no topic name',
    );
  });
});
