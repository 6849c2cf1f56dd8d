/** A versioned store's changelog has other keys than the store: each version is there under its plain key. */
import { expect, it } from 'vitest';
import { defineApp, nullable, StreamsBuilder, string } from '../../lib/index.js';
import { type Chance, simulate } from '../../lib/testing/index.js';

const text = { key: string(), value: string() };
const BEGIN_MS = 1_700_000_000_000;

function historyApp() {
  const builder = new StreamsBuilder();
  builder
    .table('rows', { ...text, store: 'rows', historyRetention: '10s' })
    .toStream()
    .to('updates', { key: string(), value: nullable(string()) });
  return defineApp({ applicationId: 'history', topology: builder.build() });
}

/** Updates of a few rows over a minute, some late, some deletes. */
const updates = (key: string) => (chance: Chance) =>
  Array.from({ length: 40 }, (_, index) => ({
    key: `${key}${chance.below(3)}`,
    value: chance.happens(0.2) ? null : `v${index}`,
    timestampMs: BEGIN_MS + index * 1_500 - chance.below(8_000),
  }));

it.each(['k', 'a key of many letters '])(
  'an application with a table that keeps its history holds: %s',
  async (key) => {
    const rows = { key: string(), value: nullable(string()), records: updates(key) };

    const { stores } = await simulate(historyApp(), { inputs: { rows }, seeds: 10 });

    expect(stores).toEqual({ rows: 'content' });
  },
);
