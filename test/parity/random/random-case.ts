/** Cases without an answer, each the same for the same seed. */
import { type Chance, createChance } from '../../../lib/testing/simulation/chance.js';
import type { Json, ProcessingCase } from '../parity-case.js';
import { randomInputs } from './random-inputs.js';
import { RandomPapi } from './random-papi.js';
import { RandomTopology } from './random-topology.js';
import { PLAIN } from './topology-draft.js';

const OPTIMIZATIONS = [
  'all',
  'reuse.ktable.source.topics',
  'merge.repartition.topics',
  'single.store.self.join',
] as const;

/** Of the family `processing`, with operators of the DSL. */
export function randomCase(seed: number): ProcessingCase {
  const choice = createChance(seed, 'parity');
  const optimization = randomOptimization(choice, 0.2);
  const topology = new RandomTopology(choice, { ...PLAIN, processed: !mergesRepartitions(optimization) });
  const made = topology.make();
  return {
    name: `random-${seed}`,
    ...optimization,
    topology: made as unknown as Readonly<Record<string, Json>>,
    inputs: randomInputs(choice, topology.inputs),
  };
}

interface Optimized {
  readonly config?: Readonly<Record<string, string>>;
}

export function mergesRepartitions({ config = {} }: Optimized): boolean {
  return ['all', 'merge.repartition.topics'].includes(config['topology.optimization'] ?? 'none');
}

/** The setting for it, as often as that. */
export function randomOptimization(choice: Chance, probability: number): Optimized {
  return choice.happens(probability) ? { config: { 'topology.optimization': choice.pick(OPTIMIZATIONS) } } : {};
}

/** Of the family `processing`, with nodes of the Processor API. */
export function randomPapiCase(seed: number): ProcessingCase {
  const choice = createChance(seed, 'parity-papi');
  const topology = new RandomPapi(choice);
  const made = topology.make();
  return {
    name: `random-papi-${seed}`,
    topology: made as unknown as Readonly<Record<string, Json>>,
    inputs: randomInputs(choice, topology.inputs, { far: choice.happens(0.2) }),
  };
}
