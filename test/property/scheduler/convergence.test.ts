import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

/** Rounds within which everything is at rest after the last event: some session time-outs, with pauses between requests. */
const SETTLE_BOUND = 150;
const TASKS = 8;
const MAX_MEMBERS = 5;

/** What can happen; `who` picks among those who live. */
type Event =
  | { readonly type: 'tick' | 'freshTick' | 'overlap' | 'deliver' | 'lose' | 'act' | 'pass' }
  | { readonly type: 'crash' | 'reportedCrash' | 'end' | 'freeze' | 'thaw'; readonly who: number }
  | { readonly type: 'want'; readonly members: number }
  | { readonly type: 'killedTick'; readonly dieAfter: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom<Event>({ type: 'tick' }, { type: 'act' }, { type: 'deliver' }, { type: 'pass' }),
  },
  { weight: 2, arbitrary: fc.constantFrom<Event>({ type: 'freshTick' }, { type: 'overlap' }, { type: 'lose' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('crash', 'reportedCrash', 'end', 'freeze', 'thaw'),
      who: fc.nat({ max: 9 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: MAX_MEMBERS }).map((members) => ({ type: 'want', members }) as const),
  },
  { weight: 2, arbitrary: fc.nat({ max: 9 }).map((dieAfter) => ({ type: 'killedTick', dieAfter }) as const) },
);

async function happen(world: ControlPlaneWorld, one: Event): Promise<void> {
  switch (one.type) {
    case 'tick':
      await world.tick();
      return;
    case 'freshTick':
      await world.tick({ watch: createHeartbeatWatch() });
      return;
    case 'overlap':
      await Promise.all([world.tick(), world.tick({ watch: createHeartbeatWatch() })]);
      return;
    case 'killedTick':
      await world.tick({ dieAfter: one.dieAfter });
      return;
    case 'deliver':
      await world.deliver();
      return;
    case 'lose':
      world.invocations.shift();
      return;
    case 'act':
      await world.membersAct();
      return;
    case 'pass':
      await world.host.advance(250);
      return;
    case 'want':
      world.wanted = one.members;
      return;
    default:
      await befall(world, one);
  }
}

async function befall(world: ControlPlaneWorld, one: Extract<Event, { readonly who: number }>): Promise<void> {
  const member = world.living[one.who % Math.max(1, world.living.length)];
  if (member === undefined) return;
  switch (one.type) {
    case 'crash':
      member.crash();
      return;
    case 'reportedCrash':
      member.crash();
      await world.tick({ failed: [member.self] });
      return;
    case 'end':
      if (!member.isFrozen) await member.end();
      return;
    case 'freeze':
      member.isFrozen = true;
      return;
    case 'thaw':
      member.isFrozen = false;
      return;
  }
}

/** The one state that must be reached: every wanted slot runs, holds its even share, and holds it in its own name. */
async function expectAtRest(world: ControlPlaneWorld): Promise<void> {
  const leases = await world.leases.listLeases();
  const running = new Map(world.living.map(({ self }) => [self.memberId, self.incarnation]));

  expect(leases).toHaveLength(TASKS);
  for (const { owner } of leases) expect(running.get(owner?.memberId ?? 'member-0')).toBe(owner?.incarnation);
  const loads = Object.values(await world.loads());
  const idle = Math.max(0, world.wanted - loads.length);
  expect(Math.max(...loads) - (idle > 0 ? 0 : Math.min(...loads))).toBeLessThanOrEqual(1);
  expect((await world.slots()).map(({ status }) => status)).toEqual(Array(world.wanted).fill('claimed'));
  const plan = await world.leases.readPlan();
  for (const [task, owner] of Object.entries(await world.owners()))
    expect((plan?.assignment[owner as 'member-1']?.active as readonly string[] | undefined)?.includes(task)).toBe(true);
}

describe('scheduler and members', () => {
  it('come to one owner per task and fall quiet, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: MAX_MEMBERS }),
        fc.array(event, { minLength: 5, maxLength: 60 }),
        async (members, events) => {
          const world = await ControlPlaneWorld.create({ members });

          for (const one of events) await happen(world, one);
          for (const process of world.living) process.isFrozen = false;
          await world.settle(SETTLE_BOUND);

          await expectAtRest(world);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('come to rest after a scheduler died between any two of its writes', async () => {
    const events = fc.array(event, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(events, fc.integer({ min: 1, max: MAX_MEMBERS }), async (before, members) => {
        for (let dieAfter = 0; ; dieAfter += 1) {
          const world = await ControlPlaneWorld.create({ members: 2 });
          for (const one of before) await happen(world, one);
          world.wanted = members;
          await world.host.advance(1_000);
          const outcome = await world.tick({ dieAfter });
          for (const process of world.living) process.isFrozen = false;

          await world.settle(SETTLE_BOUND);

          await expectAtRest(world);
          if (outcome !== null) break; // it had no more writes to die before
        }
      }),
      { numRuns: 10 },
    );
  });

  it('write a number of plans that is bounded by what happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        const world = await ControlPlaneWorld.create({ members: 3 });

        for (const one of events) await happen(world, one);
        for (const process of world.living) process.isFrozen = false;
        await world.settle(SETTLE_BOUND);

        const plans = (await world.leases.readPlan())?.number ?? 0;
        const triggers = events.filter(({ type }) => !['act', 'deliver', 'thaw'].includes(type)).length;
        expect(plans).toBeLessThanOrEqual(3 + 2 * triggers + MAX_MEMBERS);
      }),
      { numRuns: 30 },
    );
  });
});
