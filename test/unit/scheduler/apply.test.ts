import { describe, expect, it } from 'vitest';
import { findAssignor } from '../../../lib/assignment/assignors.js';
import type { AssignmentInput, TaskAssignor } from '../../../lib/assignment/task-assignor.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import type { Action, DeclareDead, InvokeMember } from '../../../lib/scheduler/actions.js';
import { apply } from '../../../lib/scheduler/apply.js';
import { decide } from '../../../lib/scheduler/decide.js';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import { observe } from '../../../lib/scheduler/observe.js';
import { observeChangelogs } from '../../../lib/scheduler/observe-changelogs.js';
import type { SchedulerPorts } from '../../../lib/scheduler/ports.js';
import type { ApplicationState } from '../../../lib/scheduler/state.js';
import { resolveTopics } from '../../../lib/scheduler/topics.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

const report = { running: [], positions: [], recordsProcessed: 0 };

const setUp = async (partitions = 4, settings: SettingsInput = {}) => {
  const world = await ControlPlaneWorld.create({ members: 2, ...settings }, partitions);
  await world.settle(60);
  const watch = createHeartbeatWatch();
  const invoked: unknown[] = [];
  const ports: SchedulerPorts = {
    log: world.log,
    leases: world.leases,
    invoker: { invoke: async (_, payload) => void invoked.push(payload) },
    host: world.host,
  };
  const look = async (more: Partial<Parameters<typeof observe>[0]> = {}): Promise<ApplicationState> => {
    const seen = await observe({
      app: world.app,
      ports,
      watch,
      assignor: findAssignor('steady'),
      wanted: 2,
      tickReason: 'test',
      failed: [],
      resume: false,
      precedence: null,
      ...more,
    });
    const { resolved } = resolveTopics(seen);
    return { ...seen, changelogs: await observeChangelogs({ ...ports, ...seen, tasks: resolved.tasks }) };
  };
  return { world, watch, ports, invoked, look };
};

const death = (world: ControlPlaneWorld, because: DeclareDead['because'], heartbeatVersion: number): DeclareDead => ({
  type: 'DeclareDead',
  ...world.member(1).self,
  heartbeatVersion,
  because,
});

const invocation = (number: number): InvokeMember => ({
  type: 'InvokeMember',
  memberId: `member-${number}`,
  incarnation: 2,
  quickEnds: 0,
  expiresAtMs: 0,
});

describe('a decision', () => {
  it('is the same for the same state, which it leaves as it is', async () => {
    const { world, look } = await setUp();
    const state = await look({ wanted: 3, failed: [world.member(1).self] });
    const before = JSON.stringify(state);

    const first = decide(state);

    expect(decide(state)).toEqual(first);
    expect(JSON.stringify(state)).toBe(before);
    expect(first.actions.map(({ type }) => type)).toEqual([
      'DeclareDead',
      'WritePlan',
      'AnnouncePlan',
      'AnnouncePlan',
      'InvokeMember',
      'CreateSlot',
      'AnnouncePlan',
      'InvokeMember',
    ]);
  });

  it('gives an orphaned task to the member that reports a caught-up copy of its stores', async () => {
    const { world, look } = await setUp(3);
    world.wanted = 3;
    await world.settle(60);
    const state = await look({ wanted: 3 });
    const orphan = state.plan?.assignment['member-3']?.active.find((task) => task.startsWith('1_'));
    expect(orphan).toBeDefined();
    const withCopy = (holder: string): ApplicationState => ({
      ...state,
      members: state.members.map((member) => ({
        ...member,
        stillMs: member.memberId === 'member-3' ? 1_000 : 0,
        report:
          member.memberId === holder && orphan !== undefined
            ? {
                ...report,
                positions: [{ taskId: orphan, store: 'counts', nextOffset: 5 as never, endOffset: 9 as never }],
              }
            : member.report,
      })),
    });

    for (const holder of ['member-1', 'member-2'] as const) {
      const write = decide(withCopy(holder)).actions.find((action) => action.type === 'WritePlan');

      expect(write?.plan.assignment[holder]?.active).toContain(orphan);
    }
  });
});

describe('an assignor', () => {
  it('sees the settings that concern placement, and the zone that each member states', async () => {
    const placing = {
      rackAwareAssignmentTags: ['zone'],
      rackAwareAssignmentStrategy: 'min_traffic',
      rackAwareAssignmentTrafficCost: 7,
      rackAwareAssignmentNonOverlapCost: 3,
    } as const;
    const { look } = await setUp(4, placing);
    const seen: AssignmentInput[] = [];
    const assignor: TaskAssignor = {
      name: 'listening',
      assign: (input) => {
        seen.push(input);
        return findAssignor('steady').assign(input);
      },
    };
    const state = await look({ assignor });

    decide({
      ...state,
      members: state.members.map((member) =>
        member.memberId === 'member-1' ? { ...member, tags: { zone: 'a' } } : member,
      ),
    });

    expect(seen[0]?.settings).toMatchObject(placing);
    expect(seen[0]?.members.map(({ id, zone }) => [id, zone])).toEqual([
      ['member-1', 'a'],
      ['member-2', undefined],
    ]);
  });

  it('of the name highAvailability gives the scheduler a plan that it can carry out: balance at once, no copies on members', async () => {
    const { look } = await setUp(4, { numStandbyReplicas: 1 });

    const { actions } = decide(await look({ assignor: findAssignor('highAvailability'), wanted: 2 }));

    const plan = actions.find((action) => action.type === 'WritePlan')?.plan;
    const placed = Object.values(plan?.assignment ?? {});
    const tasks = placed.reduce((sum, { active }) => sum + active.length, 0);
    expect(placed.map(({ active }) => active.length)).toEqual([tasks / 2, tasks / 2]);
    expect(placed.flatMap(({ standby, warmup }) => [...standby, ...warmup])).toEqual([]);
  });
});

describe('applying actions', () => {
  it('spares a member whose heartbeat went on after it was watched, and leaves the rest to the next tick', async () => {
    const { world, watch, ports, invoked, look } = await setUp();
    const version = (await world.leases.readMember('member-1'))?.heartbeatVersion ?? 0;
    await world.membersAct();
    const actions: Action[] = [death(world, 'session timeout', version), invocation(1)];

    const { done, lostTo } = await apply(await look(), actions, ports, watch);

    expect(done).toEqual([]);
    expect(lostTo).toBe(actions[0]);
    expect(invoked).toEqual([]);
    expect((await world.leases.readMember('member-1'))?.status).toBe('claimed');
  });

  it('declares a reported death upon the last sign of life, though the version read was older', async () => {
    const { world, watch, ports, look } = await setUp();
    const version = (await world.leases.readMember('member-1'))?.heartbeatVersion ?? 0;
    await world.membersAct();

    const { done } = await apply(await look(), [death(world, 'failure event', version)], ports, watch);

    expect(done).toHaveLength(1);
    expect((await world.leases.readMember('member-1'))?.status).toBe('dead');
    expect(world.host.lines.at(-1)).toMatchObject({
      event: 'member-declared-dead',
      fields: { memberId: 'member-1', incarnation: 1, because: 'failure event' },
    });
  });

  it('goes on when another scheduler has declared the same death', async () => {
    const { world, watch, ports, invoked, look } = await setUp();
    const { heartbeatVersion = 0 } = (await world.leases.readMember('member-1')) ?? {};
    await world.leases.declareDead({ ...world.member(1).self, heartbeatVersion });

    const { lostTo } = await apply(
      await look(),
      [death(world, 'session timeout', heartbeatVersion), invocation(1)],
      ports,
      watch,
    );

    expect(lostTo).toBeNull();
    expect(invoked).toHaveLength(1);
  });

  it('tells those whom it invokes together of each other, and whom it invokes alone of nobody', async () => {
    const { watch, ports, invoked, look } = await setUp();

    await apply(await look(), [invocation(1), invocation(2)], ports, watch);
    await apply(await look(), [invocation(1)], ports, watch);

    const slots = [1, 2].map((slot) => ({ memberId: `member-${slot}`, incarnation: 2 }));
    expect(invoked).toMatchObject([
      { memberId: 'member-1', others: [slots[1]] },
      { memberId: 'member-2', others: [slots[0]] },
      { memberId: 'member-1' },
    ]);
    expect(invoked.at(-1)).not.toHaveProperty('others');
  });

  it('invokes the others when one invocation is refused, and counts only what was accepted as asked for', async () => {
    const { watch, ports, look } = await setUp();
    const invoker: SchedulerPorts['invoker'] = {
      invoke: async (_, payload) => {
        if (payload.type === 'run-member' && payload.memberId === 'member-1') throw new UnavailableError('throttled');
      },
    };

    const { done } = await apply(await look(), [invocation(1), invocation(2)], { ...ports, invoker }, watch);

    expect(done).toEqual([invocation(2)]);
    expect(watch.invocation('member-1')).toBeUndefined();
    expect(watch.invocation('member-2')).toMatchObject({ incarnation: 2, attempts: 1 });
  });

  it('checks a topic that somebody else made meanwhile', async () => {
    const { world, watch, ports, look } = await setUp();
    await world.log.createTopic({ name: 'app-late', partitions: 2, config: {} });
    const spec = { name: 'app-late', partitions: 2, config: { 'cleanup.policy': 'compact' } };

    await expect(apply(await look(), [{ type: 'CreateInternalTopic', spec }], ports, watch)).rejects.toMatchObject({
      code: 'STREAMS_INTERNAL_TOPIC_MISMATCH',
    });
  });
});

describe('a heartbeat watch', () => {
  it('measures from its own first sight, and forgets what is gone', () => {
    const watch = createHeartbeatWatch();

    watch.ages(['a 1', 'b 1'], 1_000);
    expect(watch.ages(['a 1', 'b 2'], 1_500)).toEqual(
      new Map([
        ['a 1', 500],
        ['b 2', 0],
      ]),
    );
    watch.ages([], 1_600);

    expect(watch.ages(['a 1'], 1_700)).toEqual(new Map([['a 1', 0]]));
  });
});
