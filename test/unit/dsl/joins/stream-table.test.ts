import { describe, expect, it } from 'vitest';
import { defineApp, NotCopartitionedError, StreamsBuilder, string, TopologyError } from '../../../../lib/index.js';
import { TopologyTestDriver } from '../../../../lib/testing/topology-test-driver.js';
import { resolvePartitions } from '../../../../lib/topology/resolve-partitions.js';
import { at, startTask, texts } from '../../task/task-rig.js';

const text = { key: string(), value: string() };
const concat = { joiner: (value: string, row: string | null) => `${value}+${row}` };

function joined(kind: 'join' | 'leftJoin'): StreamsBuilder {
  const builder = new StreamsBuilder();
  const table = builder.table('rows', { ...text, store: 'rows' });
  const stream = builder.stream('in', text);
  (kind === 'join' ? stream.join(table, concat) : stream.leftJoin(table, concat)).to('out');
  return builder;
}

describe('a stream joined with a table', () => {
  it('gets the row as it is when the record is processed, and keeps the record’s timestamp', async () => {
    const driver = await TopologyTestDriver.start(
      defineApp({ applicationId: 'app', topology: joined('join').build() }),
    );

    await driver.pipeInput('rows', { key: 'a', value: 'A', timestampMs: 90 });
    await driver.pipeInput('in', { key: 'a', value: '1', timestampMs: 10 });
    await driver.pipeInput('in', { key: 'b', value: '2', timestampMs: 11 });
    await driver.pipeInput('rows', { key: 'a', value: null, timestampMs: 91 });
    await driver.pipeInput('in', { key: 'a', value: '3', timestampMs: 12 });

    expect(driver.readOutputs('out', text)).toMatchObject([{ key: 'a', value: '1+A', timestampMs: 10 }]);
  });

  it('counts records without key or value as dropped', async () => {
    const { task, give, commit } = await startTask(joined('join'));
    give('rows', []);
    give('in', [
      { key: 'a', value: null },
      { key: null, value: 'v' },
      { key: null, value: null },
    ]);

    await task.process(0, 10);
    const { outputs, dropped } = await commit();

    expect(outputs.size).toBe(0);
    expect(dropped.map(({ reason, count }) => [reason, count]).sort()).toEqual([
      ['null-key', 1],
      ['null-value', 2],
    ]);
  });

  it('joins a record without key with no row, if it is a left join (KIP-962)', async () => {
    const { task, give, commit } = await startTask(joined('leftJoin'));
    give('rows', []);
    give('in', [{ key: null, value: 'v', ts: 5 }]);

    await task.process(0, 10);
    const { outputs, dropped } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['null=v+null@5']);
    expect(dropped).toEqual([]);
  });

  it('reads through steps that are not kept', async () => {
    const builder = new StreamsBuilder();
    const table = builder
      .table('rows', text)
      .filter((_, row) => row !== 'hidden')
      .mapValues((row) => row.toUpperCase());
    builder.stream('in', text).leftJoin(table, concat).to('out');
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));

    for (const row of ['a', 'hidden']) {
      await driver.pipeInput('rows', { key: 'k', value: row });
      await driver.pipeInput('in', { key: 'k', value: 'v' });
    }

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['v+A', 'v+null']);
  });

  it('waits for a joiner that is async, in order', async () => {
    const builder = new StreamsBuilder();
    const table = builder.table('rows', text);
    builder
      .stream('in', text)
      .leftJoin(table, { joiner: async (value, row) => `${value}+${row}` })
      .to('out');
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));

    for (const value of ['1', '2']) await driver.pipeInput('in', { key: 'k', value });

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['1+null', '2+null']);
  });

  it('shares one repartition topic among the joins of a stream that nobody named', () => {
    const builder = new StreamsBuilder();
    const table = builder.table('rows', text);
    const moved = builder.stream('in', text).selectKey((_, value) => value);
    moved.join(table, concat).to('one');
    moved.leftJoin(table, concat).to('two');
    moved.join(table, { ...concat, name: 'named' }).to('three');

    expect([...builder.build().repartitionTopics.keys()]).toEqual([
      'KSTREAM-KEY-SELECT-0000000004-repartition',
      'named-repartition',
    ]);
  });

  it('is refused at start where the sides have different numbers of partitions, with topics and counts', () => {
    const app = defineApp({ applicationId: 'app', topology: joined('join').build() });
    const counts = new Map(Object.entries({ in: 4, rows: 3 }));

    expect(() => resolvePartitions(app, counts)).toThrow(NotCopartitionedError);
    expect(() => resolvePartitions(app, counts)).toThrow('in has 4, rows has 3');
  });

  it('is refused where it is written without a joiner, with a side of another builder, or with no side', () => {
    const builder = new StreamsBuilder();
    const stream = builder.stream('in', text);
    const stranger = new StreamsBuilder().table('rows', text);

    expect(() => stream.join(builder.table('rows', text), {} as never)).toThrow(TopologyError);
    expect(() => stream.join(stranger, concat)).toThrow('belongs to another builder');
    expect(() => stream.join(undefined as never, concat)).toThrow('not undefined');
  });
});
