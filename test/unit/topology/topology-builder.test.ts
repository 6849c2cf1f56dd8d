import { describe, expect, it } from 'vitest';
import { TopologyError } from '../../../lib/model/errors.js';
import { string } from '../../../lib/serde/string-serde.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';

const text = { key: string(), value: string() };
const nothing = () => ({ process: () => undefined });
const store = (name = 'store') => keyValueStore({ name, ...text });
const withSource = () => new TopologyBuilder().addSource('source', 'in', text);
const withProcessor = () => withSource().addProcessor('step', nothing, { parents: 'source' });

/** The message of the topology error that building throws. */
function refusal(build: () => unknown): string {
  try {
    build();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TopologyError);
    expect((thrown as TopologyError).code).toBe('STREAMS_INVALID_TOPOLOGY');
    expect((thrown as TopologyError).remedy).not.toBe('');
    return (thrown as TopologyError).message;
  }
  throw new Error('nothing was refused');
}

describe('a bad topology is refused by the name of what is wrong', () => {
  it.each<[string, () => unknown, string]>([
    [
      'two nodes of one name',
      () => withSource().addProcessor('source', nothing, { parents: 'source' }),
      "node 'source' is already added",
    ],
    ['a node without name', () => new TopologyBuilder().addSource('', 'in', text), 'a node needs a name'],
    [
      'an unknown parent',
      () => withSource().addSink('sink', 'out', { ...text, parents: 'nobody' }),
      "parent 'nobody' of node 'sink'",
    ],
    [
      'a node that is its own parent',
      () => withSource().addProcessor('me', nothing, { parents: 'me' }),
      "'me' cannot be its own parent",
    ],
    [
      'no parent at all',
      () => withSource().addProcessor('step', nothing, { parents: [] }),
      "node 'step' needs at least one parent",
    ],
    [
      'a sink as parent',
      () =>
        withSource()
          .addSink('sink', 'out', { ...text, parents: 'source' })
          .addProcessor('step', nothing, { parents: 'sink' }),
      "sink 'sink' cannot be a parent of 'step'",
    ],
    [
      'a topic that two sources read',
      () => withSource().addSource('other', 'in', text),
      "topic 'in' is already read by source 'source'",
    ],
    [
      'a source without topic',
      () => new TopologyBuilder().addSource('source', [], text),
      "source 'source' reads no topic",
    ],
    ['a source of an unnamed topic', () => new TopologyBuilder().addSource('source', '', text), "'' is no topic name"],
    [
      'a sink to an unnamed topic',
      () => withSource().addSink('sink', '', { ...text, parents: 'source' }),
      "node 'sink': '' is no topic name",
    ],
    [
      'a topic name that Kafka refuses',
      () => new TopologyBuilder().addSource('source', 'a b', text),
      "'a b' is no topic name",
    ],
    [
      'a missing serde',
      () => new TopologyBuilder().addSource('source', 'in', { key: string() } as typeof text),
      "node 'source' has no serde for its value",
    ],
    [
      'a processor that is no function',
      () => withSource().addProcessor('step', {} as typeof nothing, { parents: 'source' }),
      "processor 'step' needs a function",
    ],
    [
      'two stores of one name',
      () => withProcessor().addStateStore(store(), 'step').addStateStore(store()),
      "state store 'store' has already",
    ],
    [
      'a store that was not added',
      () => withProcessor().connectProcessorAndStateStores('step', 'store'),
      "state store 'store' is not added yet",
    ],
    ['a store of a source', () => withSource().addStateStore(store(), 'source'), "'source', which is a source"],
    [
      'a store of an unknown processor',
      () => withSource().addStateStore(store(), 'nobody'),
      "processor 'nobody' is not added yet",
    ],
    ['a store without name', () => store(''), "'' is no name for a state store"],
    ['a topology without source', () => new TopologyBuilder().build(), 'the topology has no source'],
    [
      'half a repartition topic',
      () => withSource().addRepartitionTopic('half').build(),
      "repartition topic 'half' must be both",
    ],
    [
      'no partitions',
      () => withSource().addRepartitionTopic('none', 0),
      "repartition topic 'none' cannot have 0 partitions",
    ],
    ['copartitioning of what is no source', () => withProcessor().copartitionSources('step'), "'step' is no source"],
  ])('%s', (_name, build, message) => {
    expect(refusal(build)).toContain(message);
  });
});

describe('a finished topology', () => {
  it('does not change when its builder goes on', () => {
    const builder = withSource();
    const before = builder.build();

    builder.addProcessor('late', nothing, { parents: 'source' });

    expect(before.nodes.has('late')).toBe(false);
    expect(before.children.get('source')).toEqual([]);
    expect(builder.build().children.get('source')).toEqual(['late']);
  });

  it('joins what shares a store and separates what only shares a topic', () => {
    const builder = new TopologyBuilder()
      .addSource('a', 'in-a', text)
      .addSource('b', 'in-b', text)
      .addSource('c', 'between', text)
      .addProcessor('pa', nothing, { parents: 'a' })
      .addProcessor('pb', nothing, { parents: 'b' })
      .addStateStore(store(), 'pa', 'pb')
      .addSink('to-c', 'between', { ...text, parents: 'pa' });

    const { subTopologies } = builder.build();

    expect(subTopologies.map(({ sourceTopics }) => sourceTopics)).toEqual([['in-a', 'in-b'], ['between']]);
    expect(subTopologies.map(({ stores }) => stores)).toEqual([['store'], []]);
    expect(subTopologies[0]?.nodes).toEqual(['a', 'b', 'pa', 'pb', 'to-c']);
  });

  it('leaves a store out that no processor is connected to, with its changelog', () => {
    const topology = withProcessor().addStateStore(store()).build();

    expect(topology.stores.size).toBe(0);
    expect(topology.changelogs.size).toBe(0);
    expect(topology.describe()).toBe(withProcessor().build().describe());
  });

  it('has a changelog for each logged store and none for others', () => {
    const quiet = keyValueStore({ name: 'quiet', ...text, logged: false });
    const topology = withProcessor().addStateStore(store(), 'step').addStateStore(quiet, 'step').build();

    expect([...topology.changelogs.values()]).toEqual([{ store: 'store', topic: 'store-changelog', internal: true }]);
  });
});
