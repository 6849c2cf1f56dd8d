import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineApp, StreamsBuilder, session, sessionWindowedSerde, string } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

interface Input {
  readonly key: string;
  readonly timestampMs: number;
}
interface Windows {
  readonly gapMs: number;
  readonly graceMs: number;
  readonly inMemory: boolean;
}
interface Counted {
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly count: number;
}
interface Result {
  readonly counted: readonly Counted[];
  readonly dropped: number;
}

/** The library's final counts, its task dead before every record that `cut` says. */
async function final(inputs: readonly Input[], windows: Windows, cut: (index: number) => boolean): Promise<Result> {
  const { gapMs, graceMs, inMemory } = windows;
  const builder = new StreamsBuilder();
  builder
    .stream('in', { key: string(), value: string() })
    .groupByKey()
    .windowedBy(session({ inactivityGap: gapMs, grace: graceMs }))
    .emitStrategy('onWindowClose')
    .count({ inMemory })
    .mapValues((count) => `${count}`, { value: string() })
    .toStream()
    .to('out');
  const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
  const counted: Counted[] = [];
  for (const [index, { key, timestampMs }] of inputs.entries()) {
    if (cut(index)) await driver.crash();
    await driver.pipeInput('in', { key, value: 'v', timestampMs });
    for (const { key: of, value } of driver.readOutputs('out', {
      key: sessionWindowedSerde(string()),
      value: string(),
    }))
      counted.push({ key: of.key, ...of.window, count: Number(value) });
  }
  const dropped = driver.droppedRecords.get('late') ?? 0;
  await driver.close();
  return { counted, dropped };
}

/** The same by a loop over all sessions that there ever were. */
function looped(inputs: readonly Input[], { gapMs, graceMs, inMemory }: Windows): Result {
  const waitMs = gapMs + graceMs;
  let sessions: readonly Counted[] = [];
  let streamTimeMs = Number.NEGATIVE_INFINITY;
  let dropped = 0;
  const given: Counted[] = [];
  for (const { key, timestampMs } of inputs) {
    const firstKeptMs = streamTimeMs - waitMs + 1;
    streamTimeMs = Math.max(streamTimeMs, timestampMs);
    const closeMs = streamTimeMs - waitMs;
    const near = sessions.filter(
      (each) =>
        each.key === key &&
        each.endMs >= Math.max(timestampMs - gapMs, firstKeptMs) &&
        each.startMs <= timestampMs + gapMs,
    );
    const startMs = Math.min(timestampMs, ...near.map((each) => each.startMs));
    const endMs = Math.max(timestampMs, ...near.map((each) => each.endMs));
    if (endMs < closeMs) dropped += 1;
    else {
      const same = (each: Counted) => each.key === key && each.startMs === startMs && each.endMs === endMs;
      const gone = sessions.filter((each) => near.includes(each) || same(each));
      const count = gone.reduce((sum, each) => sum + each.count, 1);
      sessions = [...sessions.filter((each) => !gone.includes(each)), { key, startMs, endMs, count }];
    }
    const closed = sessions.filter((each) => each.endMs < closeMs);
    const byTime = (a: Counted, b: Counted) =>
      a.endMs - b.endMs || (inMemory ? 0 : a.startMs - b.startMs) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
    given.push(...[...closed].sort((a, b) => byTime(a, b) || b.startMs - a.startMs));
    sessions = sessions.filter((each) => !closed.includes(each));
  }
  return { counted: given, dropped };
}

const windows: fc.Arbitrary<Windows> = fc.record({
  gapMs: fc.integer({ min: 0, max: 12 }),
  graceMs: fc.integer({ min: 0, max: 12 }),
  inMemory: fc.boolean(),
});
/** Records that come late, now and then too late, and now and then after a jump of time beyond every segment of the store. */
const inputs: fc.Arbitrary<readonly Input[]> = fc.array(
  fc.record({
    key: fc.constantFrom('x', 'x', 'y'),
    timestampMs: fc.oneof(
      { weight: 6, arbitrary: fc.nat({ max: 60 }) },
      { weight: 2, arbitrary: fc.nat({ max: 200 }) },
      { weight: 1, arbitrary: fc.nat({ max: 300_000 }) },
    ),
  }),
  { maxLength: 24 },
);
/** Closes whatever is open, of a key of its own. */
const last: Input = { key: 'z', timestampMs: 10_000_000 };
const atTheRetention: readonly Input[] = [0, 35, 0, 20, 40, 5, 0, 60].map((timestampMs) => ({ key: 'x', timestampMs }));

describe('final counts of sessions with the default retention, whatever comes late and wherever time jumps', () => {
  it('come to the number of records that were not dropped', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, windows, async (records, of) => {
        const { counted, dropped } = await final([...records, last], of, () => false);

        const sum = counted.reduce((all, { count }) => all + count, 0);
        expect(sum).toBe(records.length - dropped);
      }),
      { numRuns: 120, examples: [[atTheRetention, { gapMs: 30, graceMs: 5, inMemory: false }]] },
    );
  });

  it('are those of a loop over all sessions, also if the task dies and comes back before any record (trap 27)', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, windows, fc.integer({ min: 1, max: 3 }), async (records, of, step) => {
        const expected = looped([...records, last], of);

        expect(await final([...records, last], of, (index) => index % step === 0)).toEqual(expected);
      }),
      { numRuns: 60, examples: [[atTheRetention, { gapMs: 30, graceMs: 5, inMemory: false }, 1]] },
    );
  });
});
