import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineApp, long, StreamsBuilder, string } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
interface Input {
  readonly key: string;
  readonly value: string | null;
  readonly timestampMs: number;
}

const inputs = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    value: fc.constantFrom('odd', 'even', null),
    timestampMs: fc.nat({ max: 60 }),
  }),
  { maxLength: 30 },
);

/** The rows that are live after all inputs, by a plain account. */
function liveRows(given: readonly Input[], ttlMs: number): ReadonlyMap<string, string> {
  const last = new Map(given.map((input) => [input.key, input]));
  const streamTimeMs = Math.max(...given.map(({ timestampMs }) => timestampMs));
  const live = new Map<string, string>();
  for (const { key, value, timestampMs } of last.values())
    if (value !== null && timestampMs + ttlMs > streamTimeMs) live.set(key, value);
  return live;
}

test('a table with a ttl, what is made of it and its changelog have the rows that are live, whatever came when', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, fc.integer({ min: 1, max: 30 }), async (given, ttl) => {
      const builder = new StreamsBuilder();
      const table = builder.table('in', { ...text, store: 'rows', ttl });
      table.toStream().to('updates');
      table
        .groupBy((key, value) => [value, key])
        .count({ store: 'per-value' })
        .toStream()
        .to('counts');
      const settings = { statestoreCacheMaxBytes: 0 };
      const driver = await TopologyTestDriver.start(
        defineApp({ applicationId: 'app', topology: builder.build(), settings }),
      );
      for (const record of given) await driver.pipeInput('in', record);

      const live = given.length === 0 ? new Map<string, string>() : liveRows(given, ttl);
      const shown = new Map<string, string>();
      for (const { key, value } of driver.readOutputs('updates', text)) {
        if (value === null) shown.delete(key as string);
        else shown.set(key as string, value);
      }
      expect(shown).toEqual(live);
      const counts = new Map<string, number>();
      for (const { key, value } of driver.readOutputs('counts', { key: string(), value: long() }))
        counts.set(key as string, value ?? 0);
      for (const value of ['odd', 'even']) {
        expect(counts.get(value) ?? 0).toBe([...live.values()].filter((each) => each === value).length);
      }
      await driver.close();
    }),
    { numRuns: 150 },
  );
});
