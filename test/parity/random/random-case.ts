import { createChance } from '../../../lib/testing/simulation/chance.js';
import type { Json, ProcessingCase } from '../parity-case.js';
import { randomInputs } from './random-inputs.js';
import { RandomTopology } from './random-topology.js';

/** A case of the family `processing` without an answer: the same for the same seed. */
export function randomCase(seed: number): ProcessingCase {
  const choice = createChance(seed, 'parity');
  const topology = new RandomTopology(choice);
  const nodes = topology.make();
  const optimization = choice.happens(0.2)
    ? {
        config: {
          'topology.optimization': choice.pick([
            'all',
            'reuse.ktable.source.topics',
            'merge.repartition.topics',
            'single.store.self.join',
          ]),
        },
      }
    : {};
  return {
    name: `random-${seed}`,
    ...optimization,
    topology: nodes as unknown as Readonly<Record<string, Json>>,
    inputs: randomInputs(choice, topology.inputs),
  };
}
