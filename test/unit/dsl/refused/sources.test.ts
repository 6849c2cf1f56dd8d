/** What `StreamsBuilder` and its options of Kafka Streams 4.1 refuse, call by call: each is refused, and named by the name or store it was given. */
import { builder, built, kept, mine, name, none, nothing, refuses, store, text } from '../../../support/refusals.js';

refuses('a source is refused as Kafka Streams refuses it', [
  ['a stream of null', [mine], () => builder().stream(none, { ...text, name })],
  ['a stream of a number', [mine], () => builder().stream(5 as never, { ...text, name })],
  ['a stream of no topic', [mine], () => builder().stream([], { ...text, name })],
  ['a stream without serdes', ["'in'"], () => builder().stream('in', nothing)],
  ['a table of null', [mine], () => builder().table(none, { ...text, name })],
  ['a table without serdes', ["'in'"], () => builder().table('in', nothing)],
  ['a table of a bad store', ["'a/b'"], () => builder().table('in', { ...text, store: 'a/b' })],
  ['a global table of null', [mine], () => builder().globalTable(none, { ...text, name })],
  ['a global table without serdes', ["'in'"], () => builder().globalTable('in', nothing)],
  [
    'a global table with history',
    [mine, 'historyRetention'],
    () => builder().globalTable('in', { ...text, name, historyRetention: 5 } as never),
  ],
  [
    'two tables of a topic',
    ["'in'"],
    () =>
      built((of) => {
        of.table('in', text);
        of.table('in', text);
      }),
  ],
  [
    'a stream and a table of a topic',
    ["'in'"],
    () =>
      built((of) => {
        of.stream('in', text);
        of.table('in', text);
      }),
  ],
  [
    'streams of topics that overlap',
    ["'in'"],
    () =>
      built((of) => {
        of.stream(['in', 'more'], text);
        of.stream('in', text);
      }),
  ],
  [
    'a stream of a topic and one of its pattern',
    ["'in'"],
    () =>
      built((of) => {
        of.stream(/i./, text);
        of.stream('in', text);
      }),
  ],
  [
    'two resets of a topic',
    ['in', 'offsetReset'],
    () =>
      built((of) => {
        of.stream('in', { ...text, offsetReset: 'earliest' });
        of.stream('in', { ...text, offsetReset: 'latest' });
      }),
  ],
  ['a store that is null', ['state store'], () => builder().addStateStore(none)],
  ['two stores of a name', [kept], () => built((of) => of.addStateStore(store()).addStateStore(store()))],
  ['a global store of null', ['topic'], () => builder().addGlobalStore(store(false), none, text, none)],
  [
    'a global store without options',
    ['addGlobalStore'],
    () => builder().addGlobalStore(store(false), 'in', none, none),
  ],
  [
    'a global store without supplier',
    ['addGlobalStore'],
    () => builder().addGlobalStore(store(false), 'in', text, none),
  ],
]);
