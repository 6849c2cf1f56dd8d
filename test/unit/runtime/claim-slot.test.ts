/** Invocations that are asked for together: whichever slot each of them becomes, every slot comes to be run. */
import { describe, expect, it } from 'vitest';
import type { Incarnation, MemberReport, StorePosition } from '../../../lib/leases/records.js';
import { offset } from '../../../lib/model/offset.js';
import { taskId } from '../../../lib/model/task-id.js';
import { claimSlot } from '../../../lib/runtime/claim-slot.js';
import { createTaskWorld, grant, type TaskWorld } from '../../support/task-world.js';

const first: Incarnation = { memberId: 'member-1', incarnation: 1 };
const second: Incarnation = { memberId: 'member-2', incarnation: 1 };
const IDLE_MS = 5_000;
const holds = (partition: number): readonly StorePosition[] => [
  { taskId: taskId(0, partition), store: 'counts', nextOffset: offset(0), endOffset: offset(0) },
];

/** Two free slots, each granted a task. */
async function createWorld(): Promise<TaskWorld> {
  const world = await createTaskWorld({ partitions: 2 });
  for (const { memberId } of [first, second]) await world.ports.leases.createMember(memberId);
  await grant(world, { 'member-1': [taskId(0, 0)], 'member-2': [taskId(0, 1)] });
  return world;
}

async function claim(
  { ports: { leases, host } }: TaskWorld,
  invokedFor: Incarnation,
  others: readonly Incarnation[],
  held: readonly StorePosition[] = [],
) {
  const claimed = await claimSlot({
    leases,
    clock: host.clock,
    invokedFor,
    others,
    held,
    tags: {},
    idleTimeoutMs: IDLE_MS,
  });
  return claimed?.member.memberId ?? null;
}

describe('two invocations for two slots', () => {
  it('swap them if each holds the stores of the other', async () => {
    const world = await createWorld();

    const claims = await Promise.all([
      claim(world, first, [second], holds(1)),
      claim(world, second, [first], holds(0)),
    ]);

    expect(claims).toEqual(['member-2', 'member-1']);
  });

  it('run both, whoever comes first, though both want the same', async () => {
    const world = await createWorld();

    const claims = await Promise.all([
      claim(world, first, [second], holds(1)),
      claim(world, second, [first], holds(1)),
    ]);

    expect([...claims].sort()).toEqual(['member-1', 'member-2']);
  });

  it('run both, though one of them holds nothing and its slot is gone', async () => {
    const world = await createWorld();

    expect(await claim(world, first, [second], holds(1))).toBe('member-2');
    expect(await claim(world, second, [first])).toBe('member-1');
  });

  it('delivered twice end at once, for as many slots as were asked for are claimed', async () => {
    const world = await createWorld();
    await claim(world, first, [second]);
    await claim(world, second, [first]);

    expect(await claim(world, first, [second], holds(1))).toBeNull();
    expect(await claim(world, second, [first])).toBeNull();
  });
});

it('an invocation for one slot leaves the other asleep, though it holds its stores', async () => {
  const world = await createWorld();

  expect(await claim(world, first, [], holds(1))).toBe('member-1');
  expect((await world.ports.leases.readMember('member-2'))?.status).toBe('free');
});

describe('an incarnation is as idle as its slot was', () => {
  const reported = async ({ ports: { leases } }: TaskWorld) =>
    (await leases.readMember(first.memberId))?.report.idleForMs;
  const next: Incarnation = { ...first, incarnation: 2 };
  /** The first incarnation, which has had nothing to do for so long, hands over to the next. */
  async function handOver(world: TaskWorld, report: Partial<MemberReport>): Promise<void> {
    const { leases } = world.ports;
    await claim(world, first, []);
    await leases.heartbeat({ ...first, report: { running: [], positions: [], recordsProcessed: 0, ...report } });
    await leases.drainMember(first);
    await claim(world, next, []);
  }

  it('it goes on from what the one before has reported', async () => {
    const world = await createWorld();
    await handOver(world, { idleForMs: 1_234 });

    expect(await reported(world)).toBe(1_234);
  });

  it('it is at work where that was', async () => {
    const world = await createWorld();
    await handOver(world, {});

    expect(await reported(world)).toBe(0);
  });

  it('where that has ended in order there was nothing to do', async () => {
    const world = await createWorld();
    await claim(world, first, []);
    await world.ports.leases.freeMember(first);
    await claim(world, next, []);

    expect(await reported(world)).toBe(IDLE_MS);
  });
});
