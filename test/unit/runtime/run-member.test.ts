import { afterEach, describe, expect, it } from 'vitest';
import type { RunMember } from '../../../lib/invoke/payloads.js';
import type { MemberId } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { offset } from '../../../lib/model/offset.js';
import { taskId } from '../../../lib/model/task-id.js';
import { KeptStores } from '../../../lib/runtime/kept-stores.js';
import type { RuntimePorts } from '../../../lib/runtime/ports.js';
import { runDoorbell } from '../../../lib/runtime/run-doorbell.js';
import { type MemberOutcome, type RunMemberOptions, runMember } from '../../../lib/runtime/run-member.js';
import { string } from '../../../lib/serde/string-serde.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import {
  countsOf,
  createTaskWorld,
  feedWords,
  grant,
  INPUT,
  OUTPUT,
  someWords,
  type TaskWorld,
  untilCommitted,
  untilLogged,
} from '../../support/task-world.js';
import { waitFor } from '../../support/wait-for.js';
import { differences, readCounts } from '../../support/word-count-reader.js';

const FIRST = taskId(0, 0);
const SECOND = taskId(0, 1);

const ends: AbortController[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end.abort();
});

interface Started {
  readonly end: AbortController;
  readonly outcome: Promise<MemberOutcome>;
}

function start(
  { app, ports }: TaskWorld,
  memberId: MemberId,
  incarnation = 1,
  more: Partial<RunMemberOptions> = {},
): Started {
  const end = new AbortController();
  ends.push(end);
  return { end, outcome: runMember({ app, ports, memberId, incarnation, signal: end.signal, ...more }) };
}

const ownerOf = async ({ ports }: TaskWorld, id = FIRST) => (await ports.leases.readLease(id))?.owner ?? null;

const untilOwned = (world: TaskWorld, memberId: MemberId, id = FIRST, incarnation = 1) =>
  waitFor(`${memberId} to own ${id}`, async () => {
    const owner = await ownerOf(world, id);
    return (owner?.memberId === memberId && owner.incarnation === incarnation) || undefined;
  });

describe('a member', () => {
  it('claims its slot, runs what the plan grants it, and frees all of it when it is stopped', async () => {
    const world = await createTaskWorld({ partitions: 2 });
    const words = someWords(300);
    const member = start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST, SECOND] });
    await feedWords(world, words);
    await untilCommitted(world);

    member.end.abort();
    const outcome = await member.outcome;

    expect(outcome).toEqual({ ended: 'stopped', memberId: 'member-1', incarnation: 1, recordsProcessed: 300 });
    expect([await ownerOf(world, FIRST), await ownerOf(world, SECOND)]).toEqual([null, null]);
    expect((await world.ports.leases.readMember('member-1'))?.status).toBe('free');
    expect(differences(await readCounts(world.ports.log, OUTPUT, 2), countsOf(words))).toEqual([]);
  });

  it('ends at once where its slot is taken, and touches nothing', async () => {
    const world = await createTaskWorld();
    start(world, 'member-1');
    await untilLogged(world, 'member-claimed');

    const duplicate = await start(world, 'member-1').outcome;

    expect(duplicate.ended).toBe('no-slot');
    expect((await world.ports.leases.readMember('member-1'))?.status).toBe('claimed');
  });

  it('hands a revoked task over in order: the next owner repeats nothing', async () => {
    const world = await createTaskWorld();
    const words = someWords(400);
    start(world, 'member-1');
    start(world, 'member-2');
    await waitFor('both slots', async () => (await world.ports.leases.listMembers()).length === 2 || undefined);
    await grant(world, { 'member-1': [FIRST], 'member-2': [] });
    await untilOwned(world, 'member-1');
    await feedWords(world, words.slice(0, 200));

    await grant(world, { 'member-1': [], 'member-2': [FIRST] });
    await untilOwned(world, 'member-2');
    await feedWords(world, words.slice(200));
    await untilCommitted(world);

    expect(world.events.find(({ event }) => event === 'task-released')?.fields).toMatchObject({ reason: 'revoked' });
    expect(world.events.map(({ event }) => event)).not.toContain('commit-rejected');
    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  it('takes the lease of a crashed predecessor of its own slot without a new plan', async () => {
    const world = await createTaskWorld();
    const first = start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await untilOwned(world, 'member-1');
    first.end.abort('crash');
    expect((await first.outcome).ended).toBe('crashed');
    expect((await ownerOf(world))?.incarnation).toBe(1);
    const seen = await world.ports.leases.readMember('member-1');
    await world.ports.leases.declareDead({
      memberId: 'member-1',
      incarnation: 1,
      heartbeatVersion: seen?.heartbeatVersion ?? 0,
    });

    start(world, 'member-1', 2);

    await untilOwned(world, 'member-1', FIRST, 2);
  });

  it('that crashes while user code waits for something of its own is gone all the same', async () => {
    let isStuck = false;
    const topology = new TopologyBuilder()
      .addSource('source', INPUT, { key: string(), value: string() })
      .addProcessor(
        'stuck',
        () => ({
          process() {
            isStuck = true;
            return new Promise<void>(() => undefined);
          },
        }),
        { parents: 'source' },
      )
      .build();
    const world = await createTaskWorld({ topology });
    const member = start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await untilOwned(world, 'member-1');
    await feedWords(world, ['a']);
    await waitFor('user code to wait', async () => isStuck || undefined);

    member.end.abort('crash');

    expect((await member.outcome).ended).toBe('crashed');
  });

  it('stops by itself, committing nothing, when it could not renew for the session time-out (trap 40)', async () => {
    const world = await createTaskWorld();
    let isAway = false;
    const leases = new Proxy(world.ports.leases, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        if (property !== 'heartbeat') return member.bind(target);
        return async (...args: unknown[]) => {
          if (isAway) throw new UnavailableError('the table is away');
          return Reflect.apply(member, target, args);
        };
      },
    });
    const ports: RuntimePorts = { ...world.ports, leases };
    const member = start(world, 'member-1', 1, { ports });
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await untilOwned(world, 'member-1');

    isAway = true;
    const outcome = await member.outcome;

    expect(outcome.ended).toBe('lost');
    expect((await ownerOf(world))?.memberId).toBe('member-1');
    expect(world.events.map(({ event }) => event)).toContain('session-timed-out');
  });

  it('ends when it has had no work for the idle time-out, and frees its slot', async () => {
    const world = await createTaskWorld({ settings: { idleTimeoutMs: 120 } });
    const member = start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await feedWords(world, ['a']);

    expect((await member.outcome).ended).toBe('idle');
    expect(await ownerOf(world)).toBeNull();
    expect((await world.ports.leases.readMember('member-1'))?.status).toBe('free');
  });

  it('reports for how long its tasks have had nothing to do: neither to begin them nor to commit is work', async () => {
    const world = await createTaskWorld({ settings: { idleTimeoutMs: 60_000 } });
    const idleForMs = async () => (await world.ports.leases.readMember('member-1'))?.report.idleForMs ?? 0;
    start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await untilLogged(world, 'task-running');
    await waitFor('a heartbeat of it', async () => (await idleForMs()) > 60_000 || undefined);

    await feedWords(world, ['a']);
    await untilCommitted(world);

    await waitFor('it to be at work', async () => (await idleForMs()) < 30_000 || undefined);
  });

  it('ends when the plan no longer lists its slot', async () => {
    const world = await createTaskWorld();
    const member = start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await untilOwned(world, 'member-1');

    await grant(world, { 'member-2': [FIRST] });

    expect((await member.outcome).ended).toBe('retired');
    expect(await ownerOf(world)).toBeNull();
  });

  it('takes its leases side by side: a member that inherits many tasks does not wait for one after the other', async () => {
    const world = await createTaskWorld({ partitions: 4 });
    const tasks = [0, 1, 2, 3].map((partition) => taskId(0, partition));
    let asked = 0;
    let letGo: () => void = () => undefined;
    const allAsked = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const takeLease: RuntimePorts['leases']['takeLease'] = async (take) => {
      asked += 1;
      if (asked === tasks.length) letGo();
      await allAsked; // no answer before all were asked for
      return world.ports.leases.takeLease(take);
    };
    const ports = { ...world.ports, leases: { ...world.ports.leases, takeLease } };
    start(world, 'member-1', 1, { ports });
    await untilLogged(world, 'member-claimed');

    await grant(world, { 'member-1': tasks });

    for (const id of tasks) await untilOwned(world, 'member-1', id);
    expect(asked).toBe(tasks.length);
  });

  it('invokes its successor before its deadline and works until that has copied its stores', async () => {
    const world = await createTaskWorld();
    const invoked: RunMember[] = [];
    const successors: Started[] = [];
    const ports: RuntimePorts = {
      ...world.ports,
      invoker: {
        async invoke(_target, payload) {
          const run = payload as unknown as RunMember;
          invoked.push(run);
          successors.push(start(world, run.memberId, run.incarnation));
        },
      },
    };
    const words = someWords(200);
    const deadlineAtMonotonicMs = ports.host.clock.monotonic() + 1_500;
    const member = start(world, 'member-1', 1, { ports, deadlineAtMonotonicMs });
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await feedWords(world, words.slice(0, 100));

    const outcome = await member.outcome;
    await untilOwned(world, 'member-1', FIRST, 2);
    await feedWords(world, words.slice(100));
    await untilCommitted(world);

    expect(outcome.ended).toBe('drained');
    expect(ports.host.clock.monotonic()).toBeLessThan(deadlineAtMonotonicMs + 2_000);
    expect(invoked).toEqual([expect.objectContaining({ type: 'run-member', memberId: 'member-1', incarnation: 2 })]);
    expect((await world.ports.leases.readMember('member-1'))?.incarnation).toBe(2);
    const runs = world.events.filter(({ event }) => event === 'task-running').map(({ fields }) => fields);
    expect(runs.at(-1)).toMatchObject({ incarnation: 2, from: null, restoredFrom: ['memory'] });
    expect(differences(await readCounts(world.ports.log, OUTPUT, 1), countsOf(words))).toEqual([]);
  });

  it('refuses to work when a partition count differs from the recorded one', async () => {
    const world = await createTaskWorld();
    const member = start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    const ended = expect(member.outcome).rejects.toMatchObject({ code: 'STREAMS_PARTITION_COUNT_CHANGED' });

    await grant(world, { 'member-1': [FIRST] }, { partitions: { [INPUT]: 4 } });

    await ended;
    expect(await ownerOf(world)).toBeNull();
    expect((await world.ports.leases.readMember('member-1'))?.status).toBe('free');
  });
});

describe('a doorbell', () => {
  const ring = (world: TaskWorld, toOffset: number) =>
    runDoorbell({
      app: world.app,
      ports: world.ports,
      partitions: [{ topic: INPUT, partition: 0, toOffset: offset(toOffset) }],
    });

  it('runs a task that nobody has, up to at least its offset, in the lowest slot that is free', async () => {
    const world = await createTaskWorld({ settings: { idleTimeoutMs: 100 } });
    await feedWords(world, ['a', 'b', 'a']);

    const outcome = await ring(world, 3);

    expect(outcome).toMatchObject({ ended: 'idle', memberId: 'member-1', incarnation: 1, recordsProcessed: 3 });
    expect(await ownerOf(world)).toBeNull();
  });

  it('ends though its event tells of offsets that the log does not have, as one of a topic on another cluster does', async () => {
    const world = await createTaskWorld({ settings: { idleTimeoutMs: 100 } });
    await feedWords(world, ['a', 'b', 'a']);

    const outcome = await ring(world, 1_000_000);

    expect(outcome).toMatchObject({ ended: 'idle', memberId: 'member-1', recordsProcessed: 3 });
    expect(await ownerOf(world)).toBeNull();
  });

  it('claims the sleeping slot that is granted the task, though its process still holds the stores of another slot', async () => {
    const world = await createTaskWorld({ partitions: 2, settings: { idleTimeoutMs: 100 } });
    for (const memberId of ['member-1', 'member-2'] as const) await world.ports.leases.createMember(memberId);
    await grant(world, { 'member-1': [SECOND], 'member-2': [FIRST] });
    const kept = new KeptStores();
    await start(world, 'member-1', 1, { kept }).outcome;
    await feedWords(world, ['a', 'b', 'c', 'd']);
    expect(kept.positions().map(({ taskId: id }) => id)).toEqual([SECOND]);

    const outcome = await runDoorbell({
      app: world.app,
      ports: world.ports,
      kept,
      partitions: [{ topic: INPUT, partition: 0, toOffset: null }],
    });

    expect(outcome).toMatchObject({ ended: 'idle', memberId: 'member-2', incarnation: 1 });
    expect((await world.ports.leases.readLease(FIRST))?.epoch).toBe(1);
  });

  it('leaves a task alone that is granted to a live member, though nobody holds it yet', async () => {
    const world = await createTaskWorld();
    await world.ports.leases.createMember('member-1');
    const report = { running: [], positions: [], recordsProcessed: 0 };
    await world.ports.leases.claimMember({ memberId: 'member-1', incarnation: 1, report, tags: {} });
    await grant(world, { 'member-1': [FIRST] });

    expect(await ring(world, 3)).toBeNull();
  });

  it('leaves a task alone that is held', async () => {
    const world = await createTaskWorld();
    start(world, 'member-1');
    await untilLogged(world, 'member-claimed');
    await grant(world, { 'member-1': [FIRST] });
    await untilOwned(world, 'member-1');

    expect(await ring(world, 3)).toBeNull();
    expect(await world.ports.leases.listMembers()).toHaveLength(1);
  });
});
