import type { TransactionalStore } from './byte-store.js';
import { MemoryStore } from './memory-store.js';

/** Makes the stores of one task, empty, by name: one {@link MemoryStore} for each. */
export function createStores(specs: Iterable<{ readonly name: string }>): ReadonlyMap<string, TransactionalStore> {
  const stores = new Map<string, TransactionalStore>();
  for (const spec of specs) stores.set(spec.name, new MemoryStore(spec.name));
  return stores;
}
