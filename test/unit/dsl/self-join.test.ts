import { describe, expect, it } from 'vitest';
import { type BuildOptions, defineApp, StreamsBuilder, string, type Topology } from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
type Within = number | { readonly before?: number; readonly after?: number };

function selfJoin(within: Within, optimization: NonNullable<BuildOptions['optimization']>): Topology {
  const builder = new StreamsBuilder();
  const stream = builder.stream('in', text);
  stream.join(stream, { joiner: (left, right) => `${left}+${right}`, within, grace: 3 }).to('out');
  return builder.build({ optimization });
}

interface Input {
  readonly key: string | null;
  readonly value: string | null;
  readonly timestampMs: number;
}

/** 300 records out of order, none too late, a few of them without key or value; the same for each call. */
function inputs(): readonly Input[] {
  let state = 7n;
  return Array.from({ length: 300 }, (_, index) => {
    state = (state * 1_103_515_245n + 12_345n) & 0x7fff_ffffn;
    const random = Number(state >> 8n);
    return {
      key: random % 17 === 0 ? null : `k${random % 3}`,
      value: random % 19 === 0 ? null : `v${index}`,
      timestampMs: 100 + index * 2 + (random % 7) - 3,
    };
  });
}

/** What each input gave, in order. */
async function answers(topology: Topology, given: readonly Input[]): Promise<string[][]> {
  const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology }));
  const outputs: string[][] = [];
  for (const input of given) {
    await driver.pipeInput('in', input);
    outputs.push(
      driver.readOutputs('out', text).map(({ key, value, timestampMs }) => `${key} ${value}@${timestampMs}`),
    );
  }
  await driver.close();
  return outputs;
}

describe('a stream joined with itself', () => {
  it('is kept once if that is wanted, by the names of Kafka Streams', () => {
    const topology = selfJoin(10, ['single.store.self.join']);

    expect([...topology.stores.keys()]).toEqual(['KSTREAM-JOINTHIS-0000000003-store']);
    expect([...topology.nodes.keys()]).toEqual([
      'KSTREAM-SOURCE-0000000000',
      'KSTREAM-WINDOWED-0000000001',
      'KSTREAM-MERGE-0000000005',
      'KSTREAM-SINK-0000000006',
    ]);
    expect(selfJoin(10, 'none').stores.size).toBe(2);
  });

  it('meets those before it as left, then as right, and itself among them in the order of time', async () => {
    const given = [
      { key: 'k', value: 'a', timestampMs: 10 },
      { key: 'k', value: 'b', timestampMs: 14 },
      { key: 'k', value: 'c', timestampMs: 12 },
    ];

    expect(await answers(selfJoin(10, 'all'), given)).toEqual([
      ['k a+a@10'],
      ['k b+a@14', 'k a+b@14', 'k b+b@14'],
      ['k c+a@12', 'k c+b@14', 'k a+c@12', 'k c+c@12', 'k b+c@14'],
    ]);
  });

  it.each<[string, Within]>([
    ['both directions', 10],
    ['ten before and five after', { before: 10, after: 5 }],
    ['before alone', { before: 8, after: 0 }],
  ])('gives each input what two windows would have given it: %s', async (_, within) => {
    const once = await answers(selfJoin(within, 'all'), inputs());
    const twice = await answers(selfJoin(within, 'none'), inputs());

    const sorted = (lists: string[][]) => lists.map((list) => [...list].sort());
    expect(sorted(once)).toEqual(sorted(twice));
    expect(once.flat().length).toBeGreaterThan(300);
  });

  it('is kept twice where a record does not lie within its own window', async () => {
    const within = { before: -1, after: 5 };
    const topology = selfJoin(within, 'all');
    const given = [
      { key: 'k', value: 'a', timestampMs: 10 },
      { key: 'k', value: 'b', timestampMs: 12 },
    ];

    expect(topology.stores.size).toBe(2);
    expect(await answers(topology, given)).toEqual([[], ['k a+b@12']]);
  });
});
