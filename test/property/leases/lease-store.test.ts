import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import { describeRandomWrites } from '../../support/random-lease-writes.js';

describeRandomWrites({ name: 'memory', createStore: async () => createMemoryLeaseStore(), runs: 100 });
