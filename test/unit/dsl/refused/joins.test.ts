/** What joins of Kafka Streams 4.1 refuse, call by call: each is refused, and named by the name or store it was given. */
import {
  built,
  first,
  globals,
  history,
  mine,
  name,
  none,
  refuses,
  stream,
  streams,
  table,
  tables,
  text,
} from '../../../support/refusals.js';

refuses('a join is refused as Kafka Streams refuses it', [
  ['with null', [mine], () => stream().join(none, { name, joiner: first, within: 5 })],
  ['with another builder’s', [mine], () => stream().join(stream(), { name, joiner: first, within: 5 })],
  [
    'of streams without joiner',
    [mine],
    () => {
      const { lines, other } = streams();
      lines.join(other, { name, within: 5 } as never);
    },
  ],
  [
    'of streams without window',
    [mine],
    () => {
      const { lines, other } = streams();
      lines.join(other, { name, joiner: first } as never);
    },
  ],
  [
    'of streams in a window that ends before it begins',
    [mine],
    () => {
      const { lines, other } = streams();
      lines.join(other, { name, joiner: first, within: { before: -5, after: 1 } });
    },
  ],
  [
    'of streams in a negative window',
    [mine, "'-1s'"],
    () => {
      const { lines, other } = streams();
      lines.join(other, { name, joiner: first, within: '-1s' });
    },
  ],
  [
    'of streams with a negative grace',
    [mine, "'-1'"],
    () => {
      const { lines, other } = streams();
      lines.leftJoin(other, { name, joiner: first, within: 5, grace: -1 });
    },
  ],
  [
    'of streams with the store names of another join',
    ["'kept-this-join-store'"],
    () =>
      built((of) => {
        const lines = of.stream('in', text);
        for (const topic of ['one', 'two'])
          lines.join(of.stream(topic, text), { joiner: first, within: 5, store: 'kept' });
      }),
  ],
  [
    'of streams whose topics are given two counts',
    ["'a-repartition'", "'b-repartition'"],
    () =>
      built((of) => {
        const one = of.stream('in', text).repartition({ name: 'a', partitions: 2 });
        const two = of.stream('other', text).repartition({ name: 'b', partitions: 3 });
        one.outerJoin(two, { joiner: () => '', within: 5 });
      }),
  ],
  [
    'with a table, without joiner',
    [mine],
    () => {
      const { lines, other } = tables();
      lines.join(other, { name } as never);
    },
  ],
  [
    'with a table, both ways outer',
    [mine, 'cannot be joined so with a table'],
    () => {
      const { lines, other } = tables();
      lines.outerJoin(other as never, { name, joiner: first, within: 5 });
    },
  ],
  [
    'with a table without history, waiting',
    [mine],
    () => {
      const { lines, other } = tables();
      lines.join(other, { name, joiner: first, grace: 5 });
    },
  ],
  [
    'with a table, waiting beyond its history',
    [mine],
    () => {
      const { lines, other } = history(4);
      lines.join(other, { name, joiner: first, grace: 5 });
    },
  ],
  [
    'with a table, waiting a negative time',
    [mine, "'-5'"],
    () => {
      const { lines, other } = history(4);
      lines.join(other, { name, joiner: first, grace: -5 });
    },
  ],
  [
    'with a global table, without key',
    [mine],
    () => {
      const { lines, other } = globals();
      lines.join(other, { name, joiner: first } as never);
    },
  ],
  [
    'with a global table, without joiner',
    [mine],
    () => {
      const { lines, other } = globals();
      lines.leftJoin(other, { name, foreignKey: (key: string) => key } as never);
    },
  ],
  ['of tables, with null', [mine], () => table().join(none, { name, joiner: first })],
  ['of tables, with another builder’s', [mine], () => table().join(table(), { name, joiner: first })],
  [
    'of a table with a stream',
    [mine],
    () => {
      const { lines, rows } = streams();
      rows.join(lines as never, { name, joiner: first });
    },
  ],
  [
    'of tables without joiner',
    [mine],
    () => {
      const { rows, other } = tables();
      rows.outerJoin(other, { name } as never);
    },
  ],
  [
    'of tables, by a foreign key that is no function',
    [mine],
    () => {
      const { rows, other } = tables();
      rows.join(other, { name, joiner: first, foreignKey: none });
    },
  ],
  [
    'of tables, by foreign key without joiner',
    [mine],
    () => {
      const { rows, other } = tables();
      rows.leftJoin(other, { name, foreignKey: (value: string) => value } as never);
    },
  ],
]);

refuses('a join has the options of what it is with, not those of joins of another kind', [
  [
    'with a table in a window',
    [mine, "with a table there is no option 'within'"],
    () => {
      const { lines, other } = tables();
      lines.join(other, { name, joiner: first, within: 5 } as never);
    },
  ],
  [
    'with a table by a foreign key',
    [mine, "with a table there is no option 'foreignKey'"],
    () => {
      const { lines, other } = tables();
      lines.leftJoin(other, { name, joiner: first, foreignKey: first } as never);
    },
  ],
  [
    'with a global table that waits',
    [mine, "with a global table there is no option 'grace'"],
    () => {
      const { lines, other } = globals();
      lines.join(other, { name, joiner: first, foreignKey: first, grace: 5 } as never);
    },
  ],
  [
    'of tables by key with a partitioner',
    [mine, "without foreignKey there is no option 'partitioner'"],
    () => {
      const { rows, other } = tables();
      rows.join(other, { name, joiner: first, partitioner: () => 0 } as never);
    },
  ],
]);
