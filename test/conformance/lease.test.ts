import { describe, expect, it } from 'vitest';
import { createMemoryLeaseStore } from '../../lib/leases/memory/memory-lease-store.js';
import { describeLeaseConformance } from '../../lib/testing/conformance/lease-conformance.js';

describeLeaseConformance(
  { name: 'memory', createStore: async (options) => createMemoryLeaseStore(options) },
  { describe, it, expect },
);
