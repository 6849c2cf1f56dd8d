import { describe, expect, it } from 'vitest';
import {
  defineApp,
  json,
  type KeyValueStore,
  keyValueStore,
  long,
  ProcessingError,
  type ProcessorContext,
  SimulationFailedError,
  StreamRecord,
  StreamsBuilder,
  string,
  type TimestampedKeyValueStore,
} from '../../lib/index.js';
import { type Chance, type SimulatedWorld, simulate } from '../../lib/testing/index.js';

const text = { key: string(), value: string() };
const someWords = (chance: Chance) =>
  Array.from({ length: 40 }, () => ({ key: `k${chance.below(6)}`, value: `w${chance.below(5)}` }));
const words = { words: { ...text, records: someWords } };

function countingApp() {
  const builder = new StreamsBuilder();
  builder
    .stream('words', text)
    .groupBy((_, word) => word)
    .count({ store: 'counts' })
    .toStream()
    .to('counts');
  return defineApp({ applicationId: 'counting', topology: builder.build() });
}

/** Joins all words in the order in which they come, from whichever partition. */
function joiningApp() {
  const builder = new StreamsBuilder();
  builder
    .stream('words', text)
    .groupBy(() => 'all')
    .aggregate({
      init: () => '',
      add: (_, word, joined) => joined + word,
      store: 'joined',
      value: string(),
    })
    .toStream()
    .to('joined');
  return defineApp({ applicationId: 'joining', topology: builder.build() });
}

/** Counts the records of each key in a variable of its module, where a store should be. */
function forgetfulApp() {
  const counts = new Map<string, number>();
  const builder = new StreamsBuilder();
  builder
    .stream('words', text)
    .mapValues(
      (_, key) => {
        const count = (counts.get(key) ?? 0) + 1;
        counts.set(key, count);
        return count;
      },
      { value: long() },
    )
    .to('numbered');
  return defineApp({ applicationId: 'forgetful', topology: builder.build() });
}

/** The same with a store, and a wall-clock timer that says how far it is. */
function rememberingApp() {
  const builder = new StreamsBuilder();
  builder.addStateStore(keyValueStore({ name: 'numbers', key: string(), value: long() }));
  const numbered = builder.stream('words', text).process(
    () => {
      let context: ProcessorContext<string, number>;
      let store: KeyValueStore<string, number>;
      return {
        init(given: ProcessorContext<string, number>) {
          context = given;
          store = given.getStateStore('numbers');
          context.schedule(1_000, 'wallClockTime', (timestampMs) =>
            context.forward(StreamRecord.of({ key: 'tick', value: timestampMs, timestampMs })),
          );
        },
        async process(record: StreamRecord<string, string>) {
          const number = ((await store.get(record.key)) ?? 0) + 1;
          await store.put(record.key, number);
          await context.forward(record.withValue(number));
        },
      };
    },
    { stores: ['numbers'], key: string(), value: long() },
  );
  numbered.filter((key) => key !== 'tick').to('numbered');
  numbered.filter((key) => key === 'tick').to('ticks');
  return defineApp({ applicationId: 'remembering', topology: builder.build() });
}

describe('simulate', () => {
  it('takes the same course for the same seeds, and another for others', async () => {
    const options = { inputs: words, seeds: { from: 3, count: 3 } };

    const once = await simulate(countingApp(), options);
    const again = await simulate(countingApp(), options);
    const others = await simulate(countingApp(), { ...options, seeds: [6] });

    expect(again).toEqual(once);
    expect(new Set([...Object.values(once.digests), ...Object.values(others.digests)]).size).toBe(4);
  });

  it('tries ten seeds of a small application in a few seconds of processor time', async () => {
    const before = process.cpuUsage();

    await simulate(countingApp(), { inputs: words, seeds: 10 });

    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  it('finds state that is kept in a variable where a store should be', async () => {
    const failure = await simulate(forgetfulApp, { inputs: words, seeds: 20 }).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(SimulationFailedError);
    expect((failure as SimulationFailedError).details.checker).toBe('outputs-equal-reference');
    expect((failure as SimulationFailedError).message).toContain('numbered');
  });

  it('holds a correct application to all that its input decides, and leaves what timing decides', async () => {
    const counted = await simulate(countingApp(), { inputs: words, seeds: 5 });
    const joined = await simulate(joiningApp(), { inputs: words, seeds: 5 });
    const remembered = await simulate(rememberingApp, { inputs: words, seeds: 5 });

    expect(counted.outputs).toEqual({ counts: 'sequence' });
    expect(joined.outputs).toEqual({ joined: 'none' });
    expect(remembered.outputs).toEqual({ numbered: 'sequence', ticks: 'none' });
  });

  it('shows a check what has come in and out, what stores hold, and what the reference has made of it', async () => {
    const seen: number[] = [];

    await simulate(countingApp(), {
      inputs: words,
      topics: { counts: 2 },
      seeds: [1, 2],
      outside: ({ seed, isReference }: SimulatedWorld) => ({ seed, isReference }),
      async check({ seed, inputs, outputs, stores, outside, reference }) {
        seen.push(seed);
        const totals = new Map<string, number>();
        for (const { value } of inputs('words')) totals.set(value ?? '', (totals.get(value ?? '') ?? 0) + 1);
        const counts = outputs('counts', { key: string(), value: long() });
        const last = new Map(counts.map(({ key, value }) => [key, value]));
        expect(last).toEqual(totals);
        expect(Math.max(...counts.map(({ partition }) => partition))).toBeLessThan(2);
        const kept = new Map<string, number>();
        for (const store of stores<TimestampedKeyValueStore<string, number>>('counts'))
          for await (const { key, value } of store.all()) kept.set(key, value.value);
        expect(kept).toEqual(totals);
        expect(reference.outputs('counts')).toHaveLength(40);
        expect(outside).toEqual({ seed, isReference: false });
        expect(reference.outside).toEqual({ seed, isReference: true });
      },
    });

    expect(seen).toEqual([1, 2]);
  });

  it('holds an application that processes at least once to what that promises', async () => {
    const settings = { processingGuarantee: 'at_least_once' } as const;

    const report = await simulate(rememberingApp, { inputs: words, settings, seeds: 5 });

    expect(report.seeds).toHaveLength(5);
  });

  it('makes an application anew for each process, with an outside of its own for each run', async () => {
    const processes = new Map<object, Set<string>>();

    await simulate(
      ({ outside, name }) => {
        processes.set(outside, (processes.get(outside) ?? new Set()).add(name));
        return countingApp();
      },
      { inputs: words, outside: () => ({}), seeds: [1], faults: [] },
    );

    const runs = [...processes.values()].filter((names) => !names.has('reference'));
    expect(runs).toHaveLength(1);
    expect(runs[0]?.size).toBeGreaterThan(1);
  });

  it('lets user code wait in virtual time', async () => {
    const late: string[] = [];
    const app = ({ sleep, isReference }: { sleep(ms: number): Promise<void>; isReference: boolean }) => {
      const builder = new StreamsBuilder();
      builder
        .stream('words', text)
        .mapValues(async (word) => {
          await sleep(200);
          if (!isReference) late.push(word);
          return word;
        })
        .to('slow');
      return defineApp({ applicationId: 'slow', topology: builder.build() });
    };

    const { virtualMs } = await simulate(app, { inputs: words, seeds: [1], faults: ['crash'] });

    expect(virtualMs).toBeGreaterThan(30_000);
    expect(late.length).toBeGreaterThanOrEqual(40);
  });

  it('says at once what user code throws where nothing goes wrong', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('words', { key: string(), value: json<{ size: number }>() })
      .mapValues((value) => value.size.toFixed(), { value: string() })
      .to('sizes');
    const app = defineApp({ applicationId: 'throwing', topology: builder.build() });
    const inputs = { words: { key: string(), value: json<unknown>(), records: [{ key: 'a', value: {} }] } };

    await expect(simulate(app, { inputs, seeds: 1 })).rejects.toBeInstanceOf(ProcessingError);
  });
});
