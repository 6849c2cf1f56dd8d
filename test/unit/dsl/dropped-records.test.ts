/** What an operator drops it counts, each record once, by its reason: no call of `recordDropped` may be lost. See null-keys.test.ts too. */
import { describe, expect, it } from 'vitest';
import { ABSENT, type Change } from '../../../lib/dsl/change.js';
import { tellSubscribers } from '../../../lib/dsl/foreign-key/receive.js';
import { INSTRUCTION } from '../../../lib/dsl/foreign-key/subscription.js';
import { mergeChanges } from '../../../lib/dsl/operators/merge-changes.js';
import { suppress } from '../../../lib/dsl/operators/suppress.js';
import { reduceGroupFold, tableAggregate } from '../../../lib/dsl/operators/table-aggregate.js';
import { tableMerge } from '../../../lib/dsl/operators/table-merge.js';
import { mapValuesStep, tableStep } from '../../../lib/dsl/operators/table-steps.js';
import { tableTableJoin } from '../../../lib/dsl/operators/table-table-join.js';
import { storeView } from '../../../lib/dsl/table-view.js';
import {
  type BuildOptions,
  defineApp,
  type ProcessorContext,
  type ProcessorSupplier,
  type StreamRecord,
  StreamsBuilder,
  session,
  sliding,
  string,
  TopologyBuilder,
  timestampedKeyValueStore,
  tumbling,
  untilTimeLimit,
} from '../../../lib/index.js';
import { Cell } from '../../../lib/serde/cell.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';
import { startTask } from '../task/task-rig.js';

const text = { key: string(), value: string() };
const joiner = (left: string | null, right: string | null) => `${left}+${right}`;
const foreignKey = (row: string) => row.split('|')[0] || null;
const history = { historyRetention: 100, store: 'rows' } as const;

/** What goes in: topic, key, value, timestamp. */
type Input = readonly [topic: string, key: unknown, value: unknown, timestampMs?: number];
type Reasons = Readonly<Record<string, number>>;

const stream = (builder: StreamsBuilder) => builder.stream('in', text);
const other = (builder: StreamsBuilder) => builder.stream('other', text);
const joinedByForeignKey = (builder: StreamsBuilder, rows: object = {}) =>
  builder
    .table('rows', { ...text, ...rows })
    .join(builder.table('other', text), { foreignKey, joiner, name: 'fk' })
    .toStream()
    .to('out');
const graceful = (isLeft: boolean) => (builder: StreamsBuilder) => {
  const rows = builder.table('rows', { ...text, ...history });
  const given = stream(builder);
  (isLeft ? given.leftJoin(rows, { joiner, grace: 10 }) : given.join(rows, { joiner, grace: 10 })).to('out');
};

const dropped: readonly (readonly [string, (builder: StreamsBuilder) => unknown, readonly Input[], Reasons])[] = [
  [
    'a global table that is joined: null value, null foreign key',
    (builder) =>
      stream(builder)
        .join(builder.globalTable('rows', text), { foreignKey: (_, value) => foreignKey(value), joiner })
        .to('out'),
    [
      ['in', 'k', null],
      ['in', 'k', '|1'],
    ],
    { 'null-value': 1, 'null-key': 1 },
  ],
  [
    'a global table that is joined left: null value alone',
    (builder) =>
      stream(builder)
        .leftJoin(builder.globalTable('rows', text), { foreignKey: (_, value) => foreignKey(value), joiner })
        .to('elsewhere'),
    [['in', 'k', null]],
    { 'null-value': 1 },
  ],
  [
    'a table that is joined: null value, null key',
    (builder) => stream(builder).join(builder.table('rows', text), { joiner }).to('out'),
    [
      ['in', 'k', null],
      ['in', null, 'v'],
    ],
    { 'null-value': 1, 'null-key': 1 },
  ],
  [
    'a table that is joined with grace: null value, null key',
    graceful(false),
    [
      ['in', 'k', null],
      ['in', null, 'v'],
    ],
    { 'null-value': 1, 'null-key': 1 },
  ],
  ['a table that is joined left with grace: null value', graceful(true), [['in', 'k', null]], { 'null-value': 1 }],
  [
    'two streams: null value, null key, both null',
    (builder) => stream(builder).join(other(builder), { within: 5, joiner }).to('out'),
    [
      ['in', 'k', null],
      ['other', null, 'v'],
      ['in', null, null],
    ],
    { 'null-value': 1, 'null-key': 2 },
  ],
  [
    'two streams, outer: null values, which are no records of either side',
    (builder) => stream(builder).outerJoin(other(builder), { within: 5, joiner }).to('out'),
    [
      ['in', 'k', null],
      ['other', null, null],
    ],
    { 'null-value': 1, 'null-key': 1 },
  ],
  [
    'fixed windows: null key',
    (builder) =>
      stream(builder)
        .groupByKey()
        .windowedBy(tumbling({ size: 5 }))
        .count(),
    [['in', null, 'v']],
    { 'null-key': 1 },
  ],
  [
    'sliding windows: null key, null value',
    (builder) =>
      stream(builder)
        .groupByKey()
        .windowedBy(sliding({ timeDifference: 5 }))
        .count(),
    [
      ['in', null, 'v'],
      ['in', 'k', null],
    ],
    { 'null-key': 1, 'null-value': 1 },
  ],
  [
    'sessions: null key',
    (builder) =>
      stream(builder)
        .groupByKey()
        .windowedBy(session({ inactivityGap: 5 }))
        .count(),
    [['in', null, 'v']],
    { 'null-key': 1 },
  ],
  [
    'an aggregation: null value',
    (builder) => stream(builder).groupByKey().count().toStream().mapValues(String, { value: string() }).to('out'),
    [['in', 'k', null]],
    { 'null-value': 1 },
  ],
  [
    'a join by foreign key: a row without key, one that names none, a row of the other side without key',
    (builder) => joinedByForeignKey(builder),
    [
      ['rows', null, 'c1|1'],
      ['rows', 'o1', '|1'],
      ['other', null, 'Ann'],
    ],
    { 'null-key': 3 },
  ],
  [
    'a join by foreign key: an answer to a row that has changed meanwhile',
    (builder) => joinedByForeignKey(builder),
    [
      ['rows', 'o1', 'c1|1'],
      [
        'app-fk-subscription-response-topic',
        'o1',
        { hash: new Uint8Array(16), foreignValue: Cell.of('Ann'), primaryPartition: 0 },
      ],
    ],
    { superseded: 1 },
  ],
  [
    'a join by foreign key: a subscription to no key',
    (builder) => joinedByForeignKey(builder),
    [
      [
        'app-fk-subscription-registration-topic',
        null,
        {
          instruction: INSTRUCTION.propagateOnlyIfForeignValue,
          hash: new Uint8Array(16),
          primaryKey: Cell.of('o1'),
          primaryPartition: 0,
        },
      ],
    ],
    { 'null-key': 1 },
  ],
  [
    'a join by foreign key: a late version of a row',
    (builder) => joinedByForeignKey(builder, history),
    [
      ['rows', 'o1', 'c1|2', 20],
      ['rows', 'o1', 'c1|1', 10],
    ],
    { superseded: 1 },
  ],
  [
    'a join by foreign key: a late version of the other side',
    (builder) =>
      builder
        .table('rows', text)
        .join(builder.table('other', { ...text, historyRetention: 100, store: 'others' }), { foreignKey, joiner })
        .toStream()
        .to('out'),
    [
      ['other', 'c1', 'Ann', 20],
      ['other', 'c1', 'Ada', 10],
    ],
    { superseded: 1 },
  ],
  [
    'a join of tables: late versions of either side',
    (builder) =>
      builder
        .table('rows', { ...text, ...history })
        .join(builder.table('other', { ...text, historyRetention: 100, store: 'others' }), { joiner })
        .toStream()
        .to('elsewhere'),
    [
      ['rows', 'k', '2', 20],
      ['rows', 'k', '1', 10],
      ['other', 'k', '2', 20],
      ['other', 'k', '1', 10],
    ],
    { superseded: 2 },
  ],
];

async function played(builder: StreamsBuilder, inputs: readonly Input[], options: BuildOptions = {}) {
  const app = defineApp({ applicationId: 'app', topology: builder.build(options) });
  const driver = await TopologyTestDriver.start(app);
  for (const [topic, key, value, timestampMs = 5] of inputs) await driver.pipeInput(topic, { key, value, timestampMs });
  return { counts: Object.fromEntries(driver.droppedRecords), outputs: driver.readOutputs('out', text) };
}

describe('what is dropped is counted by its reason', () => {
  it.each(dropped)('%s', async (_, add, inputs, reasons) => {
    const builder = new StreamsBuilder();
    add(builder);

    const { counts, outputs } = await played(builder, inputs);

    expect(counts).toEqual(reasons);
    expect(outputs).toEqual([]);
  });

  it.each(['none', 'all'] as const)('a stream joined with itself, optimised or not: %s', async (optimization) => {
    const builder = new StreamsBuilder();
    const both = stream(builder);
    both.join(both, { within: 5, joiner }).to('out');

    const { counts, outputs } = await played(
      builder,
      [
        ['in', null, 'v'],
        ['in', 'k', null],
      ],
      { optimization },
    );

    const sides = optimization === 'all' ? 1 : 2;
    expect(counts).toEqual({ 'null-key': sides, 'null-value': sides });
    expect(outputs).toEqual([]);
  });
});

const FORMAT = { store: 'kept', ...text };
const update = { format: FORMAT, cached: false, sendOldValues: false };
const untouched = storeView<string, string>(FORMAT);

/** Operators behind others that let no null key through: whatever comes before them, they hold to that. */
const guards: readonly (readonly [string, ProcessorSupplier<string, never, string, never>])[] = (
  [
    ['suppress', suppress({ name: 'op', format: FORMAT, suppression: untilTimeLimit(5), waitMs: 5 })],
    ['the end of a cogroup', mergeChanges(update)],
    ['a kept join of tables', tableMerge(update)],
    [
      'a kept step of a table',
      tableStep(
        { ...update, skipAbsent: false },
        mapValuesStep((value) => value),
      ),
    ],
    [
      'a side of a join of tables',
      tableTableJoin<string, string, string, string>({
        other: untouched,
        needsOwn: true,
        needsOther: true,
        joiner,
        sendOldValues: false,
        isVersioned: false,
      }),
    ],
    [
      'an aggregation of a table',
      tableAggregate(update, reduceGroupFold<string>({ add: (all, one) => all + one, subtract: (all) => all })),
    ],
    [
      'the other side of a join by foreign key',
      tellSubscribers<string, string, string>({
        format: FORMAT as never,
        foreignKey: string(),
        primaryKey: string(),
        isVersioned: false,
      }),
    ],
  ] as const
).map(([name, supplier]) => [name, supplier as never] as const);

/** Makes updates of a table of records. */
const updates: ProcessorSupplier<string, string, string, Change<string>> = () => {
  let context: ProcessorContext<string, Change<string>>;
  return {
    init(given) {
      context = given;
    },
    process: (record: StreamRecord<string, string>) =>
      context.forward(record.withValue({ newCell: record.valueCell, oldCell: ABSENT })),
  };
};

it.each(guards)('%s counts an update without key, and hands nothing on', async (_, supplier) => {
  const builder = new TopologyBuilder()
    .addSource('source', 'in', text)
    .addProcessor('updates', updates, { parents: 'source' })
    .addProcessor('op', supplier as never, { parents: 'updates' })
    .addStateStore(timestampedKeyValueStore({ name: 'kept', ...text }), 'op')
    .addSink('sink', 'out', { ...text, parents: 'op' });
  const { task, give, commit } = await startTask(builder);
  give('in', [{ key: null, value: 'v', ts: 7 }]);

  await task.process(0, 10);
  const { outputs, dropped: counted } = await commit();

  expect(counted).toMatchObject([{ reason: 'null-key', count: 1, last: { topic: 'in', offset: 0 } }]);
  expect(outputs.size).toBe(0);
});
