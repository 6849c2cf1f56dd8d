import type { TransactionalStore } from './byte-store.js';
import { MemoryStore } from './memory-store.js';
import type { StoreLayout } from './store-layout.js';

/** What the engine has to know of a store to hold it. */
export interface EngineSpec {
  readonly name: string;
  /** Absent: the keys carry no time. */
  readonly layout?: StoreLayout;
}

/** Makes the stores of one task, empty, by name: one {@link MemoryStore} for each. */
export function createStores(specs: Iterable<EngineSpec>): ReadonlyMap<string, TransactionalStore> {
  const stores = new Map<string, TransactionalStore>();
  for (const { name, layout } of specs) stores.set(name, new MemoryStore(name, layout ?? null));
  return stores;
}
