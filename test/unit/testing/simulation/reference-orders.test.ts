/** References in the orders that a run may take. */
import { describe, expect, it } from 'vitest';
import type { ProcessorContext, StreamRecord, StreamsBuilder } from '../../../../lib/index.js';
import { createChance } from '../../../../lib/testing/simulation/chance.js';
import type { Reference } from '../../../../lib/testing/simulation/reference.js';
import { referenceValues } from '../../../../lib/testing/simulation/seen-outputs.js';
import { inputsOf, mapOf, reference, smallApp, text } from '../../../support/simulation/small-world.js';

/** Writes after each value the offset that its record came from. */
const offsets = () => {
  let context: ProcessorContext<string, string>;
  return {
    init(given: ProcessorContext<string, string>) {
      context = given;
    },
    process(record: StreamRecord<string, string>) {
      return context.forward(record.withValue(`${record.value}@${context.recordMetadata()?.offset}`));
    },
  };
};
const joined = (builder: StreamsBuilder) => {
  const groups = builder.stream('in', text).groupBy(() => 'all');
  groups
    .reduce((before, value) => `${before}${value}`, { store: 'all' })
    .toStream()
    .to('out', text);
};
const ofOut = (made: Reference) => [...referenceValues(made, 'out')];
const drawn = (seed: number, isPrompt = false) => ({ chance: createChance(seed, 'order'), isPrompt });
const four = inputsOf('in-1 a=1', 'in-0 b=2', 'in-1 a=3', 'in-0 b=4');

describe('the order of arrival', () => {
  it('takes record by record, whichever partition each is in', async () => {
    const map = mapOf(smallApp(joined, { statestoreCacheMaxBytes: 0 }), 'in', 'out');

    const [values] = ofOut(await reference(map, four, { updates: 'asSet', order: drawn(1, true) }));

    expect(values?.[1]).toEqual(['1', '12', '123', '1234']);
  });
});

describe('a drawn order', () => {
  it('is the same for the same chance', async () => {
    const map = mapOf(smallApp(joined), 'in', 'out');
    const of = async () => ofOut(await reference(map, four, { updates: 'asSet', order: drawn(5) }));

    expect(await of()).toEqual(await of());
  });

  it('takes partitions in other orders, and never one partition in another', async () => {
    const map = mapOf(smallApp(joined, { statestoreCacheMaxBytes: 0 }), 'in', 'out');
    const ends = new Set<string | null | undefined>();
    for (let seed = 1; seed <= 40; seed += 1)
      ends.add(ofOut(await reference(map, four, { updates: 'asSet', order: drawn(seed) }))[0]?.[1].at(-1));

    expect(ends.size).toBeGreaterThan(2);
    for (const end of ends) expect(end).toMatch(/^(?=.*1.*3)(?=.*2.*4)\d{4}$/);
  });

  it('leaves out updates only where the settings have a cache', async () => {
    const lengths = new Set<number | undefined>();
    for (const statestoreCacheMaxBytes of [0, 1_000_000])
      for (let seed = 1; seed <= 20; seed += 1) {
        const map = mapOf(smallApp(joined, { statestoreCacheMaxBytes }), 'in', 'out');
        const length = ofOut(await reference(map, four, { updates: 'asSet', order: drawn(seed) }))[0]?.[1].length;
        if (statestoreCacheMaxBytes === 0) expect(length).toBe(4);
        else lengths.add(length);
      }

    expect(Math.min(...[...lengths].map(Number))).toBeLessThan(4);
  });
});

describe('offsets in a reference', () => {
  const app = smallApp((builder) => builder.stream('in', text).process(offsets, text).to('out', text));

  it('of its input are those of the run, where it tells them', async () => {
    const inputs = inputsOf('in-0 a=1', 'in-0 a=2');
    const offsetOf = (input: (typeof inputs)[number]) => (input === inputs[0] ? 3 : 7);

    expect(ofOut(await reference(mapOf(app, 'in', 'out'), inputs, { offsetOf }))).toEqual([['0/a', ['1@3', '2@7']]]);
    expect(ofOut(await reference(mapOf(app, 'in', 'out'), inputs))).toEqual([['0/a', ['1@0', '2@1']]]);
  });

  it('of what the application itself has written are nothing to count on', async () => {
    const map = mapOf(
      smallApp((builder) => builder.stream('in', text).repartition().process(offsets, text).to('out', text)),
      ...['in', 'out'],
    );
    const inputs = inputsOf('in-0 a=1', 'in-0 a=2');

    const natural = ofOut(await reference(map, inputs));
    const arrival = ofOut(await reference(map, inputs, { order: drawn(1, true), updates: 'asSet' }));

    expect(natural[0]?.[1]).toEqual(['1@0', '2@1']);
    expect(arrival[0]?.[1]).toEqual(['1@0', '2@2']);
  });
});

it('each task of a reference has an application of its own', async () => {
  const counting = () => {
    let count = 0;
    return smallApp((builder) => {
      builder
        .stream('in', text)
        .mapValues((value): string => {
          count += 1;
          return `${value}#${count}`;
        })
        .to('out', text);
    });
  };

  const made = await reference(mapOf(counting(), 'in', 'out'), four, { createApp: counting });

  expect(ofOut(made)).toEqual([
    ['0/b', ['2#1', '4#2']],
    ['0/a', ['1#1', '3#2']],
  ]);
});
