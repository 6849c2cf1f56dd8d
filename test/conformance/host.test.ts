import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { describeHostConformance } from '../../lib/testing/conformance/host-conformance.js';

describeHostConformance({ name: 'node', createHost: () => createNodeHost() }, { describe, it, expect });
