import { describe, expect, it } from 'vitest';
import { defineApp, long, StreamsBuilder, string } from '../../lib/index.js';
import { simulate } from '../../lib/testing/index.js';

const text = { key: string(), value: string() };
const ROWS = Array.from({ length: 12 }, (_, index) => `row-${index}`);

/** Looks each record's row up in a global table, which never loses one. */
function joining() {
  const builder = new StreamsBuilder();
  const rows = builder.globalTable('rows', { ...text, store: 'rows' });
  builder
    .stream('in', text)
    .leftJoin(rows, { foreignKey: (_, value) => value, joiner: (value, row) => `${value}:${row}` })
    .to('out');
  return defineApp({ applicationId: 'joining', topology: builder.build() });
}

describe('global stores under faults', () => {
  it('give what they have once given, whichever member looks, through crashes and restarts', async () => {
    let found = 0;
    let missing = 0;

    const report = await simulate(joining(), {
      inputs: {
        rows: { ...text, partitions: 6, records: ROWS.map((key) => ({ key, value: key.toUpperCase() })) },
        in: {
          ...text,
          partitions: 3,
          records: (chance) =>
            Array.from({ length: 60 }, () => ({ key: `k${chance.below(6)}`, value: ROWS[chance.below(12)] ?? '' })),
        },
      },
      members: [1, 3],
      seeds: 8,
      check({ outputs, inputs }) {
        const seen = new Set<string>();
        const results = outputs('out', text);
        for (const { key, value } of results) {
          const [row = '', got] = value.split(':');
          if (got === 'null') {
            missing += 1;
            expect([...seen]).not.toContain(`${key} ${row}`);
          } else {
            found += 1;
            expect(got).toBe(row.toUpperCase());
            seen.add(`${key} ${row}`);
          }
        }
        expect(results).toHaveLength(inputs('in').length);
      },
    });

    expect(report.outputs).toEqual({ out: 'none' }); // the order in which rows and records come is chance
    expect([found > 0, missing > 0]).toEqual([true, true]);
  });

  it('are the same for every order, where all that is read of them comes from the records themselves', async () => {
    const builder = new StreamsBuilder();
    builder.globalTable('rows', { ...text, store: 'rows' });
    builder
      .stream('in', text)
      .groupByKey()
      .count({ store: 'counts' })
      .toStream()
      .to('out', { value: long() as never });
    const app = defineApp({ applicationId: 'counting', topology: builder.build() });

    const { outputs } = await simulate(app, {
      inputs: {
        rows: { ...text, records: [{ key: 'r', value: 'R' }] },
        in: { ...text, records: Array.from({ length: 30 }, (_, index) => ({ key: `k${index % 4}`, value: '' })) },
      },
      seeds: 3,
    });

    expect(outputs).toEqual({ out: 'sequence' });
  });
});
