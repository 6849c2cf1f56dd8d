import { describe, expect, it } from 'vitest';
import type { TaskAssignor } from '../../../lib/assignment/task-assignor.js';
import type { MemberId } from '../../../lib/leases/records.js';
import { memberId } from '../../../lib/leases/slots.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { taskId } from '../../../lib/model/task-id.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

const BOUND = 60;
const SESSION_ROUNDS = 10;

/** Two members that have settled over 8 tasks and may sleep. */
async function settled(): Promise<ControlPlaneWorld> {
  const world = await ControlPlaneWorld.create({ members: 2, idleTimeoutMs: 60_000 });
  await world.settle(BOUND);
  return world;
}

async function rounds(world: ControlPlaneWorld, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) await world.round();
}

async function writeLine({ log }: ControlPlaneWorld, partition: number): Promise<void> {
  const records = new RecordSetBuilder();
  records.append(null, Buffer.from('a line'), 1);
  await log.append({ topic: 'lines', partition }, records.build());
}

const statusOf = async (world: ControlPlaneWorld, id: MemberId) => (await world.leases.readMember(id))?.status;
const planNumber = async (world: ControlPlaneWorld) => (await world.leases.readPlan())?.number;

describe('a slot that ended in order and has no work', () => {
  it('is not asked for, and keeps its tasks in the plan for as long as it sleeps', async () => {
    const world = await settled();
    await world.member(2).end();

    await rounds(world, 5 * SESSION_ROUNDS);

    expect([await statusOf(world, 'member-1'), await statusOf(world, 'member-2')]).toEqual(['claimed', 'free']);
    expect(await planNumber(world)).toBe(1);
  });

  it('is asked for when one of its tasks has input beyond what is committed', async () => {
    const world = await settled();
    await world.member(2).end();
    await rounds(world, 2 * SESSION_ROUNDS);

    await writeLine(world, 1); // task 0_1 is member-2's
    await rounds(world, 2);

    expect(await statusOf(world, 'member-2')).toBe('claimed');
    expect(await planNumber(world)).toBe(1);
  });

  it('sleeps on over input that is committed, or was recorded with the release where that has expired', async () => {
    const world = await settled();
    await writeLine(world, 1);
    await writeLine(world, 3);
    const key = (partition: number) => topicPartitionKey({ topic: 'lines', partition });
    const end = { nextOffset: offset(1), metadata: '' };
    await world.log.commitOffsets('app', new Map([[key(1), end]]));
    const owner = { memberId: 'member-2', incarnation: 1 } as const;
    const lease = await world.leases.readLease(taskId(0, 3));
    if (lease === null) throw new Error('0_3 has no lease');
    await world.leases.releaseLease({ ...lease, owner, offsets: { [key(3)]: end } });
    await world.member(2).end();

    await rounds(world, 3 * SESSION_ROUNDS);

    expect(await statusOf(world, 'member-2')).toBe('free');
  });

  it('is asked for when an input was created again, though as much was recorded of the topic before (trap 25)', async () => {
    const world = await settled();
    await writeLine(world, 3);
    const key = topicPartitionKey({ topic: 'lines', partition: 3 });
    const owner = { memberId: 'member-2', incarnation: 1 } as const;
    const lease = await world.leases.readLease(taskId(0, 3));
    if (lease === null) throw new Error('0_3 has no lease');
    const recorded = { nextOffset: offset(1), metadata: '', topicId: 'another life' };
    await world.leases.releaseLease({ ...lease, owner, offsets: { [key]: recorded } });
    await world.member(2).end();

    await rounds(world, 2 * SESSION_ROUNDS);

    expect(await statusOf(world, 'member-2')).toBe('claimed');
  });

  it('is asked for when a wall-clock punctuation is due', async () => {
    const world = await settled();
    const owner = { memberId: 'member-2', incarnation: 1 } as const;
    const lease = await world.leases.readLease(taskId(0, 1));
    if (lease === null) throw new Error('0_1 has no lease');
    const dueMs = world.host.clock.now() + 4_000;
    await world.leases.releaseLease({ ...lease, owner, punctuations: [{ intervalMs: 60_000, dueMs }] });
    await world.member(2).end();

    await rounds(world, 2 * SESSION_ROUNDS - 2);
    const before = await statusOf(world, 'member-2');
    await rounds(world, 4);

    expect([before, await statusOf(world, 'member-2')]).toEqual(['free', 'claimed']);
  });

  it('gives its tasks to the others if it has work and does not come back', async () => {
    const world = await settled();
    await world.member(2).end();
    await rounds(world, 2 * SESSION_ROUNDS);

    await writeLine(world, 1);
    for (let round = 0; round < 2 * SESSION_ROUNDS; round += 1) {
      await world.host.advance(200);
      await world.tick();
      world.invocations.splice(0); // all are lost
      await world.membersAct();
    }

    expect(await world.loads()).toEqual({ 'member-1': 8 });
  });
});

it('an application that has gone to sleep as a whole costs no invocation and no plan', async () => {
  const world = await settled();
  await world.member(1).end();
  await world.member(2).end();

  await rounds(world, 5 * SESSION_ROUNDS);
  expect(await world.loads()).toEqual({});
  await writeLine(world, 0);
  await rounds(world, 2);

  expect([await statusOf(world, 'member-1'), await statusOf(world, 'member-2')]).toEqual(['claimed', 'free']);
  expect(await planNumber(world)).toBe(1);
});

it('a slot that sleeps is asked for by the tick that gives it work of a slot that is wanted no more', async () => {
  const world = await settled();
  for (const process of world.living) await process.end();
  await writeLine(world, 1); // task 0_1 is member-2's
  world.wanted = 1;

  await world.tick({ watch: createHeartbeatWatch() });

  expect(world.invocations).toEqual([expect.objectContaining({ memberId: 'member-1', incarnation: 2 })]);
});

it('slots that sleep are placed anew by the first tick of a scheduler that knew nothing, though tasks of theirs move', async () => {
  const world = await ControlPlaneWorld.create({ members: 3, idleTimeoutMs: 60_000 });
  await world.settle(BOUND);
  for (const process of world.living) await process.end();
  const backward: TaskAssignor = {
    name: 'steady',
    assign: ({ tasks }) => {
      const active = (rest: number) => tasks.map(({ id }) => id).filter((_, index) => index % 2 === rest);
      const members = [active(1), active(0)].map(
        (ids, index) => [memberId(index + 1), { active: ids, standby: [], warmup: [] }] as const,
      );
      return { members: new Map(members), followUp: false };
    },
  };
  world.wanted = 2;

  await world.tick({ watch: createHeartbeatWatch(), assignors: [backward] });

  expect(Object.keys((await world.leases.readPlan())?.assignment ?? {})).toEqual(['member-1', 'member-2']);
});

it('a slot that crashed is asked for whether or not there is work', async () => {
  const world = await settled();
  world.member(2).crash();

  await rounds(world, 3 * SESSION_ROUNDS);

  expect(await statusOf(world, 'member-2')).toBe('claimed');
  expect(Object.values(await world.loads()).reduce((sum, load) => sum + load, 0)).toBe(8);
});
