import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BufferLimits, defineApp, StreamsBuilder, string, untilTimeLimit } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
interface Input {
  readonly key: string;
  readonly value: string | null;
  readonly ts: number;
}

async function run(limit: number, buffer: BufferLimits, inputs: readonly Input[]): Promise<readonly string[]> {
  const builder = new StreamsBuilder();
  builder.table('in', text).suppress(untilTimeLimit(limit, buffer)).toStream().to('out');
  const settings = { statestoreCacheMaxBytes: 0 };
  const app = defineApp({ applicationId: 'app', topology: builder.build(), settings });
  const driver = await TopologyTestDriver.start(app);
  for (const { key, value, ts } of inputs) await driver.pipeInput('in', { key, value, timestampMs: ts });
  return driver.readOutputs('out', text).map(({ key, value, timestampMs }) => `${key}=${value}@${timestampMs}`);
}

/** A plain list, sorted anew for each record. */
function expected(limit: number, { maxRecords = Number.POSITIVE_INFINITY }: BufferLimits, inputs: readonly Input[]) {
  const out: string[] = [];
  let held: { readonly key: string; readonly placeMs: number; last: Input }[] = [];
  let streamTime = -1;
  for (const input of inputs) {
    streamTime = Math.max(streamTime, input.ts);
    const before = held.find(({ key }) => key === input.key);
    if (before === undefined) held.push({ key: input.key, placeMs: input.ts, last: input });
    else before.last = input;
    held.sort((a, b) => a.placeMs - b.placeMs || (a.key < b.key ? -1 : 1));
    let released = held.filter(({ placeMs }) => placeMs <= streamTime - limit).length;
    released = Math.max(released, held.length - maxRecords);
    for (const { last } of held.slice(0, released)) out.push(`${last.key}=${last.value}@${last.ts}`);
    held = held.slice(released);
  }
  return out;
}

test('a suppressed table gives out what a plain list would, in the order of time and key', async () => {
  const inputs = fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'ab', 'é'),
      value: fc.constantFrom('1', '2', null),
      ts: fc.nat({ max: 100 }),
    }),
    { maxLength: 40 },
  );
  const buffers = fc.constantFrom<BufferLimits>({}, { maxRecords: 0 }, { maxRecords: 1 }, { maxRecords: 3 });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 60 }), buffers, inputs, async (limit, buffer, given) => {
      expect(await run(limit, buffer, given)).toEqual(expected(limit, buffer, given));
    }),
    { numRuns: 150 },
  );
});
