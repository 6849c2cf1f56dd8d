import { describe, expect, it } from 'vitest';
import { type BuildOptions, long, StreamsBuilder, string, TopologyError } from '../../../lib/index.js';

const text = { key: string(), value: string() };
const firstLetter = (_key: unknown, value: string): string => value.charAt(0);

/** Topics that the topology makes between its sub-topologies. */
function repartitionTopics(builder: StreamsBuilder, optimization: NonNullable<BuildOptions['optimization']>): string[] {
  return [...builder.build({ optimization }).repartitionTopics.keys()];
}

function twoAggregations(): StreamsBuilder {
  const builder = new StreamsBuilder();
  const keyed = builder.stream('in', text).selectKey(firstLetter);
  keyed
    .groupByKey()
    .count({ store: 'counts' })
    .toStream()
    .to('counts', { value: long() as never });
  keyed
    .filter((_, value) => value.length > 1)
    .groupByKey()
    .reduce((all, one) => all + one, { store: 'joined' })
    .toStream()
    .to('joined', { value: string() as never });
  return builder;
}

describe('repartition topics after one change of key', () => {
  it('stay apart as long as nothing is to be optimised', () => {
    expect(repartitionTopics(twoAggregations(), 'none')).toEqual(['counts-repartition', 'joined-repartition']);
  });

  it.each<[string, NonNullable<BuildOptions['optimization']>]>([
    ['all', 'all'],
    ['alone', ['merge.repartition.topics']],
  ])('become one, named after the first: %s', (_, optimization) => {
    expect(repartitionTopics(twoAggregations(), optimization)).toEqual(['counts-repartition']);
  });

  it('leave what stood before them behind the topic', () => {
    const topology = twoAggregations().build({ optimization: 'all' });

    const [before, after] = topology.subTopologies;
    expect(before?.nodes).toEqual([
      'KSTREAM-SOURCE-0000000000',
      'KSTREAM-KEY-SELECT-0000000001',
      'counts-repartition-filter',
      'counts-repartition-sink',
    ]);
    expect(after?.nodes.some((name) => name.startsWith('KSTREAM-FILTER'))).toBe(true);
    expect(after?.stores).toEqual(['counts', 'joined']);
  });

  it('stay apart where a value changes in between', () => {
    const builder = new StreamsBuilder();
    const keyed = builder.stream('in', text).selectKey(firstLetter);
    keyed.groupByKey().count({ store: 'counts' });
    keyed
      .mapValues((value) => `${value}!`)
      .groupByKey()
      .count({ store: 'loud' });

    expect(repartitionTopics(builder, 'all')).toEqual(['counts-repartition', 'loud-repartition']);
  });

  it('are never moved before a step written by hand', () => {
    const builder = new StreamsBuilder();
    const keyed = builder.stream('in', text).selectKey(firstLetter);
    keyed.groupByKey().count({ store: 'counts' });
    keyed
      .process<string, string>(() => ({ process() {} }), { name: 'by-hand' })
      .groupByKey()
      .count({ store: 'later' });
    const topology = builder.build({ optimization: 'all' });

    expect(topology.subTopologies[0]?.nodes).toContain('by-hand');
    expect([...topology.repartitionTopics.keys()]).toContain('later-repartition');
  });

  it('come after a merge of the streams that changed their keys', () => {
    const builder = new StreamsBuilder();
    const left = builder.stream('left', text).selectKey(firstLetter);
    const right = builder.stream('right', text).selectKey(firstLetter);
    const merged = left.merge(right, { name: 'both' });
    merged.groupByKey().count({ store: 'counts' });
    merged.groupByKey().reduce((all, one) => all + one, { store: 'joined' });
    const topology = builder.build({ optimization: 'all' });

    expect([...topology.repartitionTopics.keys()]).toEqual(['counts-repartition']);
    expect(topology.subTopologies[0]?.sourceTopics).toEqual(['left', 'right']);
    expect(topology.children.get('both')).toEqual(['counts-repartition-filter']);
  });

  it('are merged where several operators stand on one step after the change', () => {
    const builder = new StreamsBuilder();
    const long = builder
      .stream('in', text)
      .selectKey(firstLetter)
      .filter(() => true, { name: 'step' });
    long.groupByKey().count({ store: 'counts' });
    long.groupByKey().reduce((all, one) => all + one, { store: 'joined' });
    const topology = builder.build({ optimization: 'all' });

    expect([...topology.repartitionTopics.keys()]).toEqual(['counts-repartition']);
    expect(topology.children.get('step')).toHaveLength(2);
  });

  it('can be built both ways from one builder, again and again', () => {
    const builder = twoAggregations();

    const texts = (['none', 'all', 'none', 'all'] as const).map((optimization) =>
      builder.build({ optimization }).describe(),
    );

    expect(texts[2]).toBe(texts[0]);
    expect(texts[3]).toBe(texts[1]);
    expect(texts[1]).not.toBe(texts[0]);
  });
});

describe('the topic of a table', () => {
  const withTable = (options = {}) => {
    const builder = new StreamsBuilder();
    builder.table('prices', { ...text, store: 'prices-by-name', ...options });
    return builder;
  };

  it('is its changelog if that is wanted', () => {
    const own = withTable().build();
    const reused = withTable().build({ optimization: ['reuse.ktable.source.topics'] });

    expect([...own.changelogs.values()]).toEqual([
      { store: 'prices-by-name', topic: 'prices-by-name-changelog', internal: true },
    ]);
    expect([...reused.changelogs.values()]).toEqual([{ store: 'prices-by-name', topic: 'prices', internal: false }]);
  });

  it('restores the store even if it is not logged', () => {
    const topology = withTable({ logged: false }).build({ optimization: 'all' });

    expect(topology.changelogs.get('prices-by-name')?.topic).toBe('prices');
  });

  it('has nothing to restore where the table is not kept', () => {
    const builder = new StreamsBuilder();
    builder
      .table('prices', text)
      .toStream()
      .to('out', { value: string() as never });

    expect(builder.build({ optimization: 'all' }).changelogs.size).toBe(0);
  });
});

it('an optimisation that does not exist is refused by its name', () => {
  expect(() => twoAggregations().build({ optimization: ['merge.everything' as never] })).toThrow(TopologyError);
  expect(() => twoAggregations().build({ optimization: 'some' as never })).toThrow("there is no optimization 'some'");
});
