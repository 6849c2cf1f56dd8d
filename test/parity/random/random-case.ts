/** Cases without an answer, each the same for the same seed. */
import { type Chance, createChance } from '../../../lib/testing/simulation/chance.js';
import type { Json, ProcessingCase } from '../parity-case.js';
import { randomInputs } from './random-inputs.js';
import { RandomPapi } from './random-papi.js';
import { RandomTopology } from './random-topology.js';

const OPTIMIZATIONS = [
  'all',
  'reuse.ktable.source.topics',
  'merge.repartition.topics',
  'single.store.self.join',
] as const;

/** Of the family `processing`, with operators of the DSL. */
export function randomCase(seed: number): ProcessingCase {
  const choice = createChance(seed, 'parity');
  const topology = new RandomTopology(choice);
  const made = topology.make();
  const optimization = randomOptimization(choice, 0.2);
  return {
    name: `random-${seed}`,
    ...optimization,
    topology: made as unknown as Readonly<Record<string, Json>>,
    inputs: randomInputs(choice, topology.inputs),
  };
}

/** The setting for it, as often as that. */
export function randomOptimization(
  choice: Chance,
  probability: number,
): { readonly config?: Readonly<Record<string, string>> } {
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
