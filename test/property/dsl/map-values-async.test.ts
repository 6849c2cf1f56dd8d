import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineApp, StreamsBuilder, string } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };

const runs = fc.record({
  keys: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 24 }),
  /** Turns of the event loop that each call takes, used over and over; 0 answers at once. */
  turns: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 8 }),
  crashes: fc.uniqueArray(fc.nat({ max: 23 }), { maxLength: 4 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  recordsPerCommit: fc.integer({ min: 1, max: 6 }),
});

test('in whatever order calls are answered, wherever the task crashes, each record leaves once, those of a key in their order', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async ({ keys, turns, crashes, concurrency, recordsPerCommit }) => {
      let calls = 0;
      let running = 0;
      const called = new Set<string>();
      const builder = new StreamsBuilder();
      builder
        .stream('in', text)
        .mapValuesAsync(
          (value, key): string | Promise<string> => {
            const wait = turns[calls % turns.length] ?? 0;
            calls += 1;
            called.add(value);
            if (wait === 0) return `${key}${value}`;
            running += 1;
            expect(running).toBeLessThanOrEqual(concurrency * (1 + crashes.length));
            return afterTurns(wait).then(() => {
              running -= 1;
              return `${key}${value}`;
            });
          },
          { concurrency },
        )
        .to('out');
      const app = defineApp({ applicationId: 'app', topology: builder.build() });
      const driver = await TopologyTestDriver.start(app, { recordsPerCommit });
      for (const [index, key] of keys.entries()) {
        await driver.pipeInput('in', { key, value: `${index}`, timestampMs: index });
        if (crashes.includes(index)) await driver.crash();
      }
      await driver.commit();

      const written = driver.readOutputs('out', text).map(({ value }) => value);
      const serial = keys.map((key, index) => `${key}${index}`);
      expect([...written].sort()).toEqual([...serial].sort());
      for (const key of ['a', 'b', 'c']) {
        const ofKey = (values: readonly string[]) => values.filter((value) => value.startsWith(key));
        expect(ofKey(written)).toEqual(ofKey(serial));
      }
      expect(called.size).toBe(keys.length);
      await driver.close();
    }),
    { numRuns: 80 },
  );
});

async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
