import { expect, it } from 'vitest';
import type { Incarnation, MemberId } from '../../../lib/leases/records.js';
import { LocalProcesses } from '../../../lib/local/local-processes.js';
import { taskId } from '../../../lib/model/task-id.js';
import { createTaskWorld, feedWords, grant, type TaskWorld, untilCommitted } from '../../support/task-world.js';
import { waitFor } from '../../support/wait-for.js';

const FIRST = taskId(0, 0);

const invocation = (memberId: MemberId, incarnation: number, others: readonly Incarnation[] = []) => ({
  type: 'run-member' as const,
  applicationId: 'app',
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  memberId,
  incarnation,
  others,
});

const untilOwned = ({ ports }: TaskWorld, memberId: MemberId) =>
  waitFor(`${memberId} to own the task`, async () => {
    return (await ports.leases.readLease(FIRST))?.owner?.memberId === memberId || undefined;
  });

/** Processes on the ports of a world, and those that were reported as failed. */
function processesOf({ app, ports }: TaskWorld): {
  readonly processes: LocalProcesses;
  readonly failed: readonly Incarnation[];
} {
  const failed: Incarnation[] = [];
  const processes = new LocalProcesses({
    app,
    portsOf: () => ports,
    shutDown: () => undefined,
    failed: (member) => failed.push({ ...member }),
  });
  return { processes, failed };
}

it('a process that claims another slot than the one it was invoked for counts as that slot from then on', async () => {
  const world = await createTaskWorld();
  const { processes, failed } = processesOf(world);
  for (const slot of ['member-1', 'member-2'] as const) await world.ports.leases.createMember(slot);
  await grant(world, { 'member-1': [FIRST], 'member-2': [] });
  const first = processes.run(invocation('member-1', 1));
  await untilOwned(world, 'member-1');
  await feedWords(world, ['a']);
  await untilCommitted(world);
  processes.end();
  await first;
  await grant(world, { 'member-1': [], 'member-2': [FIRST] });

  // Its environment holds the stores of a task that member-2 is granted now, so it becomes that.
  const second = processes.run(invocation('member-1', 2, [{ memberId: 'member-2', incarnation: 1 }]));
  await untilOwned(world, 'member-2');

  expect([...processes.slots]).toEqual(['member-2']);
  expect(processes.crash('member-1')).toBe(false);
  expect(processes.crash('member-2')).toBe(true);
  await second;
  expect(failed).toEqual([{ memberId: 'member-2', incarnation: 1 }]);
  expect([...processes.slots]).toEqual([]);
});

it('a process that could not claim is reported as the incarnation that it was to become', async () => {
  const world = await createTaskWorld();
  const leases = new Proxy(world.ports.leases, {
    get: (target, property) =>
      property === 'claimMember' ? () => Promise.reject(new Error('broken')) : Reflect.get(target, property),
  });
  const { processes, failed } = processesOf({ ...world, ports: { ...world.ports, leases } });

  await expect(processes.run(invocation('member-1', 1))).rejects.toThrow('broken');

  expect(failed).toEqual([{ memberId: 'member-1', incarnation: 1 }]);
});

it('a process that is stopped ends in order, is not reported, and leaves no stores to the next', async () => {
  const world = await createTaskWorld();
  const { processes, failed } = processesOf(world);
  await world.ports.leases.createMember('member-1');
  await grant(world, { 'member-1': [FIRST] });
  const first = processes.run(invocation('member-1', 1));
  await untilOwned(world, 'member-1');
  await feedWords(world, ['a']);
  await untilCommitted(world);

  const stopped = await processes.stop('member-1');

  expect([stopped, await processes.stop('member-1'), failed]).toEqual([true, false, []]);
  await first;
  expect((await world.ports.leases.readLease(FIRST))?.owner).toBe(null);
  const second = processes.run(invocation('member-1', 2));
  await untilOwned(world, 'member-1');
  expect((await world.ports.leases.readMember('member-1'))?.incarnation).toBe(2);
  processes.end();
  await second;
});
