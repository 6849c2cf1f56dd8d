import { InternalError } from '../model/errors.js';
import type { ByteStore } from '../state/byte-store.js';
import { ReadOnlyBytes } from '../state/read-only-bytes.js';
import { readOnlyStore } from '../state/read-only-store.js';
import type { StateStore } from '../state/state-store.js';
import type { Topology } from '../topology/topology.js';

const WHY = 'only the processor of a global store writes to it';

/** The global stores as the processors of a task see them: read by any of them, written by none. */
export class GlobalReads {
  private readonly topology: Topology;
  private readonly stores: ReadonlyMap<string, ByteStore>;

  constructor(topology: Topology, stores: ReadonlyMap<string, ByteStore>) {
    this.topology = topology;
    this.stores = stores;
  }

  /** The store of that name, or null if it is no global one. */
  open(name: string): StateStore | null {
    if (!this.topology.globalStores.has(name)) return null;
    const spec = this.topology.stores.get(name);
    const bytes = this.stores.get(name);
    if (spec === undefined || bytes === undefined)
      throw new InternalError(`the task was given no global store ${name}`, { details: { store: name } });
    return readOnlyStore(spec.open(new ReadOnlyBytes(bytes, WHY), { timestampMs: () => 0 }), WHY);
  }
}
