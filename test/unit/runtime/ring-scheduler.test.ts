/** When the member that a doorbell wakes has the scheduler tick. */
import { describe, expect, it } from 'vitest';
import type { Tick } from '../../../lib/invoke/payloads.js';
import type { Incarnation, MemberId } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import type { RuntimePorts } from '../../../lib/runtime/ports.js';
import { ringScheduler } from '../../../lib/runtime/ring-scheduler.js';
import { runDoorbell } from '../../../lib/runtime/run-doorbell.js';
import { runMember } from '../../../lib/runtime/run-member.js';
import { createTaskWorld, feedWords, grant, INPUT, type TaskWorld } from '../../support/task-world.js';

interface Ring {
  readonly target: string;
  readonly payload: Tick;
  /** The slots that were claimed when it rang. */
  readonly claimed: readonly MemberId[];
}

const claimedSlots = async ({ ports }: TaskWorld) =>
  (await ports.leases.listMembers()).filter(({ status }) => status === 'claimed').map(({ memberId }) => memberId);

/** The ports of a member, and what it invokes through them. */
function listening(world: TaskWorld): { readonly ports: RuntimePorts; readonly rings: readonly Ring[] } {
  const rings: Ring[] = [];
  const invoke: RuntimePorts['invoker']['invoke'] = async (target, payload) => {
    rings.push({ target, payload: payload as Tick, claimed: await claimedSlots(world) });
  };
  return { ports: { ...world.ports, invoker: { invoke } }, rings };
}

const claim = (world: TaskWorld, self: Incarnation) =>
  world.ports.leases.claimMember({ ...self, report: { running: [], positions: [], recordsProcessed: 0 }, tags: {} });

async function claimNew(world: TaskWorld, memberId: MemberId): Promise<Incarnation> {
  await world.ports.leases.createMember(memberId);
  await claim(world, { memberId, incarnation: 1 });
  return { memberId, incarnation: 1 };
}

const ofFirstPartition = [{ topic: INPUT, partition: 0, toOffset: null }];
const sleepy = () => createTaskWorld({ partitions: 2, settings: { idleTimeoutMs: 100 } });

describe('the member that a doorbell wakes', () => {
  it('has the scheduler tick while members run, once it has its slot, if it is the first to run', async () => {
    const world = await sleepy();
    const { ports, rings } = listening(world);
    const before = world.ports.host.clock.now();
    await feedWords(world, ['a']);

    const outcome = await runDoorbell({ app: world.app, ports, partitions: ofFirstPartition });

    expect(outcome).toMatchObject({ ended: 'idle', memberId: 'member-1' });
    expect(rings).toEqual([
      {
        target: 'scheduler',
        payload: {
          type: 'tick',
          applicationId: 'app',
          expiresAtMs: expect.any(Number),
          reason: 'a doorbell woke member-1',
          whileMembers: true,
        },
        claimed: ['member-1'],
      },
    ]);
    const livesForMs = (rings[0]?.payload.expiresAtMs ?? 0) - before;
    expect(livesForMs).toBeGreaterThanOrEqual(world.app.settings.sessionTimeoutMs);
    expect(livesForMs).toBeLessThan(world.app.settings.sessionTimeoutMs + 1_000);
  });

  it('calls nobody while a member runs that ran before: a scheduler ticks for that one', async () => {
    const world = await sleepy();
    const { ports, rings } = listening(world);
    await claimNew(world, 'member-1');
    await grant(world, { 'member-1': [taskId(0, 1)] });

    const outcome = await runDoorbell({ app: world.app, ports, partitions: ofFirstPartition });

    expect(outcome).toMatchObject({ ended: 'idle', memberId: 'member-2' });
    expect(rings).toEqual([]);
  });

  it('runs to its end though the scheduler can not be called, and says so', async () => {
    const world = await sleepy();
    const invoker = { invoke: () => Promise.reject(new UnavailableError('no concurrency left')) };
    await feedWords(world, ['a', 'b', 'c', 'd']);

    const outcome = await runDoorbell({
      app: world.app,
      ports: { ...world.ports, invoker },
      partitions: [0, 1].map((partition) => ({ topic: INPUT, partition, toOffset: null })),
    });

    expect(outcome).toMatchObject({ ended: 'idle', recordsProcessed: 4 });
    expect(world.events).toContainEqual({
      level: 'warn',
      event: 'scheduler-not-rung',
      fields: expect.objectContaining({ code: 'STREAMS_UNAVAILABLE', message: 'no concurrency left' }),
    });
  });

  it('runs to its end before the scheduler was called, and waits for that', async () => {
    const world = await sleepy();
    const { ports, rings } = listening(world);
    const { clock } = world.ports.host;
    let isFree = false;
    const invoke: RuntimePorts['invoker']['invoke'] = async (target, payload) => {
      while ((await claimedSlots(world)).length > 0) await clock.sleep(5);
      isFree = true;
      await ports.invoker.invoke(target, payload);
    };

    await runDoorbell({ app: world.app, ports: { ...ports, invoker: { invoke } }, partitions: ofFirstPartition });

    expect([isFree, rings.length]).toEqual([true, 1]);
  });

  it('is the only one that calls: who was invoked for a slot was invoked by a scheduler', async () => {
    const world = await sleepy();
    const { ports, rings } = listening(world);

    const outcome = await runMember({ app: world.app, ports, memberId: 'member-1', incarnation: 1 });

    expect([outcome.ended, rings]).toEqual(['idle', []]);
  });

  it('that finds its tasks run already calls nobody', async () => {
    const world = await sleepy();
    const { ports, rings } = listening(world);
    await claimNew(world, 'member-1');
    await grant(world, { 'member-1': [taskId(0, 0)] });

    expect(await runDoorbell({ app: world.app, ports, partitions: ofFirstPartition })).toBeNull();
    expect(rings).toEqual([]);
  });
});

describe('the call', () => {
  const ring = async (world: TaskWorld, self: Incarnation, before: Parameters<typeof ringScheduler>[0]['before']) => {
    const { ports, rings } = listening(world);
    await ringScheduler({ app: world.app, ports, logger: ports.host.logger, self, before });
    return rings.length;
  };

  it('is made though another has claimed at the same time: neither has seen the other before', async () => {
    const world = await sleepy();
    const before = await world.ports.leases.listMembers();
    const [one, other] = [await claimNew(world, 'member-1'), await claimNew(world, 'member-2')];

    expect([await ring(world, one, before), await ring(world, other, before)]).toEqual([1, 1]);
  });

  it('is made once the member that ran before has ended, for its scheduler may have ended with it', async () => {
    const world = await sleepy();
    const ending = await claimNew(world, 'member-1');
    const before = await world.ports.leases.listMembers();
    const self = await claimNew(world, 'member-2');
    await world.ports.leases.freeMember(ending);

    expect(await ring(world, self, before)).toBe(1);
  });

  it('does not take the next incarnation of a slot for the one that ran before', async () => {
    const world = await sleepy();
    const ending = await claimNew(world, 'member-1');
    const before = await world.ports.leases.listMembers();
    const self = await claimNew(world, 'member-2');
    await world.ports.leases.freeMember(ending);
    await claim(world, { memberId: 'member-1', incarnation: 2 });

    expect(await ring(world, self, before)).toBe(1);
  });

  it('is not made while one drains that ran before: its successor is on its way', async () => {
    const world = await sleepy();
    const draining = await claimNew(world, 'member-1');
    const before = await world.ports.leases.listMembers();
    const self = await claimNew(world, 'member-2');
    await world.ports.leases.drainMember(draining);

    expect(await ring(world, self, before)).toBe(0);
  });
});
