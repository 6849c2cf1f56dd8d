/** Right applications hold, however much of what they make is left to timing: the seeds are those that found a comparison too strict. */
import { describe, expect, it } from 'vitest';
import {
  defineApp,
  nullable,
  type ProcessorContext,
  type StreamRecord,
  StreamsBuilder,
  string,
  tumbling,
  untilTimeLimit,
  untilWindowCloses,
} from '../../lib/index.js';
import { type Chance, type SimulationReport, simulate } from '../../lib/testing/index.js';

const text = { key: string(), value: string() };
const rows = { key: string(), value: nullable(string()) };
const BEGIN_MS = 1_700_000_000_000;
const NO_CACHE = { statestoreCacheMaxBytes: 0 };

const appOf = (build: (builder: StreamsBuilder) => void, optimization?: 'all') => {
  const builder = new StreamsBuilder();
  build(builder);
  const topology = builder.build(optimization === undefined ? {} : { optimization });
  return defineApp({ applicationId: 'a', topology });
};

/** Rising times with some jitter, and now and then far ahead. */
const timed = (count: number, keys: number) => (chance: Chance) => {
  let atMs = BEGIN_MS;
  return Array.from({ length: count }, (_, index) => {
    atMs += chance.below(700);
    if (chance.happens(0.03)) atMs += 30_000;
    return { key: `k${chance.below(keys)}`, value: `v${index % 7}`, timestampMs: atMs - chance.below(4_000) };
  });
};

/** Rows of which some are deleted. */
const changing = (count: number, keys: number) => (chance: Chance) => {
  let atMs = BEGIN_MS;
  return Array.from({ length: count }, (_, index) => {
    atMs += chance.below(700);
    const value = chance.happens(0.2) ? null : `v${index}`;
    return { key: `k${chance.below(keys)}`, value, timestampMs: atMs - chance.below(3_000) };
  });
};

const plus = (left: string | null, right: string | null) => `${left}+${right}`;
const joined = { joiner: plus, value: string() };

/** Writes where each record came from, as a key for services that must not act twice. */
const origins = () => {
  let context: ProcessorContext<string, string>;
  return {
    init(given: ProcessorContext<string, string>) {
      context = given;
    },
    process(record: StreamRecord<string, string>) {
      const { topic, partition, offset } = context.recordMetadata() ?? {};
      return context.forward(record.withValue(`${topic}-${partition}-${offset}`));
    },
  };
};

const suppressed = () =>
  appOf((builder) => {
    const windows = builder
      .stream('in', text)
      .groupByKey()
      .windowedBy(tumbling({ size: '5s', grace: '2s' }));
    windows.count({ store: 'w' }).suppress(untilWindowCloses(), { name: 'closed' }).toStream().to('out');
  });

describe('an application holds', () => {
  it.each([1, 7])(
    'whose windows are told of once they are closed, behind a cache and without one: seed %i',
    async (seed) => {
      const inputs = { in: { ...text, records: timed(60, 4) } };

      const cached = await simulate(suppressed(), { inputs, seeds: [seed] });
      const every = await simulate(suppressed(), { inputs, seeds: [seed], settings: NO_CACHE });

      expect(cached.outputs).toEqual({ out: 'sequence' });
      expect(every.outputs).toEqual({ out: 'sequence' });
      expect(every.stores).toEqual({ w: 'content', 'closed-store': 'content' });
    },
  );

  it('that gives out what a time limit has held back, of what caches had held back before', async () => {
    const app = appOf((builder) => {
      const counts = builder.stream('in', text).groupByKey().count({ store: 'w' });
      counts.suppress(untilTimeLimit('3s')).toStream().to('out');
    });

    const { stores } = await simulate(app, { inputs: { in: { ...text, records: timed(60, 4) } }, seeds: [1] });

    expect(stores).toMatchObject({ w: 'content' });
  });

  it('that joins tables by foreign key', async () => {
    const app = appOf((builder) => {
      const left = builder.table('l', { ...text, store: 'ls' });
      const right = builder.table('r', { ...text, store: 'rs' });
      left
        .leftJoin(right, { foreignKey: (_, value) => value, store: 'j', ...joined })
        .toStream()
        .to('out');
    });
    const someRows = (keys: string, count: number, values: (chance: Chance, index: number) => string) => ({
      ...rows,
      records: (chance: Chance) =>
        Array.from({ length: count }, (_, index) => ({
          key: `${keys}${chance.below(5)}`,
          value: chance.happens(0.2) ? null : values(chance, index),
        })),
    });
    const l = { ...someRows('k', 30, (chance) => `f${chance.below(5)}`), partitions: 2 };

    const { stores } = await simulate(app, {
      inputs: { l, r: someRows('f', 20, (_, index) => `r${index}`) },
      seeds: { from: 1, count: 3 },
    });

    expect(stores).toMatchObject({ ls: 'content', rs: 'content', j: 'content' });
  });

  it.each([{}, NO_CACHE])('that joins two streams, whichever comes first: %j', async (settings) => {
    const app = appOf((builder) => {
      const right = builder.stream('r', text);
      builder
        .stream('l', text)
        .outerJoin(right, { within: '3s', grace: '2s', ...joined })
        .to('out', text);
    });
    const records = timed(40, 4);

    await simulate(app, { inputs: { l: { ...text, records }, r: { ...text, records } }, seeds: [1, 2], settings });
  });

  it('that reads all topics of a pattern', async () => {
    const app = appOf((builder) => {
      builder.stream(/in-.+/, text).groupByKey().count({ store: 'pc' }).toStream().to('out');
    });
    const records = timed(30, 4);

    const { outputs } = await simulate(app, {
      inputs: { 'in-a': { ...text, records }, 'in-b': { ...text, partitions: 2, records } },
      seeds: [37],
    });

    expect(outputs).toEqual({ out: 'multiset' });
  });

  it('whose topology is optimised', async () => {
    const app = appOf((builder) => {
      const table = builder.table('t', { ...text, store: 'tt' });
      const met = builder.stream('in', text).join(table, joined);
      met.groupByKey().count({ store: 'cc' }).toStream().to('out');
      table.toStream().to('tout');
    }, 'all');

    const { outputs } = await simulate(app, {
      inputs: { in: { ...text, records: timed(40, 6) }, t: { ...rows, records: changing(30, 6) } },
      seeds: [100],
    });

    expect(outputs).toMatchObject({ tout: 'sequence' });
  });

  it('that joins with the row of the time, for which records wait', async () => {
    const app = appOf((builder) => {
      const table = builder.table('t', { ...text, store: 'vt', historyRetention: '1h' });
      builder
        .stream('in', text)
        .leftJoin(table, { grace: '5s', ...joined })
        .to('out', text);
    });

    const { stores } = await simulate(app, {
      inputs: { in: { ...text, records: timed(40, 4) }, t: { ...text, records: timed(20, 4) } },
      seeds: [7],
    });

    expect(stores).toMatchObject({ vt: 'content' });
  });

  describe('that writes the offset of each record', () => {
    const records = (chance: Chance) =>
      Array.from({ length: 40 }, (_, index) => ({ key: `k${chance.below(6)}`, value: `v${index}` }));
    const inputs = { in: { ...text, records } };
    const comparisonsOf = async (app: ReturnType<typeof appOf>): Promise<readonly SimulationReport['outputs'][]> => [
      (await simulate(app, { inputs, seeds: [7] })).outputs,
      (await simulate(app, { inputs, seeds: [1], faults: ['foreign-transaction'] })).outputs,
    ];

    it('of its input, though transactions of others leave gaps there', async () => {
      const app = appOf((builder) => builder.stream('in', text).process(origins, text).to('out'));

      expect(await comparisonsOf(app)).toEqual([{ out: 'sequence' }, { out: 'sequence' }]);
    });

    it('of a repartition topic, which is left out: where markers stand is for its own commits to say', async () => {
      const app = appOf((builder) => builder.stream('in', text).repartition().process(origins, text).to('out'));

      expect(await comparisonsOf(app)).toEqual([{ out: 'none' }, { out: 'none' }]);
    });
  });
});
