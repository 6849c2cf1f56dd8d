import { describe, expect, it } from 'vitest';
import { defineApp, long, StreamsBuilder, string } from '../../../../lib/index.js';
import { SIMULATION_FAULTS, type SimulationFault, simulate } from '../../../../lib/testing/index.js';
import { FAULT_KINDS } from '../../../../lib/testing/simulation/faults/fault-kinds.js';

const text = { key: string(), value: string() };
const lines = { lines: { ...text, records: [{ key: 'a', value: 'b' }] } };

function app() {
  const builder = new StreamsBuilder();
  builder.stream('lines', text).to('copies');
  builder.stream('others', text).to('copies');
  return defineApp({ applicationId: 'copying', topology: builder.build() });
}

/** As a program without types would call it. */
function untyped(value: unknown): never {
  return value as never;
}

describe('what simulate refuses before anything runs', () => {
  const withoutRunning = async (options: Parameters<typeof simulate>[1]) => {
    let runs = 0;
    const counted = ({ isReference }: { isReference: boolean }) => {
      if (!isReference) runs += 1;
      return app();
    };
    const thrown = await simulate(counted, options).catch((error: unknown) => error);
    expect(runs).toBe(0);
    return thrown;
  };

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 1.5, '5', null])('a timestamp of %s', async (timestampMs) => {
    const records = [{ key: 'a', value: 'b', timestampMs: untyped(timestampMs) }];

    const thrown = await withoutRunning({ inputs: { lines: { ...text, records } } });

    expect(thrown).toMatchObject({ code: 'STREAMS_INVALID_SETTING' });
    expect(String(thrown)).toContain('inputs.lines.records[0].timestampMs');
  });

  it('a partition of null', async () => {
    const records = [{ key: 'a', value: 'b', partition: untyped(null) }];

    const thrown = await withoutRunning({ inputs: { lines: { ...text, records } } });

    expect(thrown).toMatchObject({ code: 'STREAMS_INVALID_SETTING' });
    expect(String(thrown)).toContain('inputs.lines.records[0].partition: null');
  });

  it.each([
    ['seeds', { inputs: lines, seeds: 0 }],
    ['seeds', { inputs: lines, seeds: -3 }],
    ['seeds', { inputs: lines, seeds: [] }],
    ['seeds', { inputs: lines, seeds: [1, 1.5] }],
    ['seeds.count', { inputs: lines, seeds: { from: 1, count: 0 } }],
    ['seeds.from', { inputs: lines, seeds: { from: -1, count: 1 } }],
    ['members', { inputs: lines, members: 0 }],
    ['members', { inputs: lines, members: [3, 2] as const }],
    ['faultsPerRun', { inputs: lines, faultsPerRun: -1 }],
    ['shrinkRuns', { inputs: lines, shrinkRuns: Number.NaN }],
    ['faults', { inputs: lines, faults: untyped(['earthquake']) }],
    ['faults', { inputs: lines, faults: untyped(['input-lost']) }],
    ['"5"', { inputs: lines, seeds: untyped('5') }],
    ['seeds.form', { inputs: lines, seeds: untyped({ form: 1, count: 2 }) }],
    ["is 'outputs' meant", { inputs: lines, output: { copies: 'last' } }],
    ["is 'partitions' meant", { inputs: { lines: { ...lines.lines, partition: 2 } } }],
    ['inputs.lines.records[0].ky', { inputs: { lines: { ...text, records: [{ ky: 'a', value: 'b' }] } } }],
    ['inputs.lines.key', { inputs: { lines: { value: string(), records: [] } } }],
    ["is 'crash' meant", { inputs: lines, faults: untyped(['crsh']) }],
    ['check', { inputs: lines, check: 'all is well' }],
    ['options: undefined', untyped(undefined)],
    ['options: null', untyped(null)],
    ['faults: "crash"', { inputs: lines, faults: untyped('crash') }],
    ['faults: {}', { inputs: lines, faults: untyped({}) }],
    ['faults: null', { inputs: lines, faults: untyped(null) }],
    ['faults: null', { inputs: lines, faults: untyped([null]) }],
    ['inputs.lines: null', { inputs: { lines: untyped(null) } }],
    ['inputs.lines.records[0]: null', { inputs: { lines: { ...text, records: untyped([null]) } } }],
    ['part: null', { inputs: lines, seeds: 1, part: untyped(null) }],
    ['seeds: null', { inputs: lines, seeds: untyped(null) }],
    ['settings: null', { inputs: lines, settings: untyped(null) }],
    ['topics: null', { inputs: lines, topics: untyped(null) }],
    ['outputs: null', { inputs: lines, outputs: untyped(null) }],
    ['stores: []', { inputs: lines, stores: untyped([]) }],
    ['members: null', { inputs: lines, members: untyped(null) }],
    ['faultsPerRun: null', { inputs: lines, faultsPerRun: untyped(null) }],
    ['shrinkRuns: Infinity', { inputs: lines, shrinkRuns: Number.POSITIVE_INFINITY }],
    ['strict: "yes"', { inputs: lines, strict: untyped('yes') }],
    ['seeds.from', { inputs: lines, seeds: { from: Number.MAX_SAFE_INTEGER, count: 3 } }],
    ['to 64', { inputs: lines, members: 65 }],
    ['to 100', { inputs: lines, faultsPerRun: [1, 101] as const }],
    ['to 256', { inputs: { lines: { ...lines.lines, partitions: 257 } } }],
    ['to 256', { inputs: lines, topics: { copies: 257 } }],
    ['part', { inputs: lines, seeds: [1, 2], part: { faults: '0' } }],
    ['part.members', { inputs: lines, seeds: [1], part: { members: 0 } }],
    ['inputs.lines.records', { inputs: { lines: { ...text, records: async () => [] } } }],
    ["is 'commitIntervalMs' meant", { inputs: lines, settings: { commitIntervalMS: 100 } }],
    ['inputs', { inputs: {} }],
    ['inputs.lines.partitions', { inputs: { lines: { ...lines.lines, partitions: 0 } } }],
    ['inputs.lines.records', { inputs: { lines: { ...text, records: untyped('a') } } }],
    [
      'inputs.lines.records[0].partition',
      { inputs: { lines: { ...text, records: [{ key: 'a', value: 'b', partition: 3 }] } } },
    ],
    ['topics.lines', { inputs: lines, topics: { lines: 4 } }],
    ['topics.copies', { inputs: lines, topics: { copies: 0 } }],
    ['outputs.copies', { inputs: lines, outputs: untyped({ copies: 'similar' }) }],
    ['commitIntervalMs', { inputs: lines, settings: { commitIntervalMs: -1 } }],
  ])('a wrong %s, by name: %o', async (name, options) => {
    const thrown = await withoutRunning(untyped(options));

    expect(thrown).toMatchObject({ code: 'STREAMS_INVALID_SETTING', message: expect.stringContaining(name) });
  });

  it.each([
    ['inputs', { inputs: { copies: lines.lines } }],
    ['topics', { inputs: lines, topics: { elsewhere: 1 } }],
    ['outputs', { inputs: lines, outputs: { lines: 'last' } }],
  ])('a topic under %s that the application does not use so', async (name, options) => {
    const thrown = await withoutRunning(untyped(options));

    expect(thrown).toMatchObject({ code: 'STREAMS_UNKNOWN_TOPIC', message: expect.stringContaining(`${name}: `) });
  });

  it('a record that its serde does not write', async () => {
    const thrown = await withoutRunning({
      inputs: { lines: { key: string(), value: long(), records: [{ key: 'a', value: untyped('one') }] } },
    });

    expect(thrown).toMatchObject({
      code: 'STREAMS_SERIALIZATION_FAILED',
      message: expect.stringContaining('inputs.lines.records[0].value'),
    });
  });

  it.each([
    ['app', async () => app(), {}],
    ['outside', app, { outside: async () => ({}) }],
  ])('an asynchronous function for %s, by name', async (name, application, options) => {
    const thrown = await simulate(untyped(application), untyped({ inputs: lines, ...options })).catch(
      (error: unknown) => error,
    );

    expect(thrown).toMatchObject({
      code: 'STREAMS_INVALID_SETTING',
      message: expect.stringMatching(new RegExp(`simulate: ${name}: .*asynchronous`)),
    });
  });

  it('a store that the application does not keep', async () => {
    const thrown = await withoutRunning({ inputs: lines, stores: { counts: 'none' } });

    expect(thrown).toMatchObject({ code: 'STREAMS_QUERY_REFUSED', message: expect.stringContaining("'counts'") });
  });
});

describe('the list of faults for users', () => {
  it('has every kind after which results must be exact', () => {
    const harmless = FAULT_KINDS.filter(({ harms }) => harms === undefined).map(({ kind }) => kind);

    expect(new Set<string>(SIMULATION_FAULTS satisfies readonly SimulationFault[])).toEqual(new Set(harmless));
  });
});
