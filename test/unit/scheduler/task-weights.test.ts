/** Tasks weigh what members report of them, and a member that carries too much of that gives some away. */
import { describe, expect, it } from 'vitest';
import type { MemberId, TaskLoad } from '../../../lib/leases/records.js';
import { parseTaskId, type TaskId } from '../../../lib/model/task-id.js';
import { HEAVY_FOR_MS } from '../../../lib/scheduler/task-weights.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

const BOUND = 60;
const TICK_MS = 2_000;
const MEMBERS = 3;
const PARTITIONS = 6;
const HOT_TASK = parseTaskId('1_0').id;

const loadOf = (taskId: TaskId, times: number): TaskLoad => ({
  taskId,
  lagRecords: 0,
  recordsPerSecond: 100 * times,
  bytesPerSecond: 10_000 * times,
  busyMsPerSecond: 20 * times,
});

/** Members report of each of their tasks what it costs, the hot one so many times as much. */
async function report(world: ControlPlaneWorld, hotTimes: number): Promise<void> {
  const owners = Object.entries(await world.owners());
  for (const process of world.living) {
    const loads = owners
      .filter(([, owner]) => owner === process.self.memberId)
      .map(([taskId]) => loadOf(taskId as TaskId, taskId === HOT_TASK ? hotTimes : 1));
    process.reported = { loads };
  }
}

async function run(world: ControlPlaneWorld, ms: number, hotTimes: (round: number) => number): Promise<void> {
  for (let round = 0; round * TICK_MS < ms; round += 1) {
    await report(world, hotTimes(round));
    await world.round();
  }
}

async function scene(assignor: string) {
  const world = await ControlPlaneWorld.create(
    { members: MEMBERS, assignor, tickIntervalMs: TICK_MS, sessionTimeoutMs: 10_000, heartbeatIntervalMs: 2_000 },
    PARTITIONS,
  );
  await world.settle(BOUND);
  const hotOwner = async () => (await world.owners())[HOT_TASK] as MemberId;
  const number = async () => (await world.leases.readPlan())?.number ?? 0;
  return { world, hotOwner, number };
}

describe('a task with ten times the traffic of the others', () => {
  it('leaves its member fewer others, in one plan that says why, and then all stays', async () => {
    const { world, hotOwner, number } = await scene('weighted');
    const before = await number();
    expect(await world.loads()).toEqual({ 'member-1': 4, 'member-2': 4, 'member-3': 4 });

    await run(world, 2 * HEAVY_FOR_MS, () => 10);
    const after = await number();
    await run(world, 5 * HEAVY_FOR_MS, () => 10);

    const owner = await hotOwner();
    const { [owner]: hot, ...others } = await world.loads();
    expect(hot).toBeLessThanOrEqual(2);
    expect(Math.max(...Object.values(others)) - Math.min(...Object.values(others))).toBeLessThanOrEqual(1);
    expect((await world.leases.readPlan())?.reason).toBe(
      `${owner} carries 1.9 times its share of what tasks weigh (tick: test)`,
    );
    expect([after - before, (await number()) - after]).toEqual([1, 0]);
  });

  it('for less than a minute moves nothing, however often', async () => {
    const { world, number } = await scene('weighted');
    const before = await number();
    const ticksHot = (HEAVY_FOR_MS * 0.9) / TICK_MS;

    await run(world, 10 * HEAVY_FOR_MS, (round) => (round % (2 * ticksHot) < ticksHot ? 10 : 1));

    expect(await number()).toBe(before);
  });

  it('is a task like others to an assignor that counts tasks', async () => {
    const { world, number } = await scene('steady');
    const before = await number();

    await run(world, 2 * HEAVY_FOR_MS, () => 10);

    expect(await number()).toBe(before);
  });
});
