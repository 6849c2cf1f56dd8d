import { describe, expect, it } from 'vitest';
import type { ShutdownRequest } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

const BOUND = 60;

async function settled(): Promise<ControlPlaneWorld> {
  const world = await ControlPlaneWorld.create({ members: 2 });
  await world.settle(BOUND);
  return world;
}

/** A member says with its heartbeat that the application is to be shut down. */
async function ask(world: ControlPlaneWorld, number: number, request: Partial<ShutdownRequest> = {}): Promise<void> {
  const shutdown: ShutdownRequest = {
    taskId: taskId(1, 0),
    code: 'STREAMS_PROCESSING_FAILED',
    message: 'wrong',
    planNumber: (await world.newestPlan()).number,
    ...request,
  };
  const report = { running: [], positions: [], recordsProcessed: 0, shutdown };
  await world.leases.heartbeat({ ...world.member(number).self, report });
}

describe('an application that a member asks to shut down', () => {
  it('gets a plan that says why and grants nothing; all members end, all leases are free, and nobody is invoked', async () => {
    const world = await settled();
    await ask(world, 2);

    const outcome = await world.tick();
    await world.settle(BOUND);

    expect(outcome?.rest).toMatchObject({ memberId: 'member-2', taskId: '1_0', message: 'wrong' });
    expect(await world.newestPlan()).toMatchObject({
      assignment: {},
      rest: { memberId: 'member-2', code: 'STREAMS_PROCESSING_FAILED' },
      reason: expect.stringContaining('member-2 asks to shut the application down'),
    });
    expect(world.living).toEqual([]);
    expect(await world.owners()).toEqual({});
    expect(world.invocations).toEqual([]);
  });

  it('rests for ever, however many schedulers come, and whoever died meanwhile', async () => {
    const world = await settled();
    await ask(world, 1);
    await world.tick();
    world.member(1).crash();
    const { number } = await world.newestPlan();

    for (let round = 0; round < 30; round += 1)
      await world.round({ watch: createHeartbeatWatch(), members: 2 + (round % 2) });

    expect((await world.newestPlan()).number).toBe(number);
    expect(world.living).toEqual([]);
  });

  it('goes on when a person says so, with all tasks, also those of who died at rest', async () => {
    const world = await settled();
    await ask(world, 1);
    await world.tick();
    world.member(1).crash();
    await world.settle(BOUND);

    await world.tick({ resume: true });
    await world.deliverAll();
    await world.settle(BOUND);

    const plan = await world.newestPlan();
    expect(plan.rest).toBeUndefined();
    expect(Object.keys(await world.owners())).toHaveLength(8);
    expect((await world.leases.readPlanNumber(plan.resumed ?? 0))?.reason).toContain('rest ended by hand');
  });

  it('goes on with another deployment, and with none that is the same', async () => {
    const world = await settled();
    await ask(world, 1);
    await world.tick({ deployment: 'first' });
    await world.settle(BOUND, 8, { deployment: 'first' });
    const rest = await world.newestPlan();

    await world.tick({ deployment: 'first' });
    expect((await world.newestPlan()).number).toBe(rest.number);

    await world.tick({ deployment: 'second' });
    expect(await world.newestPlan()).toMatchObject({
      number: rest.number + 1,
      resumed: rest.number + 1,
      reason: expect.stringContaining("rest ended by deployment 'second'"),
    });
  });

  it('does not rest again for a request of before the end of its rest, which a slot still holds', async () => {
    const world = await settled();
    const before = (await world.newestPlan()).number;
    await ask(world, 1);
    await world.tick();
    await world.settle(BOUND);
    await world.tick({ resume: true });
    const resumed = await world.newestPlan();
    await world.deliverAll();
    await world.settle(BOUND);

    await ask(world, 2, { planNumber: before });
    await world.tick();
    expect((await world.newestPlan()).rest).toBeUndefined();

    await ask(world, 2, { planNumber: resumed.number });
    await world.tick();
    expect((await world.newestPlan()).rest).toMatchObject({ memberId: 'member-2' });
  });

  it('is not put to rest by a scheduler that loses the race for the plan', async () => {
    const world = await settled();
    await ask(world, 1);

    await world.tick({ dieAfter: 0 });
    expect((await world.newestPlan()).rest).toBeUndefined();
    await world.tick();

    expect((await world.newestPlan()).rest).toBeDefined();
  });
});

it('a tick that is told to resume changes nothing where nobody rests', async () => {
  const world = await settled();
  const { number } = await world.newestPlan();

  await world.tick({ resume: true });

  expect((await world.newestPlan()).number).toBe(number);
});
