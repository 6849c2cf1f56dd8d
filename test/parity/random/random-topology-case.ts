import { createChance } from '../../../lib/testing/simulation/chance.js';
import type { TopologyCase } from '../topology-cases.js';
import { mergesRepartitions, randomOptimization } from './random-case.js';
import { RandomTopology } from './random-topology.js';

const MAX_PARTITIONS = 6;

/** A case of the family `topology` without an answer: the same for the same seed. */
export function randomTopologyCase(seed: number): TopologyCase {
  const choice = createChance(seed, 'parity-topology');
  const optimization = randomOptimization(choice, 0.6);
  const topology = new RandomTopology(choice, {
    named: choice.pick([0, 0.15, 0.5]),
    clashing: choice.happens(0.2) ? 0.05 : 0,
    sharedTopics: choice.pick([0, 0.3]),
    counted: choice.pick([0, 0.5]),
    processed: !mergesRepartitions(optimization),
    cached: false,
  });
  const made = topology.make();
  const common = choice.between(1, MAX_PARTITIONS);
  const areAlike = choice.happens(0.7);
  const partitions = topology.inputs.flatMap(({ topic }) => {
    if (choice.happens(0.02)) return [];
    return [[topic, areAlike || choice.happens(0.5) ? common : choice.between(1, MAX_PARTITIONS)] as const];
  });
  return {
    name: `random-topology-${seed}`,
    ...optimization,
    topology: made,
    partitions: Object.fromEntries(partitions),
  };
}
