import {
  keyValueStore,
  type Processor,
  type StoreSpec,
  sessionStore,
  string,
  TopologyBuilder,
  versionedStore,
  windowStore,
} from '../../../lib/index.js';
import { refuses } from '../../support/refusals.js';

/** What `Topology`, `InternalTopologyBuilder` and `Stores` of Kafka Streams 4.1 refuse, call by call. */

const text = { key: string(), value: string() };
/** What Java lets through, and JavaScript: TypeScript does not. */
const none = null as never;
const idle = () => ({ process() {} });
const shared: Processor<string, string> = { process() {} };
class Step {
  process() {}
}
const kept = (more: { readonly logged?: boolean } = {}): StoreSpec => keyValueStore({ name: 'kept', ...text, ...more });
const fromTopic = { topic: 'facts', source: 'facts-source', processor: 'facts-update', ...text };

const empty = () => new TopologyBuilder();
const source = () => empty().addSource('lines', 'in', text);
const sunk = () => source().addSink('out', 'counts', { ...text, parents: 'lines' });
const stepped = () => source().addProcessor('step', idle, { parents: 'lines' });
const global = () => source().addGlobalStore(kept({ logged: false }), fromTopic, idle);

refuses('a node is refused, and named, as Kafka Streams refuses it', [
  ['a source without name', ['needs a name'], () => empty().addSource(none, 'in', text)],
  ['a source of a name that is taken', ["'lines'"], () => source().addSource('lines', 'other', text)],
  ['a source without topics', ["'lines'"], () => empty().addSource('lines', [], text)],
  ['a source of null', ["'lines'"], () => empty().addSource('lines', none, text)],
  ['a source of a number', ["'lines'"], () => empty().addSource('lines', 5 as never, text)],
  ['a source with null among its topics', ["'lines'", "'null'"], () => empty().addSource('lines', ['in', none], text)],
  ['a topic that two sources read', ["'in'", "'lines'"], () => source().addSource('more', 'in', text)],
  ['a pattern that matches a topic', ["'more'", "'in'"], () => source().addSource('more', /i./, text).build()],
  [
    'a topic that a pattern matches',
    ["'all'", "'in'"],
    () => empty().addSource('all', /i./, text).addSource('lines', 'in', text).build(),
  ],
  [
    'a reset that there is not',
    ["'lines'"],
    () => empty().addSource('lines', 'in', { ...text, offsetReset: 'soon' as never }),
  ],
  [
    'a reset by a negative duration',
    ["'lines'", "'-1'"],
    () => empty().addSource('lines', 'in', { ...text, offsetReset: { byDuration: -1 } }),
  ],
  ['a processor without name', ['needs a name'], () => source().addProcessor(none, idle, { parents: 'lines' })],
  ['a processor of a taken name', ["'step'"], () => stepped().addProcessor('step', idle, { parents: 'lines' })],
  ['a processor without supplier', ["'step'"], () => source().addProcessor('step', none, { parents: 'lines' })],
  [
    'a supplier that gives one object',
    ["'step'"],
    () => source().addProcessor('step', () => shared, { parents: 'lines' }),
  ],
  [
    'a supplier that throws',
    ["'step'", 'no database'],
    () => {
      const throws = () => {
        throw new Error('no database');
      };
      return source().addProcessor('step', throws, { parents: 'lines' });
    },
  ],
  [
    'a class in the place of a supplier',
    ["'step'"],
    () => source().addProcessor('step', Step as never, { parents: 'lines' }),
  ],
  ['a processor without parents', ["'step'"], () => source().addProcessor('step', idle, { parents: [] })],
  ['parents that are null', ["'step'"], () => source().addProcessor('step', idle, { parents: none })],
  ['a parent that is null', ["'step'"], () => source().addProcessor('step', idle, { parents: [none] })],
  [
    'a parent that there is not',
    ["'step'", "'nobody'"],
    () => source().addProcessor('step', idle, { parents: 'nobody' }),
  ],
  ['a processor as its own parent', ["'step'"], () => source().addProcessor('step', idle, { parents: 'step' })],
  ['a sink as a parent', ["'out'", "'step'"], () => sunk().addProcessor('step', idle, { parents: 'out' })],
  ['a sink without name', ['needs a name'], () => source().addSink(none, 'counts', { ...text, parents: 'lines' })],
  ['a sink of a taken name', ["'out'"], () => sunk().addSink('out', 'more', { ...text, parents: 'lines' })],
  ['a sink without topic', ["'out'"], () => source().addSink('out', none, { ...text, parents: 'lines' })],
  ['a sink without parents', ["'out'"], () => source().addSink('out', 'counts', { ...text, parents: [] })],
  [
    'a sink below what there is not',
    ["'out'", "'nobody'"],
    () => source().addSink('out', 'counts', { ...text, parents: 'nobody' }),
  ],
  ['a sink as its own parent', ["'out'"], () => source().addSink('out', 'counts', { ...text, parents: 'out' })],
  ['a sink below a sink', ["'out'", "'more'"], () => sunk().addSink('more', 'counts', { ...text, parents: 'out' })],
  ['a topology without source', ['no source'], () => empty().build()],
]);

refuses('a store is refused, and named, as Kafka Streams refuses it', [
  ['no store', ['state store'], () => stepped().addStateStore(none)],
  ['a store without name', ["'undefined'"], () => keyValueStore(text as never)],
  ['a store of a taken name', ["'kept'"], () => stepped().addStateStore(kept()).addStateStore(kept())],
  ['a store of a global store’s name', ["'kept'"], () => global().addStateStore(kept())],
  ['a store of a processor that there is not', ["'nobody'"], () => stepped().addStateStore(kept(), 'nobody')],
  ['a store of null', ["'null'"], () => stepped().addStateStore(kept(), none)],
  ['a store of a source', ["'lines'"], () => stepped().addStateStore(kept(), 'lines')],
  ['a store of a sink', ["'out'"], () => sunk().addStateStore(kept(), 'out')],
  ['a connection to no store', ["'step'"], () => stepped().connectProcessorAndStateStores('step')],
  [
    'a connection of a processor that there is not',
    ["'nobody'"],
    () => stepped().addStateStore(kept()).connectProcessorAndStateStores('nobody', 'kept'),
  ],
  [
    'a connection to a store that there is not',
    ["'step'", "'kept'"],
    () => stepped().connectProcessorAndStateStores('step', 'kept'),
  ],
  ['a connection to null', ["'step'", "'null'"], () => stepped().connectProcessorAndStateStores('step', none)],
  [
    'a processor with a store that there is not',
    ["'step'", "'kept'"],
    () => source().addProcessor('step', idle, { parents: 'lines', stores: 'kept' }),
  ],
  [
    'stores that are no names',
    ["'step'", 'stores'],
    () => source().addProcessor('step', idle, { parents: 'lines', stores: 5 as never }),
  ],
  [
    'a global store that is connected',
    ["'kept'", "'step'"],
    () => global().addProcessor('step', idle, { parents: 'lines', stores: 'kept' }),
  ],
  [
    'a global store of a topic that is read',
    ["'in'", "'lines'"],
    () => source().addGlobalStore(kept({ logged: false }), { ...fromTopic, topic: 'in' }, idle),
  ],
  [
    'a global store without topic',
    ["'facts-source'"],
    () => source().addGlobalStore(kept({ logged: false }), { ...fromTopic, topic: none }, idle),
  ],
  [
    'a global store whose source and processor have one name',
    ["'facts'"],
    () => source().addGlobalStore(kept({ logged: false }), { ...fromTopic, source: 'facts', processor: 'facts' }, idle),
  ],
  [
    'a global store of a taken name',
    ["'kept'"],
    () =>
      source()
        .addStateStore(kept())
        .addGlobalStore(kept({ logged: false }), fromTopic, idle),
  ],
  ['a global store with a changelog', ["'kept'"], () => source().addGlobalStore(kept(), fromTopic, idle)],
  [
    'a global store without supplier',
    ["'facts-update'"],
    () => source().addGlobalStore(kept({ logged: false }), fromTopic, none),
  ],
  [
    'a global store whose supplier gives one object',
    ["'facts-update'"],
    () => source().addGlobalStore(kept({ logged: false }), fromTopic, () => shared as never),
  ],
  ['no global store', ['state store'], () => source().addGlobalStore(none, fromTopic, idle)],
  ['no read-only store', ['state store'], () => source().addReadOnlyStateStore(none, fromTopic, idle)],
  [
    'a read-only store of a topic that is read',
    ["'in'", "'lines'"],
    () => source().addReadOnlyStateStore(kept(), { ...fromTopic, topic: 'in' }, idle),
  ],
  [
    'a read-only store without supplier',
    ["'facts-update'"],
    () => source().addReadOnlyStateStore(kept(), fromTopic, none),
  ],
  [
    'a second source topic of a store',
    ["'kept'"],
    () =>
      stepped()
        .addStateStore(kept(), 'step')
        .connectSourceStoreAndTopic('kept', 'in')
        .connectSourceStoreAndTopic('kept', 'in'),
  ],
  [
    'a versioned store of a negative history',
    ["'kept'", "'-1'"],
    () => versionedStore({ name: 'kept', ...text, historyRetention: -1 }),
  ],
  [
    'a versioned store with a cache',
    ["'kept'", "'cached'"],
    () => versionedStore({ name: 'kept', ...text, historyRetention: 1, cached: true } as never),
  ],
  [
    'a window store of a negative retention',
    ["'kept'", "'-1'"],
    () => windowStore({ name: 'kept', ...text, retention: -1, windowSize: 1 }),
  ],
  [
    'a window store of a negative size',
    ["'kept'", "'-1'"],
    () => windowStore({ name: 'kept', ...text, retention: 1, windowSize: -1 }),
  ],
  [
    'a window store that keeps windows for less than their size',
    ["'kept'"],
    () => windowStore({ name: 'kept', ...text, retention: 1, windowSize: 2 }),
  ],
  [
    'a session store of a negative retention',
    ["'kept'", "'-1'"],
    () => sessionStore({ name: 'kept', ...text, retention: -1 }),
  ],
]);
