import { expect, it } from 'vitest';
import type { Scenario } from '../../../../lib/testing/simulation/scenario.js';
import { shrinkScenario } from '../../../../lib/testing/simulation/shrink.js';

const scenario: Scenario = {
  seed: 1,
  members: 4,
  settings: {},
  taskTimeoutMs: 60_000,
  doorbells: false,
  inputs: Array.from({ length: 100 }, (_, index) => ({
    atMs: index,
    topic: 'lines',
    partition: 0,
    key: null,
    value: Buffer.from(String(index)),
    timestampMs: index,
  })),
  faults: ['crash', 'freeze', 'crash', 'freeze', 'lost'].map((kind, index) => ({ kind, atMs: index })),
  calmAtMs: 1_000,
};
const times = ({ inputs }: Scenario) => inputs.map(({ atMs }) => atMs);
const faultTimes = ({ faults }: Scenario) => faults.map(({ atMs }) => atMs);

it('what is left is what it takes to fail', async () => {
  const fails = async (part: Scenario) =>
    faultTimes(part).includes(3) && times(part).includes(17) && times(part).includes(80) && part.members >= 2;

  const shrunk = await shrinkScenario({ scenario, fails });

  expect(shrunk.part).toEqual({ faults: [3], inputs: [17, 80], members: 2 });
  expect(faultTimes(shrunk.scenario)).toEqual([3]);
  expect(times(shrunk.scenario)).toEqual([17, 80]);
});

it('everything that can be left out at once is left out with one run', async () => {
  const shrunk = await shrinkScenario({ scenario, fails: async () => true });

  expect(shrunk.part).toEqual({ faults: [], inputs: [], members: 1 });
  expect(shrunk.runs).toBe(3);
});

it('after its bound of runs the smallest part so far is the answer', async () => {
  let runs = 0;
  const fails = async (part: Scenario) => {
    runs += 1;
    return times(part).filter((atMs) => atMs % 2 === 0).length === 50;
  };

  const shrunk = await shrinkScenario({ scenario, fails, runsMost: 20 });

  expect(runs).toBe(20);
  expect(shrunk.runs).toBe(20);
  expect(times(shrunk.scenario).filter((atMs) => atMs % 2 === 0)).toHaveLength(50);
});

it('a scenario of which nothing can be left out stays whole', async () => {
  const shrunk = await shrinkScenario({ scenario, fails: async () => false, runsMost: 30 });

  expect(shrunk.scenario).toEqual(scenario);
});
