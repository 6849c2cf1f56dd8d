/** Builds the topology that a recorded case gives as data. */
import {
  type BuildOptions,
  keyValueStore,
  long,
  type Optimization,
  type Serde,
  type StoreSpec,
  sessionStore,
  string,
  type Topology,
  timestampedKeyValueStore,
  versionedStore,
  windowStore,
} from '../../lib/index.js';
import { buildNodes } from './build-nodes.js';
import { buildPapi, type PapiNode } from './build-papi.js';
import type { CaseType } from './case-functions.js';
import type { CaseNode } from './case-nodes.js';

export interface CaseStore {
  readonly name: string;
  readonly type: string;
  readonly key?: CaseType;
  readonly value?: CaseType;
  readonly inMemory?: boolean;
  readonly retentionMs?: number;
  readonly windowMs?: number;
  readonly retainDuplicates?: boolean;
  readonly historyRetentionMs?: number;
}

/** The `topology` of a case: operators of the DSL, or nodes of the Processor API. */
export interface CaseTopology {
  readonly stores?: readonly CaseStore[];
  readonly nodes?: readonly CaseNode[];
  readonly papi?: readonly PapiNode[];
}

/**
 * Builds a case's topology.
 *
 * @throws an error 'missing operator: …' for what the library cannot do yet; the library's errors for bad topologies
 */
export function buildTopology(of: {
  readonly topology: unknown;
  readonly config?: Readonly<Record<string, unknown>>;
}): Topology {
  const topology = of.topology as CaseTopology;
  if (topology.nodes === undefined) return buildPapi(topology.papi ?? [], storesOf(topology));
  return buildNodes(topology.nodes, storesOf(topology), { optimization: optimizationOf(of.config ?? {}) });
}

/** Kafka's text: `none`, `all`, or names with commas between them. */
function optimizationOf({
  'topology.optimization': given = 'none',
}: Readonly<Record<string, unknown>>): NonNullable<BuildOptions['optimization']> {
  if (given === 'none' || given === 'all') return given;
  return String(given)
    .split(',')
    .map((name) => name.trim()) as unknown as readonly Optimization[];
}

function storesOf({ stores = [] }: CaseTopology): ReadonlyMap<string, StoreSpec> {
  return new Map(stores.map((store) => [store.name, storeOf(store)]));
}

function storeOf(store: CaseStore): StoreSpec {
  const { name, type, key, value, inMemory = false, retentionMs: retention = 0 } = store;
  const options = { name, key: serdeOf(key), value: serdeOf(value) };
  switch (type) {
    case 'keyValue':
      return keyValueStore(options);
    case 'timestampedKeyValue':
      return timestampedKeyValueStore(options);
    case 'window': {
      const { windowMs: windowSize = 0, retainDuplicates = false } = store;
      return windowStore({ ...options, inMemory, retention, windowSize, retainDuplicates });
    }
    case 'session':
      return sessionStore({ ...options, inMemory, retention });
    case 'versioned':
      return versionedStore({ ...options, historyRetention: store.historyRetentionMs ?? 0 });
    default:
      throw new Error(`missing operator: store ${type}`);
  }
}

function serdeOf(type: CaseType = 'string'): Serde<unknown> {
  return (type === 'long' ? long() : string()) as Serde<unknown>;
}
