import { describe, expect, it } from 'vitest';
import { aimAtServices } from '../../../../../lib/testing/simulation/door/aim-faults.js';
import { SLOW } from '../../../../../lib/testing/simulation/door/environment.js';
import { HARMLESS_KINDS } from '../../../../../lib/testing/simulation/door/simulation-faults.js';
import type { Scenario } from '../../../../../lib/testing/simulation/scenario.js';

const scenario = (seed: number, faults: Scenario['faults']): Scenario => ({
  seed,
  members: 1,
  settings: {},
  taskTimeoutMs: 60_000,
  inputs: [],
  faults,
  calmAtMs: 45_000,
});
const drawn = [{ kind: 'freeze' }, { kind: 'compaction' }];
const CALLS = 40;

describe('faults aimed at services', () => {
  it('take the place of one drawn fault in about half of the seeds, and are deaths at a call of a service', () => {
    const all = Array.from({ length: 200 }, (_, seed) => aimAtServices(scenario(seed, drawn), HARMLESS_KINDS, CALLS));

    const aimed = all.flatMap(({ faults }) => faults.filter(({ port }) => port === 'outside'));
    expect(aimed.length).toBeGreaterThan(70);
    expect(aimed.length).toBeLessThan(130);
    expect(new Set(aimed.map(({ kind }) => kind))).toEqual(new Set(['crash', 'timed-out']));
    expect(all.every(({ faults }) => faults.length === drawn.length && faults[0] === drawn[0])).toBe(true);
  });

  it('hit calls that take long on their way there, in some of the seeds, of as many as there may be', () => {
    const all = Array.from({ length: 200 }, (_, seed) => aimAtServices(scenario(seed, drawn), HARMLESS_KINDS, CALLS));

    const slow = all.flatMap(({ faults }) => faults.filter((fault) => fault.slow === true));
    expect(slow.length).toBeGreaterThan(10);
    expect(slow.length).toBeLessThan(60);
    for (const fault of slow) expect(fault).toMatchObject({ kind: 'crash', port: 'outside', before: true });
    expect(Math.max(...slow.map(({ call }) => Number(call)))).toBeLessThan(CALLS * SLOW);
  });

  it('are none where no service is called, no fault was asked for, or no kind of death', () => {
    const withoutDeaths = HARMLESS_KINDS.filter(({ kind }) => kind === 'freeze');
    for (let seed = 0; seed < 20; seed += 1) {
      expect(aimAtServices(scenario(seed, drawn), HARMLESS_KINDS, 0).faults).toBe(drawn);
      expect(aimAtServices(scenario(seed, []), HARMLESS_KINDS, CALLS).faults).toEqual([]);
      expect(aimAtServices(scenario(seed, drawn), withoutDeaths, CALLS).faults).toBe(drawn);
    }
  });
});
