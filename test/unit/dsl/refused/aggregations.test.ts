/** What groups, cogroups and windows of Kafka Streams 4.1 refuse, call by call: each is refused, and named by the name or store it was given. */
import { expect, it } from 'vitest';
import { hopping, session, sliding, string, tumbling, unlimited } from '../../../../lib/index.js';
import {
  builder,
  first,
  grouped,
  groupedTable,
  kept,
  lined,
  mine,
  name,
  none,
  refuses,
  text,
  windowed,
} from '../../../support/refusals.js';

refuses('an aggregation is refused as Kafka Streams refuses it', [
  ['reduce', [mine], () => grouped().reduce(none, { name })],
  ['aggregate of null', ['aggregate'], () => grouped().aggregate(none)],
  ['aggregate without init', [mine], () => grouped().aggregate({ name, value: string(), add: first } as never)],
  ['aggregate without add', [mine], () => grouped().aggregate({ name, value: string(), init: first } as never)],
  ['aggregate without serde', [kept], () => grouped().aggregate({ store: 'kept', init: first, add: first } as never)],
  ['count into a bad store', [mine, "'a/b'"], () => grouped().count({ name, store: 'a/b' })],
  ['count with a negative history', [kept, "'-5'"], () => grouped().count({ store: 'kept', historyRetention: -5 })],
  [
    'two counts into one store',
    [kept],
    () =>
      lined((lines) => {
        lines.groupByKey().count({ store: 'kept' });
        lines.groupByKey().count({ store: 'kept' });
      }),
  ],
  ['reduce of a table without subtract', [mine], () => groupedTable().reduce({ name, add: first } as never)],
  ['reduce of a table without add', [mine], () => groupedTable().reduce({ name, subtract: first } as never)],
  [
    'aggregate of a table without init',
    [mine],
    () => groupedTable().aggregate({ name, value: string(), add: first, subtract: first } as never),
  ],
  [
    'aggregate of a table without subtract',
    [mine],
    () => groupedTable().aggregate({ name, value: string(), init: first, add: first } as never),
  ],
  ['cogroup', ['cogroup'], () => grouped().cogroup(none)],
  ['cogroup of no group', ['cogroup'], () => grouped().cogroup(first).cogroup(none, first)],
  ['cogroup of another builder’s', ['cogroup'], () => grouped().cogroup(first).cogroup(grouped(), first)],
  [
    'aggregate of a cogroup without init',
    [mine],
    () =>
      grouped()
        .cogroup(first)
        .aggregate({ name } as never),
  ],
  [
    'aggregate of a windowed cogroup without init',
    [kept],
    () =>
      grouped()
        .cogroup(first)
        .windowedBy(tumbling({ size: 5 }))
        .aggregate({ store: 'kept' } as never),
  ],
]);

refuses('a windowed aggregation is refused as Kafka Streams refuses it', [
  ['by null', ['windowedBy'], () => grouped().windowedBy(none)],
  ['of a cogroup by null', ['windowedBy'], () => grouped().cogroup(first).windowedBy(none)],
  ['reduce', [mine], () => windowed().reduce(none, { name })],
  ['aggregate without init', [mine], () => windowed().aggregate({ name, value: string(), add: first } as never)],
  [
    'aggregate of sessions without merge',
    [mine],
    () =>
      grouped()
        .windowedBy(session({ inactivityGap: 5 }))
        .aggregate({ name, value: string(), init: first, add: first } as never),
  ],
  ['a retention below size and grace', [kept], () => windowed().count({ store: 'kept', retention: 9 })],
  ['a retention that is negative', [kept, "'-9'"], () => windowed().count({ store: 'kept', retention: -9 })],
  [
    'a retention below gap and grace',
    [kept],
    () =>
      grouped()
        .windowedBy(session({ inactivityGap: 5, grace: 5 }))
        .count({ store: 'kept', retention: 9 }),
  ],
  [
    'a retention below what slides',
    [kept],
    () =>
      grouped()
        .windowedBy(sliding({ timeDifference: 5, grace: 5 }))
        .count({ store: 'kept', retention: 9 }),
  ],
  ['no strategy', ['emitStrategy'], () => windowed().emitStrategy(none)],
  [
    'final results of windows without end',
    ['emitStrategy', 'unlimited'],
    () =>
      grouped()
        .windowedBy(unlimited() as never)
        .emitStrategy('onWindowClose'),
  ],
  ['windows of no size', ['tumbling', 'size'], () => tumbling({ size: 0 })],
  ['windows of a negative size', ['tumbling', "'-1'"], () => tumbling({ size: -1 })],
  ['windows of null', ['tumbling', "'null'"], () => tumbling({ size: none })],
  ['windows with a negative grace', ['tumbling', 'grace'], () => tumbling({ size: 1, grace: -1 })],
  ['windows that do not advance', ['hopping', 'advance'], () => hopping({ size: 5, advance: 0 })],
  ['windows that advance backward', ['hopping', 'advance'], () => hopping({ size: 5, advance: -1 })],
  ['windows that advance beyond their size', ['hopping', '6'], () => hopping({ size: 5, advance: 6 })],
  ['a negative difference', ['sliding', "'-1'"], () => sliding({ timeDifference: -1 })],
  ['a difference with a negative grace', ['sliding', 'grace'], () => sliding({ timeDifference: 1, grace: -1 })],
  ['a negative gap', ['session', "'-1'"], () => session({ inactivityGap: -1 })],
  ['a gap with a negative grace', ['session', 'grace'], () => session({ inactivityGap: 1, grace: -1 })],
  ['a negative start', ['unlimited', "'-1'"], () => unlimited({ startMs: -1 })],
]);

it('one fold may serve a group, windows, sessions, a cogroup and a table: what one of them does not call is no mistake', () => {
  const fold = {
    init: () => '',
    add: (_key: string, value: string, all: string) => all + value,
    subtract: (_key: string, value: string, all: string) => all.replace(value, ''),
    merge: (_key: string, one: string, other: string) => one + other,
    value: string(),
  };
  const { add, subtract, ...cogrouped } = fold;
  const of = builder();
  const group = of.stream('in', text).groupByKey();

  group.aggregate(fold);
  group.windowedBy(tumbling({ size: 5 })).aggregate(fold);
  group.windowedBy(sliding({ timeDifference: 5 })).aggregate(fold);
  group.windowedBy(session({ inactivityGap: 5 })).aggregate(fold);
  group.cogroup(add).aggregate(cogrouped);
  group
    .cogroup(add)
    .windowedBy(tumbling({ size: 5 }))
    .aggregate(cogrouped);
  of.table('rows', text)
    .groupBy((key, value) => [key, value])
    .aggregate(fold);

  expect(() => of.build()).not.toThrow();
});
