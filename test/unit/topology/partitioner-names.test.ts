import { describe, expect, it } from 'vitest';
import { defineApp, type StreamsApp, StreamsBuilder, string, tumbling } from '../../../lib/index.js';
import type { StreamPartitioner } from '../../../lib/topology/node.js';
import { partitionerNames, refuseOtherPartitioners } from '../../../lib/topology/partitioner-names.js';
import { refusalOf } from '../../support/refusal-of.js';

const text = { key: string(), value: string() };
const byRegion: StreamPartitioner = () => 0;
const byTenant: StreamPartitioner = () => 1;

function app(write: (builder: StreamsBuilder) => unknown): StreamsApp {
  const builder = new StreamsBuilder();
  write(builder);
  return defineApp({ applicationId: 'app', topology: builder.build() });
}

const repartitioned = (partitioner?: StreamPartitioner) =>
  app((builder) =>
    builder
      .stream('in', text)
      .repartition({ name: 'moved', ...(partitioner === undefined ? {} : { partitioner }) })
      .groupByKey()
      .count({ store: 'counts' }),
  );

describe('the partitioners of an application', () => {
  it('are those that its users gave for topics that it writes and reads again', () => {
    const through = app((builder) => {
      builder.stream('in', text).to('through', { partitioner: byRegion });
      builder.stream('through', text).to('out', { partitioner: byTenant });
    });
    const byForeignKey = app((builder) =>
      builder.table('left', text).join(builder.table('right', text), {
        foreignKey: (value) => value,
        joiner: (left, right) => left + right,
        name: 'fk',
        otherPartitioner: byTenant,
      }),
    );

    expect(partitionerNames(repartitioned(byRegion))).toEqual({ 'app-moved-repartition': 'byRegion' });
    expect(partitionerNames(through)).toEqual({ through: 'byRegion' });
    expect(partitionerNames(byForeignKey)).toEqual({ 'app-fk-subscription-registration-topic': 'byTenant' });
  });

  it('are none where the engine chooses', () => {
    const windowed = app((builder) =>
      builder
        .stream('in', text)
        .groupBy((_, value) => value)
        .windowedBy(tumbling({ size: '1m' }))
        .count()
        .toStream()
        .groupByKey()
        .count(),
    );

    expect(partitionerNames(windowed)).toEqual({});
    expect(partitionerNames(repartitioned())).toEqual({});
  });

  it.each([
    ['another', byTenant, { 'app-moved-repartition': 'byRegion' }, "'byRegion' and is to be by 'byTenant'"],
    ['none any more', undefined, { 'app-moved-repartition': 'byRegion' }, "'byRegion' and is to be by 'default'"],
    ['one where there was none', byRegion, {}, "'default' and is to be by 'byRegion'"],
  ])('must not change: %s is refused, with the topic and both names (trap 31)', (_, partitioner, recorded, names) => {
    const refused = refusalOf(() => refuseOtherPartitioners(repartitioned(partitioner), recorded));

    expect(refused).toBe(`STREAMS_PARTITIONER_CHANGED: topic 'app-moved-repartition' was partitioned by ${names}`);
  });

  it.each([
    ['as it was', { 'app-moved-repartition': 'byRegion' }],
    ['not recorded', undefined],
    ['of a topic that is written no more', { 'app-moved-repartition': 'byRegion', 'app-gone-repartition': 'byTenant' }],
  ])('are fine %s', (_, recorded) => {
    expect(() => refuseOtherPartitioners(repartitioned(byRegion), recorded)).not.toThrow();
  });
});
