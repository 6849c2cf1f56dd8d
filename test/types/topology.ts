/** What a topology is built with, and what decides about its records: refused by type where TypeScript can say it. */
import { customStore, defineApp, type StateStore, StreamsBuilder, string } from '../../lib/index.js';

const text = { key: string(), value: string() };
const builder = new StreamsBuilder();

builder.build({ optimization: 'all' });
builder.build({ optimization: ['merge.repartition.topics', 'single.store.self.join'] });
// @ts-expect-error there is no such optimisation
builder.build({ optimization: 'some' });
// @ts-expect-error nor this one
builder.build({ optimization: ['merge.everything'] });

builder.stream('by-time', { ...text, offsetReset: { byDuration: '1h' } });
builder.stream('by-hand', { ...text, offsetReset: 'none' });
// @ts-expect-error no policy of that name
builder.stream('soon', { ...text, offsetReset: 'soon' });
// @ts-expect-error a duration is wanted
builder.stream('for-a-while', { ...text, offsetReset: { byDuration: true } });

builder.stream(/orders-.+/, text);
// @ts-expect-error a table reads one topic
builder.table(/orders-.+/, text);
// @ts-expect-error so does a global table
builder.globalTable(/orders-.+/, text);

builder.stream('many', text).to('out', { partitioner: (_topic, _key, _value, count) => [0, count - 1] });
// @ts-expect-error partitions are numbers
builder.stream('named', text).to('out', { partitioner: () => ['first'] });

const topology = builder.build();
defineApp({
  applicationId: 'app',
  topology,
  handlers: { processing: ({ source }) => (source === null ? 'fail' : 'continue'), late: () => 'discard' },
  listeners: { onTaskState: ({ taskId, state }) => `${taskId} ${state}`, onRestoreEnd: ({ records }) => records + 1 },
});
// @ts-expect-error handlers answer one of three words
defineApp({ applicationId: 'app', topology, handlers: { processing: () => 'retry' } });
// @ts-expect-error there is no handler of that name
defineApp({ applicationId: 'app', topology, handlers: { lately: () => 'fail' } });
// @ts-expect-error there is no listener of that name
defineApp({ applicationId: 'app', topology, listeners: { onMonday: () => undefined } });

class Bag implements StateStore {
  readonly name = 'bag';
}
customStore({ name: 'bag', ...text, open: () => new Bag() });
// @ts-expect-error a store has a name
customStore({ name: 'bag', ...text, open: () => ({}) });
