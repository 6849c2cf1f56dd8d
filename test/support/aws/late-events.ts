/** Events as the product makes them, made at another time than now. */
import type { RunMember } from '../../../lib/invoke/payloads.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Incarnation } from '../../../lib/leases/records.js';
import { handOver } from '../../../lib/runtime/hand-over.js';
import type { StreamsApp } from '../../../lib/topology/app.js';
import { createTestHost } from '../test-host.js';

const report = { running: [], positions: [], recordsProcessed: 0 };

/** What an incarnation that drained at that time asked for: its successor. */
export async function successorAskedForAt(atMs: number, app: StreamsApp, self: Incarnation): Promise<RunMember> {
  const host = createTestHost({ now: atMs });
  const leases = createMemoryLeaseStore();
  await leases.createMember(self.memberId);
  for (let incarnation = 1; incarnation <= self.incarnation; incarnation += 1) {
    await leases.claimMember({ memberId: self.memberId, incarnation, report, tags: {} });
    if (incarnation < self.incarnation) await leases.freeMember({ memberId: self.memberId, incarnation });
  }
  const asked: unknown[] = [];
  const invoker = { invoke: async (_: unknown, payload: unknown) => void asked.push(payload) };
  const ports = { host, leases, invoker };
  await handOver({ app, ports, self, logger: host.logger, untilMs: 0, isOver: () => false, pollMs: 1 });
  if (asked.length !== 1) throw new Error(`${asked.length} successors were asked for`);
  return asked[0] as RunMember;
}
