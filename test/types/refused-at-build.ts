/**
 * Mistakes that Kafka Streams refuses when a topology is built, and the compiler here already (`npm run test:types`): what may be left out
 * and what may not. What it can not see is refused when it is called: `test/unit/dsl/refused/`, `test/unit/topology/`.
 */
import {
  keyValueStore,
  StreamsBuilder,
  session,
  sessionStore,
  string,
  TopologyBuilder,
  tumbling,
  untilTimeLimit,
  untilWindowCloses,
  versionedStore,
  windowStore,
} from '../../lib/index.js';

const text = { key: string(), value: string() };
const builder = new StreamsBuilder();
const lines = builder.stream('lines', text);
const rows = builder.table('rows', text);
const facts = builder.globalTable('facts', text);
const grouped = lines.groupByKey();
const groups = rows.groupBy((key, value) => [key, value]);
const idle = () => ({ process() {} });
const first = (one: string) => one;
const kept = keyValueStore({ name: 'kept', ...text });
const fold = { init: () => '', add: (_key: string, value: string, all: string) => all + value, value: string() };

// Functions: a step has one.
lines.filter(() => true);
// @ts-expect-error a predicate is needed
lines.filter(null);
// @ts-expect-error and is no name
lines.filterNot('name');
// @ts-expect-error a mapper is needed
lines.mapValues();
// @ts-expect-error a mapper is needed
lines.flatMapValues(undefined);
// @ts-expect-error a selector is needed
lines.groupBy(null);
// @ts-expect-error an action is needed
lines.foreach();
// @ts-expect-error a supplier is needed
lines.process(null);
// @ts-expect-error a processor is no supplier
lines.processValues({ process() {} });
// @ts-expect-error a predicate is needed
lines.split().branch();
// @ts-expect-error so it is of a table
rows.filter(undefined);
// @ts-expect-error a selector is needed
rows.groupBy(null);

// Sources and sinks: topics are names, serdes are needed, resets are known.
// @ts-expect-error no topic
builder.stream(null, text);
// @ts-expect-error no options
builder.stream('lines');
// @ts-expect-error no table without serdes
builder.table('rows');
// @ts-expect-error a global table keeps no history
builder.globalTable('facts', { ...text, historyRetention: '1h' });
// @ts-expect-error no store
builder.addStateStore(null);
// @ts-expect-error no supplier
builder.addGlobalStore(kept, 'facts', text);
// @ts-expect-error no topic
lines.to(null);
// @ts-expect-error stores are named
lines.process(idle, { stores: [kept] });

// Joins: each is told what it needs of what it joins with.
lines.join(lines, { within: '5m', joiner: (one, other) => one + other });
lines.join(rows, { joiner: (one, other) => one + other, grace: '5m' });
lines.join(facts, { foreignKey: (key) => key, joiner: (one, other) => one + other });
// @ts-expect-error nothing
lines.join(null, { within: '5m', joiner: first });
// @ts-expect-error streams are joined within a window
lines.join(lines, { joiner: first });
// @ts-expect-error and by a joiner
lines.leftJoin(lines, { within: '5m' });
// @ts-expect-error a table has no window
lines.join(rows, { within: '5m', joiner: first });
// @ts-expect-error a stream is not joined so with a table that it may miss
lines.outerJoin(rows, { joiner: first });
// @ts-expect-error a global table is looked up by a key
lines.join(facts, { joiner: first });
// @ts-expect-error a table is not joined with a global one
rows.join(facts, { joiner: first });
// @ts-expect-error a foreign key is a function
rows.join(rows, { foreignKey: 'key', joiner: first });
// @ts-expect-error partitioners are those of a foreign key
rows.join(rows, { joiner: first, partitioner: () => 0 });

// Aggregations: all that is called is needed, and what never is can not be written.
// @ts-expect-error a reducer is needed
grouped.reduce(null);
// @ts-expect-error a start is needed
grouped.aggregate({ add: fold.add, value: string() });
// @ts-expect-error what adds is needed
grouped.aggregate({ init: fold.init, value: string() });
// @ts-expect-error a table takes back
groups.reduce({ add: first });
// @ts-expect-error a table takes back
groups.aggregate(fold);
// @ts-expect-error sessions merge
grouped.windowedBy(session({ inactivityGap: '5m' })).aggregate(fold);
// @ts-expect-error time windows never do
grouped.windowedBy(tumbling({ size: '5m' })).aggregate({ ...fold, merge: (_key, one: string) => one });
// @ts-expect-error no windows
grouped.windowedBy(null);
// @ts-expect-error no function
grouped.cogroup(null);
// @ts-expect-error no table of windows keeps a history
grouped.windowedBy(tumbling({ size: '5m' })).count({ historyRetention: '1h' });
// One fold in a variable serves them all.
const shared = { ...fold, merge: (_key: string, one: string, other: string) => one + other, subtract: fold.add };
grouped.aggregate(shared);
groups.aggregate(shared);
grouped.windowedBy(tumbling({ size: '5m' })).aggregate(shared);
grouped.windowedBy(session({ inactivityGap: '5m' })).aggregate(shared);

// Suppressions.
rows.suppress(untilTimeLimit('5m'));
// @ts-expect-error until when
rows.suppress();
// @ts-expect-error final results are those of windows
rows.suppress(untilWindowCloses());
// @ts-expect-error and do not come early
untilWindowCloses({ whenFull: 'emitEarly' });
// @ts-expect-error a limit is a duration
untilTimeLimit(null);

// Stores.
// @ts-expect-error a store has a name
keyValueStore(text);
// @ts-expect-error windows are kept for a while
windowStore({ name: 'kept', ...text, windowSize: '5m' });
// @ts-expect-error and have a size
windowStore({ name: 'kept', ...text, retention: '5m' });
// @ts-expect-error sessions are kept for a while
sessionStore({ name: 'kept', ...text });
// @ts-expect-error a history has a length
versionedStore({ name: 'kept', ...text });
// @ts-expect-error and no cache
versionedStore({ name: 'kept', ...text, historyRetention: '1h', cached: true });

// The Processor API.
const nodes = new TopologyBuilder().addSource('lines', 'lines', text);
nodes.addProcessor('step', idle, { parents: 'lines', stores: [] });
// @ts-expect-error no name
nodes.addSource(null, 'lines', text);
// @ts-expect-error no topics
nodes.addSource('more', null, text);
// @ts-expect-error no supplier
nodes.addProcessor('more', null, { parents: 'lines' });
// @ts-expect-error no parents
nodes.addProcessor('more', idle, {});
// @ts-expect-error no topic
nodes.addSink('out', null, { ...text, parents: 'lines' });
// @ts-expect-error no parents
nodes.addSink('out', 'counts', text);
// @ts-expect-error no store
nodes.addStateStore(null);
