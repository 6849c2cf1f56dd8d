/** What `KStream` and its options of Kafka Streams 4.1 refuse, call by call: each is refused, and named by the name or store it was given. */
import { string } from '../../../../lib/index.js';
import { kept, lined, mine, name, none, refuses, shared, stream, table, yes } from '../../../support/refusals.js';

refuses('a step of a stream is refused as Kafka Streams refuses it', [
  ['filter', [mine], () => stream().filter(none, { name })],
  ['filterNot', [mine], () => stream().filterNot(none, { name })],
  ['map', [mine], () => stream().map(none, { name })],
  ['mapValues', [mine], () => stream().mapValues(none, { name })],
  ['flatMap', [mine], () => stream().flatMap(none, { name })],
  ['flatMapValues', [mine], () => stream().flatMapValues(none, { name })],
  ['selectKey', [mine], () => stream().selectKey(none, { name })],
  ['peek', [mine], () => stream().peek(none, { name })],
  ['foreach', [mine], () => stream().foreach(none, { name })],
  ['groupBy', [mine], () => stream().groupBy(none, { name })],
  ['a branch', [mine], () => stream().split({ name }).branch(none)],
  [
    'two branches of a name',
    ["'mine-a'"],
    () => lined((lines) => lines.split({ name }).branch(yes, { name: '-a' }).branch(yes, { name: '-a' })),
  ],
  ['merge with null', [mine, 'not null'], () => stream().merge(none, { name })],
  ['merge with a table', [mine, 'needs a stream'], () => stream().merge(table() as never, { name })],
  [
    'an async serde',
    [mine, 'are not async'],
    () =>
      stream().mapValues((value) => value, {
        name,
        value: { ...string(), serialize: async () => Buffer.alloc(0) } as never,
      }),
  ],
  ['merge with another builder’s', [mine], () => stream().merge(stream(), { name })],
  ['to null', [mine], () => lined((lines) => lines.to(none, { name }))],
  ['to what is no topic', [mine, "'a b'"], () => lined((lines) => lines.to('a b', { name }))],
  ['process', [mine], () => lined((lines) => lines.process(none, { name }))],
  ['process with one object', [mine], () => lined((lines) => lines.process(() => shared, { name }))],
  [
    'process with a store that there is not',
    [mine, kept],
    () => lined((lines) => lines.process(() => ({ process() {} }), { name, stores: ['kept'] })),
  ],
  [
    'process with a store that is null',
    [mine, 'stores'],
    () => stream().process(() => ({ process() {} }), { name, stores: [none] }),
  ],
  ['processValues', [mine], () => stream().processValues(none, { name })],
  [
    'processValues with one object',
    [mine],
    () => lined((lines) => lines.processValues(() => shared as never, { name })),
  ],
  [
    'processValues with what is no processor',
    [mine],
    () => lined((lines) => lines.processValues(() => none, { name })),
  ],
  [
    'processValues with a store that there is not',
    [mine, kept],
    () => lined((lines) => lines.processValues(() => ({ process() {} }), { name, stores: ['kept'] })),
  ],
  ['repartition into none', [name], () => lined((lines) => lines.repartition({ name, partitions: 0 }))],
  [
    'two repartition topics of a name',
    [name],
    () =>
      lined((lines) => {
        lines.repartition({ name });
        lines.repartition({ name });
      }),
  ],
  [
    'two operators of a name',
    [mine],
    () =>
      lined((lines) => {
        lines.filter(yes, { name });
        lines.peek(() => undefined, { name });
      }),
  ],
  ['a name that is empty', ["''"], () => stream().filter(yes, { name: '' })],
  ['a name of dots', ["'..'"], () => stream().filter(yes, { name: '..' })],
  ['a name with a space', ["'a b'"], () => stream().filter(yes, { name: 'a b' })],
  ['a name that is too long', ['xxx'], () => stream().filter(yes, { name: 'x'.repeat(250) })],
]);
