import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineApp, StreamsBuilder, string } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
/** Beyond every window of the generated records. */
const END_MS = 1_000_000;
type Kind = 'join' | 'leftJoin' | 'outerJoin';

interface Windows {
  readonly before: number;
  readonly after: number;
  readonly grace: number;
}
interface Input {
  readonly side: 'left' | 'right';
  readonly key: string;
  readonly value: string;
  readonly ts: number;
}

function start(kind: Kind, { before, after, grace }: Windows): Promise<TopologyTestDriver> {
  const builder = new StreamsBuilder();
  const left = builder.stream('left', text);
  const options = {
    within: { before, after },
    grace,
    joiner: (l: string | null, r: string | null) => `${l}+${r}`,
  };
  const right = builder.stream('right', text);
  if (kind === 'join') left.join(right, options).to('out');
  else if (kind === 'leftJoin') left.leftJoin(right, options).to('out');
  else left.outerJoin(right, options).to('out');
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
}

async function run(kind: Kind, of: Windows, inputs: readonly Input[]): Promise<string[]> {
  const driver = await start(kind, of);
  const end = { key: 'end', ts: END_MS };
  const last: Input[] = [
    { ...end, side: 'left', value: 'l-end' },
    { ...end, side: 'right', value: 'r-end' },
  ];
  for (const { side, key, value, ts } of [...inputs, ...last])
    await driver.pipeInput(side, { key, value, timestampMs: ts });
  return driver
    .readOutputs('out', text)
    .map(({ key, value, timestampMs }) => `${key} ${value}@${timestampMs}`)
    .filter((record) => !record.startsWith('end'))
    .sort();
}

/**
 * For each record those before it that it meets, and that the store of their stream still has: it keeps a record for as long as window and
 * grace together, the last millisecond excluded, by the times of its own stream. So a record that comes as late as it may does not meet one
 * at the very beginning of its window, and in a window of no width and no grace nothing meets. Times before 0 count as 0. All of this is
 * Kafka Streams' own answer.
 */
function met(inputs: readonly Input[], { before, after, grace }: Windows): Input[][] {
  const streamTime = { left: -1, right: -1 };
  return inputs.map((record, at) => {
    const [back, on] = record.side === 'left' ? [before, after] : [after, before];
    const other = record.side === 'left' ? 'right' : 'left';
    const fromMs = Math.max(0, record.ts - back, streamTime[other] - before - after - grace + 1);
    const toMs = Math.max(0, record.ts + on);
    streamTime[record.side] = Math.max(streamTime[record.side], record.ts);
    const earlier = inputs.slice(0, at).filter(({ side, key }) => side === other && key === record.key);
    return earlier.filter(({ ts }) => ts >= fromMs && ts <= toMs);
  });
}

/** The last time at which a record's partner may be. */
function lastPartnerMs({ side, ts }: Input, { before, after }: Windows): number {
  return Math.max(0, ts + (side === 'left' ? after : before));
}

/** Every pair, and every record that has no partner, or that came when its window had passed and its partner was not there yet. */
function expected(kind: Kind, of: Windows, inputs: readonly Input[]): string[] {
  const out: string[] = [];
  const partners = met(inputs, of);
  let streamTime = -1;
  inputs.forEach((record, at) => {
    streamTime = Math.max(streamTime, record.ts);
    const earlier = partners[at] ?? [];
    const isLeft = record.side === 'left';
    for (const other of earlier) {
      const pair = isLeft ? `${record.value}+${other.value}` : `${other.value}+${record.value}`;
      out.push(`${record.key} ${pair}@${Math.max(record.ts, other.ts)}`);
    }
    if (earlier.length > 0 || !(kind === 'outerJoin' || (kind === 'leftJoin' && isLeft))) return;
    const isPast = lastPartnerMs(record, of) < streamTime;
    if (!isPast && partners.slice(at + 1).some((those) => those.includes(record))) return;
    out.push(`${record.key} ${isLeft ? `${record.value}+null` : `null+${record.value}`}@${record.ts}`);
  });
  return out.sort();
}

/** In an order in which no record is later than the grace. */
function shuffled(inputs: readonly Input[], delays: readonly number[], grace: number): Input[] {
  return inputs
    .map((input, at) => ({ input, arrives: input.ts + ((delays[at] ?? 0) % (grace + 1)) }))
    .sort((a, b) => a.arrives - b.arrives)
    .map(({ input }) => input);
}

/** One of the two may be negative if the other makes up for it. */
const windows: fc.Arbitrary<Windows> = fc
  .record({
    before: fc.integer({ min: -8, max: 20 }),
    after: fc.integer({ min: -8, max: 20 }),
    grace: fc.nat({ max: 25 }),
  })
  .filter(({ before, after }) => before + after >= 0);
const records = fc.array(
  fc.record({
    side: fc.constantFrom('left' as const, 'right' as const),
    key: fc.constantFrom('a', 'b', 'ab'),
    ts: fc.nat({ max: 150 }),
  }),
  { maxLength: 30 },
);

/** Windows, and records in an order in which they may arrive for them. */
const arrivals = fc
  .tuple(windows, records, fc.array(fc.nat({ max: 25 }), { maxLength: 30 }))
  .map(([of, given, delays]) => {
    const inputs = given.map((each, at): Input => ({ ...each, value: `${each.side.charAt(0)}${at}` }));
    return { of, arriving: shuffled(inputs, delays, of.grace) };
  });

test.each(['join', 'leftJoin', 'outerJoin'] as const)(
  '%s of two streams that are late within the grace is that of nested loops',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ of, arriving }) => {
        expect(await run(kind, of, arriving)).toEqual(expected(kind, of, arriving));
      }),
      { numRuns: 60 },
    );
  },
);

/**
 * What is given out after each record, by a plain list that is looked through as Kafka Streams looks: up to a record after the first
 * open one of each stream, and only when the record that the last look came to is closed by the window of the stream that asks.
 */
function whenGivenOut(kind: Kind, of: Windows, inputs: readonly Input[]): string[] {
  const { before, after, grace } = of;
  const partners = met(inputs, of);
  const out: string[] = [];
  let waiting: Input[] = [];
  let streamTime = -1;
  let mark = Number.POSITIVE_INFINITY;
  const isOpen = (ts: number, side: Input['side']) => ts + (side === 'left' ? after : before) + grace >= streamTime;
  inputs.forEach((record, at) => {
    streamTime = Math.max(streamTime, record.ts);
    if (record.ts === streamTime && (mark === Number.POSITIVE_INFINITY || !isOpen(mark, record.side))) {
      mark = Number.POSITIVE_INFINITY;
      const open = new Set<string>();
      const order = (a: Input, b: Input) =>
        a.ts - b.ts || (a.side < b.side ? 1 : a.side > b.side ? -1 : a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
      for (const each of [...waiting].sort(order)) {
        mark = each.ts;
        if (open.size === 2) break;
        if (isOpen(each.ts, each.side)) open.add(each.side);
        else {
          out.push(`${at} ${each.value}`);
          waiting = waiting.filter((other) => other !== each);
        }
      }
    }
    const earlier = partners[at] ?? [];
    waiting = waiting.filter(
      (each) => !earlier.some(({ key, side, ts }) => each.key === key && each.side === side && each.ts === ts),
    );
    if (earlier.length > 0 || (kind === 'leftJoin' && record.side === 'right')) return;
    if (lastPartnerMs(record, of) < streamTime) out.push(`${at} ${record.value}`);
    else {
      waiting.push(record);
      mark = Math.min(mark, record.ts);
    }
  });
  return out;
}

test.each(['leftJoin', 'outerJoin'] as const)(
  '%s gives out what has met nothing when, and in the order in which, Kafka Streams does',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ of, arriving }) => {
        const driver = await start(kind, of);
        const alone: string[] = [];

        for (const [at, { side, key, value, ts }] of arriving.entries()) {
          await driver.pipeInput(side, { key, value, timestampMs: ts });
          const written = driver.readOutputs('out', text).map((record) => String(record.value));
          for (const text of written.filter((each) => each.includes('null')))
            alone.push(`${at} ${text.replace('+null', '').replace('null+', '')}`);
        }

        expect(alone).toEqual(whenGivenOut(kind, of, arriving));
      }),
      { numRuns: 100 },
    );
  },
);
