import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  defineApp,
  type EmitStrategy,
  hopping,
  type KTable,
  long,
  StreamsBuilder,
  session,
  sliding,
  string,
  tumbling,
  unlimited,
} from '../../../lib/index.js';
import { type CutInput, cutRun } from '../../support/cut-run.js';

const serdes = { key: string(), value: string() };
const STRATEGIES: readonly EmitStrategy[] = ['onWindowUpdate', 'onWindowClose'];

/** Every windowed operator, each to a topic of its own. */
function application(cacheMaxBytes: number) {
  const builder = new StreamsBuilder();
  const grouped = builder.stream('a', serdes).groupByKey();
  const other = builder.stream('b', serdes).groupByKey();
  const write = (name: string, table: KTable<unknown, unknown>) => table.toStream().to(name);
  const joined = {
    value: string(),
    init: () => '',
    add: (_key: string, value: string | null, all: string) => all + value,
  };
  const merge = (_key: string, all: string, one: string) => `${all}(${one})`;
  for (const emit of STRATEGIES) {
    const name = (kind: string) => `${kind}-${emit === 'onWindowClose' ? 'c' : 'u'}`;
    const windows = hopping({ size: 20, advance: 10, grace: 15 });
    write(
      name('hop'),
      grouped
        .windowedBy(windows)
        .emitStrategy(emit)
        .count({ store: name('hop') }),
    );
    const slides = sliding({ timeDifference: 12, grace: 9 });
    write(
      name('sli'),
      grouped
        .windowedBy(slides)
        .emitStrategy(emit)
        .aggregate({ ...joined, store: name('sli') }),
    );
    const sessions = session({ inactivityGap: 8, grace: 11 });
    write(
      name('ses'),
      grouped
        .windowedBy(sessions)
        .emitStrategy(emit)
        .aggregate({ ...joined, merge, store: name('ses') }),
    );
  }
  write(
    'all',
    grouped.windowedBy(unlimited({ startMs: 5 })).reduce((all, value) => all + value, { store: 'all' }),
  );
  const cogroup = grouped.cogroup<number>((_key, _value, count) => count + 1);
  const both = cogroup
    .cogroup(other, (_key, _value, count) => count + 100)
    .windowedBy(tumbling({ size: 10, grace: 5 }));
  write('co', both.aggregate({ init: () => 0, value: long(), store: 'co' }));
  const settings = { statestoreCacheMaxBytes: cacheMaxBytes };
  return defineApp({ applicationId: 'app', topology: builder.build(), settings });
}

const uncached = application(0);
const cached = application(1_000_000);

const input: fc.Arbitrary<CutInput> = fc.record({
  topic: fc.constantFrom('a', 'a', 'b'),
  key: fc.constantFrom('x', 'y', null),
  value: fc.constantFrom('1', '2', null),
  timestampMs: fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 60 }), fc.nat({ max: 200_000 })),
});
/** Times at which a window has just closed, or is about to. */
const atTheEnds: readonly CutInput[] = [0, 19, 34, 35, 36, 20].map((timestampMs) => ({
  topic: 'a',
  key: 'x',
  value: '1',
  timestampMs,
}));
/** Times at which a session has just closed, is past the retention before it closes, and would be written over. */
const atTheRetention: readonly CutInput[] = [0, 19, 5, 0, 20, 1, 40, 200].map((timestampMs) => ({
  topic: 'a',
  key: 'x',
  value: '1',
  timestampMs,
}));
/** The other stream of the cogroup has moved their store on beyond a window that is open by the times of its own. */
const farBehindTheOther: readonly CutInput[] = [
  ...[20, 60_020].map((timestampMs) => ({ topic: 'a', key: 'x', value: '1', timestampMs })),
  { topic: 'b', key: 'x', value: '1', timestampMs: 20 },
];
const inputs: fc.Arbitrary<readonly CutInput[]> = fc.array(input, { maxLength: 14 });

test('windowed operators cut at any record, aborted and restored from a cleaned log, give what a run in one go gives (trap 27)', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, fc.integer({ min: 1, max: 3 }), fc.boolean(), async (records, step, isCached) => {
      const app = isCached ? cached : uncached;
      const cut = await cutRun(app, records, { step, restart: true });
      expect(cut).toEqual(await cutRun(app, records, { step, restart: false }));
    }),
    {
      numRuns: 60,
      examples: [
        [atTheEnds, 1, false],
        [atTheRetention, 1, false],
      ],
    },
  );
});

test('without a cache it makes no difference how often is committed', async () => {
  await fc.assert(
    fc.asyncProperty(inputs, async (records) => {
      const often = await cutRun(uncached, records, { step: 1, restart: true, cleaned: (_, log) => log });
      const once = await cutRun(uncached, records, { step: Math.max(1, records.length), restart: false });
      expect(often.written).toEqual(once.written);
    }),
    { numRuns: 60, examples: [[farBehindTheOther]] },
  );
});
