/** What references that differ leave of a comparison. */
import { describe, expect, it } from 'vitest';
import { tumbling, untilWindowCloses } from '../../../../../lib/index.js';
import type { Headers, RecordSet } from '../../../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../../../lib/model/record-set-builder.js';
import type { TopicPartitionKey } from '../../../../../lib/model/topic-partition.js';
import { createChance } from '../../../../../lib/testing/simulation/chance.js';
import { storeAgreements, strictestAgreement } from '../../../../../lib/testing/simulation/door/decided-by-input.js';
import type { Reference } from '../../../../../lib/testing/simulation/reference.js';
import {
  inputsOf,
  mapOf,
  reference,
  referencesOf,
  smallApp,
  text,
} from '../../../../support/simulation/small-world.js';

const map = mapOf(
  smallApp((builder) => builder.stream('in', text).to('out', text)),
  ...['in', 'out'],
);

interface Written {
  readonly value: string;
  readonly timestampMs?: number;
  readonly headers?: Headers;
}

/** Of the key `a`, in one partition. */
function wrote(...records: readonly (string | Written)[]): Reference {
  const builder = new RecordSetBuilder();
  for (const record of records) {
    const { value, timestampMs = 1, headers } = typeof record === 'string' ? { value: record } : record;
    builder.append(Buffer.from('a'), Buffer.from(value), timestampMs, headers);
  }
  const sets: readonly RecordSet[] = [builder.build()];
  return { records: new Map([['out-0' as TopicPartitionKey, sets]]), stores: new Map() };
}

describe('a topic is compared', () => {
  it.each([
    ['as sequence where all agree', wrote('1', '2'), 'sequence'],
    ['in any order where only the order differs', wrote('2', '1'), 'multiset'],
    ['by its last value where only that agrees', wrote('3', '2'), 'last'],
    ['not at all where nothing does', wrote('1', '3'), 'none'],
  ])('%s', async (_, other, comparison) => {
    const agreement = await strictestAgreement('out', referencesOf(map, wrote('1', '2'), wrote('1', '2'), other));

    expect(agreement.comparison).toBe(comparison);
    expect(agreement.why === null).toBe(comparison === 'sequence');
    if (agreement.why !== null) expect(agreement.why).toContain("key 'a' of partition 0");
  });

  it('with its timestamps and headers, where all agree on them', async () => {
    const headers = [{ key: 'h', value: null }];
    const one = () => wrote({ value: '1', timestampMs: 5, headers });

    const agreed = await strictestAgreement('out', referencesOf(map, one(), one()));
    const late = wrote({ value: '1', timestampMs: 6, headers });
    const withoutTimestamps = await strictestAgreement('out', referencesOf(map, one(), late));
    const bare = wrote({ value: '1', timestampMs: 5 });
    const withoutHeaders = await strictestAgreement('out', referencesOf(map, one(), bare));

    expect(agreed.parts).toEqual({ timestamps: true, headers: true });
    expect(withoutTimestamps).toMatchObject({ comparison: 'sequence', parts: { timestamps: false, headers: true } });
    expect(withoutHeaders).toMatchObject({ comparison: 'sequence', parts: { timestamps: true, headers: false } });
  });

  it('without the headers of dead letters, which tell who ran the code', async () => {
    const dead = mapOf(
      smallApp((builder) => builder.stream('in', text).foreach(() => undefined), { deadLetterTopic: 'out' }),
      ...['in', 'out'],
    );

    const { parts } = await strictestAgreement('out', referencesOf(dead, wrote('1'), wrote('1')));

    expect(parts).toEqual({ timestamps: true, headers: false });
  });
});

describe('a store is compared', () => {
  const counting = (value: (of: string) => string) =>
    mapOf(
      smallApp((builder) => {
        const groups = builder.stream('in', text).mapValues(value).groupByKey();
        groups.reduce((_, next) => next, { store: 'newest' });
      }),
      'in',
    );

  it('where all references end with the same content', async () => {
    const plain = counting((of) => of);
    const inputs = inputsOf('in-0 a=1', 'in-0 a=2');
    const same = await storeAgreements(
      referencesOf(plain, await reference(plain, inputs), await reference(plain, inputs, { order: 'contrary' })),
    );
    const other = counting((of) => `${of}!`);
    const differing = await storeAgreements(
      referencesOf(plain, await reference(plain, inputs), await reference(other, inputs)),
    );

    expect(same.get('newest')).toEqual({ isDecided: true, hasOrigins: false, why: null });
    expect(differing.get('newest')).toMatchObject({ isDecided: false });
    expect(differing.get('newest')?.why).toContain("key 'a' of partition 0 holds");
  });

  it('without where records came from that wait in it, where only that differs', async () => {
    const behindRepartition = mapOf(
      smallApp(
        (builder) => {
          const counts = builder
            .stream('in', text)
            .groupBy((key) => key)
            .windowedBy(tumbling({ size: '1h', grace: 0 }))
            .count({ store: 'counts' });
          counts
            .suppress(untilWindowCloses(), { name: 'closed' })
            .toStream()
            .foreach(() => undefined);
        },
        { statestoreCacheMaxBytes: 0 },
      ),
      'in',
    );
    const inputs = inputsOf('in-0 a=1', 'in-0 a=2', 'in-0 a=3');
    const natural = await reference(behindRepartition, inputs);
    const arrival = await reference(behindRepartition, inputs, {
      order: { chance: createChance(1, 'order'), isPrompt: true },
      updates: 'asSet',
    });

    const stores = await storeAgreements(referencesOf(behindRepartition, natural, arrival));

    expect(stores.get('closed-store')).toEqual({ isDecided: true, hasOrigins: false, why: null });
    expect(stores.get('counts')).toMatchObject({ isDecided: true });
  });
});
