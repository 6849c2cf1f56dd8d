import { describe, expect, it } from 'vitest';
import { createMemoryLeaseStore } from '../../../../lib/leases/memory/memory-lease-store.js';
import type { TaskId } from '../../../../lib/model/task-id.js';
import { ProtocolCoverage, TRANSITIONS } from '../../../../lib/testing/simulation/coverage.js';
import { SimulatedProcess } from '../../../../lib/testing/simulation/simulated-process.js';
import { VirtualTime } from '../../../../lib/testing/simulation/virtual-time.js';

type Tables = ReturnType<typeof createMemoryLeaseStore>;

/** Makes a write and tells the coverage of it. */
function writer() {
  const coverage = new ProtocolCoverage();
  const tables = createMemoryLeaseStore();
  const process = new SimulatedProcess('task#1', 'task', new VirtualTime());
  const write = async (method: keyof Tables & string, ...args: readonly unknown[]) => {
    const answer = await Reflect.apply(tables[method] as (...args: readonly unknown[]) => unknown, tables, args);
    coverage.hear({
      process,
      port: 'leases',
      method,
      args,
      sentAtMs: 0,
      reads: false,
      producer: null,
      ok: true,
      answer,
    });
  };
  return { coverage, write };
}

describe('coverage of the protocol', () => {
  it('names transitions by what they found, refused ones by their command', async () => {
    const { coverage, write } = writer();
    const self = { memberId: 'member-1', incarnation: 1 };
    const claim = { report: { running: [], positions: [], recordsProcessed: 0 }, tags: {} };

    await write('createMember', 'member-1');
    await write('claimMember', { ...self, ...claim });
    await write('claimMember', { ...self, ...claim });
    await write('declareDead', { ...self, heartbeatVersion: 0 });
    await write('claimMember', { ...self, incarnation: 2, ...claim });
    await write('takeLease', { taskId: '0_0' as TaskId, owner: self, expected: null });
    await write('takeLease', { taskId: '0_0' as TaskId, owner: self, expected: null });

    expect(Object.fromEntries(coverage.counts)).toEqual({
      create: 1,
      'claim a free slot': 1,
      'refused: claim': 1,
      'declare a running one dead': 1,
      'claim a dead slot': 1,
      'take for a doorbell': 1,
      'refused: take': 1,
    });
    for (const name of coverage.counts.keys()) expect(TRANSITIONS).toContain(name);
  });

  it('counts what a scheduler decides by itself about the number of members, and nothing else as scaling', async () => {
    const { coverage, write } = writer();
    const nothing = { active: [], standby: [], warmup: [] };
    const plan = (number: number, slots: number, changedIn?: number) => ({
      number,
      createdAtMs: 0,
      reason: 'test',
      assignor: 'steady',
      assignment: Object.fromEntries(Array.from({ length: slots }, (_, index) => [`member-${index + 1}`, nothing])),
      ...(changedIn === undefined ? {} : { elastic: { changedIn, capacity: 0 } }),
      dead: [],
      partitions: {},
    });

    await write('writePlan', plan(1, 1, 1));
    await write('writePlan', plan(2, 3, 2));
    await write('writePlan', plan(3, 3, 2));
    await write('writePlan', { ...plan(4, 3, 4), leaving: { 'member-3': 9 } });
    await write('writePlan', plan(5, 2, 4));
    await write('writePlan', plan(6, 3));

    expect(coverage.counts.get('scale out')).toBe(1);
    expect(coverage.counts.get('scale in')).toBe(1);
    for (const name of ['scale out', 'scale in']) expect(TRANSITIONS).toContain(name);
  });
});
