/** Cases without an answer, each the same for the same seed. */
import { type Chance, createChance } from '../../../lib/testing/simulation/chance.js';
import type { Json, ProcessingCase } from '../parity-case.js';
import { randomInputs } from './random-inputs.js';
import { RandomPapi } from './random-papi.js';
import { RandomTopology } from './random-topology.js';
import { PLAIN } from './topology-draft.js';

const CACHE_SETTING = 'statestore.cache.max.bytes';
/** None, so that every update is given out; so little that each update pushes itself out; Kafka's default, with which users run. */
const CACHE_BYTES = ['0', '1', '10485760'] as const;

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
  const cache = randomCache(seed);
  const processed = !mergesRepartitions(optimization);
  const topology = new RandomTopology(choice, { ...PLAIN, processed, cached: cache !== '0' });
  const made = topology.make();
  return {
    name: `random-${seed}`,
    ...withCache(optimization, cache),
    topology: made as unknown as Readonly<Record<string, Json>>,
    inputs: randomInputs(choice, topology.inputs),
  };
}

/** Beside what else a seed makes: the same case is asked for with one cache or another. */
function randomCache(seed: number): string {
  return createChance(seed, 'parity-cache').pick(CACHE_BYTES);
}

/** `0` is the setting of all cases that do not say. */
function withCache({ config = {} }: Optimized, cache: string): Optimized {
  if (cache !== '0') return { config: { ...config, [CACHE_SETTING]: cache } };
  return Object.keys(config).length === 0 ? {} : { config };
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
