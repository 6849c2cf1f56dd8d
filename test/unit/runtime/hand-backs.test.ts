import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../lib/leases/records.js';
import { resolveSettings } from '../../../lib/model/settings.js';
import { taskId } from '../../../lib/model/task-id.js';
import { HandBacks, patienceMs } from '../../../lib/runtime/hand-backs.js';
import { createTaskWorld, grant, type TaskWorld } from '../../support/task-world.js';

const TASK = taskId(0, 0);
const SETTINGS = resolveSettings({ heartbeatIntervalMs: 20, sessionTimeoutMs: 60_000, transactionTimeoutMs: 1_000 });
const OTHER = { memberId: 'member-2', incarnation: 1 } as const;

async function claimed(): Promise<TaskWorld> {
  const world = await createTaskWorld();
  await world.ports.leases.createMember(OTHER.memberId);
  const report = { running: [], positions: [], recordsProcessed: 0 };
  await world.ports.leases.claimMember({ ...OTHER, report, tags: {} });
  return world;
}

const hasRead = ({ ports }: TaskWorld, planRead: number) =>
  ports.leases.heartbeat({ ...OTHER, report: { running: [], positions: [], recordsProcessed: 0, planRead } });

describe('a task that a plan has moved', () => {
  it('is worked on until its next owner has read that plan', async () => {
    const world = await claimed();
    const plan = await grant(world, { 'member-2': [TASK] });
    const handBacks = new HandBacks({ ports: world.ports, self: 'member-1' });

    const before = await handBacks.due(plan, [TASK], SETTINGS);
    await hasRead(world, plan.number - 1);
    const still = await handBacks.due(plan, [TASK], SETTINGS);
    await hasRead(world, plan.number);
    const after = await handBacks.due(plan, [TASK], SETTINGS);

    expect([before, still, after]).toEqual([[], [], [TASK]]);
  });

  it('is handed back all the same when the patience is over: the next owner may never come', async () => {
    const world = await claimed();
    const plan = await grant(world, { 'member-2': [TASK] });
    const handBacks = new HandBacks({ ports: world.ports, self: 'member-1' });

    await handBacks.due(plan, [TASK], SETTINGS);
    await world.ports.host.clock.sleep(patienceMs(SETTINGS) + 5);

    expect(await handBacks.due(plan, [TASK], SETTINGS)).toEqual([TASK]);
  });

  it('is handed back at once where nobody is granted it, and where the application rests', async () => {
    const world = await claimed();
    const nobody = await grant(world, { 'member-2': [] });
    const rest = { memberId: 'member-2', taskId: null, code: 'X', message: '', deployment: '' } as const;
    const resting: Plan = { ...nobody, assignment: { 'member-2': { active: [TASK], standby: [], warmup: [] } }, rest };
    const handBacks = new HandBacks({ ports: world.ports, self: 'member-1' });

    expect(await handBacks.due(nobody, [TASK], SETTINGS)).toEqual([TASK]);
    expect(await handBacks.due(resting, [TASK], SETTINGS)).toEqual([TASK]);
  });
});
