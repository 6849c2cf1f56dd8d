import { expect, it } from 'vitest';
import { StreamsBuilder, string } from '../../../lib/index.js';
import { startTask, texts } from '../task/task-rig.js';

const text = { key: string(), value: string() };
type Builder = StreamsBuilder;
const stream = (builder: Builder) => builder.stream('in', text);
const REPARTITION = 'app-by-repartition';

/** Operators that look at no key pass a record without one on; those that need a key drop it, and count it once. */
const decisions: readonly (readonly [string, 'passed on' | 'dropped', (builder: Builder) => unknown])[] = [
  [
    'filter',
    'passed on',
    (builder) =>
      stream(builder)
        .filter(() => true)
        .to('out'),
  ],
  [
    'mapValues',
    'passed on',
    (builder) =>
      stream(builder)
        .mapValues((value) => value)
        .to('out'),
  ],
  [
    'flatMapValues',
    'passed on',
    (builder) =>
      stream(builder)
        .flatMapValues((value) => [value])
        .to('out'),
  ],
  [
    'map',
    'passed on',
    (builder) =>
      stream(builder)
        .map((key, value) => [key, value])
        .to('out'),
  ],
  [
    'selectKey',
    'passed on',
    (builder) =>
      stream(builder)
        .selectKey((key) => key)
        .to('out'),
  ],
  [
    'split',
    'passed on',
    (builder) => stream(builder).split({ name: 'to-' }).defaultBranch({ name: 'all' }).get('to-all')?.to('out'),
  ],
  ['repartition', 'dropped', (builder) => stream(builder).repartition({ name: 'by' }).to('out')],
  [
    'groupBy',
    'dropped',
    (builder) =>
      stream(builder)
        .groupBy((key) => key, { name: 'by' })
        .count(),
  ],
  ['count', 'dropped', (builder) => stream(builder).groupByKey().count().toStream().to('out')],
  [
    'reduce',
    'dropped',
    (builder) =>
      stream(builder)
        .groupByKey()
        .reduce((all, value) => all + value),
  ],
  ['a table that is read through', 'dropped', (builder) => builder.table('in', text).toStream().to('out')],
  [
    'a table that is kept',
    'dropped',
    (builder) =>
      builder
        .table('in', { ...text, store: 'rows' })
        .toStream()
        .to('out'),
  ],
];

it.each(decisions)(
  'a null key in %s is %s, and what is dropped is counted once (trap 32)',
  async (_, decision, add) => {
    const builder = new StreamsBuilder();
    add(builder);
    const { task, give, commit } = await startTask(builder, { partitionCounts: { out: 1, [REPARTITION]: 1 } });
    give('in', [{ key: null, value: 'v', ts: 7 }]);

    await task.process(0, 10);
    const { outputs, dropped, offsets } = await commit();

    const isPassedOn = decision === 'passed on';
    expect([...outputs.values()].flatMap(texts)).toEqual(isPassedOn ? ['null=v@7'] : []);
    expect(dropped).toMatchObject(
      isPassedOn ? [] : [{ reason: 'null-key', count: 1, last: { topic: 'in', offset: 0 } }],
    );
    expect([...offsets.values()].map(({ nextOffset }) => nextOffset)).toEqual([1]);
  },
);
