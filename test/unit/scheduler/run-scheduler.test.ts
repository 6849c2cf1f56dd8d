import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../lib/model/errors.js';
import { createHeartbeatWatch } from '../../../lib/scheduler/heartbeat-watch.js';
import type { SchedulerPorts } from '../../../lib/scheduler/ports.js';
import { HOLDS_BACK_MS } from '../../../lib/scheduler/precedence.js';
import { MAX_FAILED_TICKS, runScheduler, type SchedulerInput } from '../../../lib/scheduler/run-scheduler.js';
import type { TickOutcome } from '../../../lib/scheduler/run-tick.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';
import { settle } from '../../support/test-host.js';

const portsOf = (world: ControlPlaneWorld): SchedulerPorts => ({
  log: world.log,
  leases: world.leases,
  invoker: { invoke: async (_, payload) => void world.invocations.push(payload) },
  host: world.host,
});

const start = (world: ControlPlaneWorld, more: Partial<SchedulerInput> = {}) => {
  const stop = new AbortController();
  const outcomes: TickOutcome[] = [];
  const end = runScheduler({
    app: world.app,
    ports: portsOf(world),
    watch: createHeartbeatWatch(),
    signal: stop.signal,
    onTick: (outcome) => outcomes.push(outcome),
    ...more,
  });
  end.catch(() => undefined); // the tests await it themselves, later
  return { stop, outcomes, end };
};

/** Moves the clock in steps of a tick, with the members acting in between. */
const pass = async (world: ControlPlaneWorld, ticks: number) => {
  for (let tick = 0; tick < ticks; tick += 1) {
    await settle();
    await world.deliverAll();
    await world.membersAct();
    await world.host.advance(200);
  }
};

describe('the loop of ticks', () => {
  it('ticks at the interval until the signal fires', async () => {
    const world = await ControlPlaneWorld.create({ members: 2 });
    const { stop, outcomes, end } = start(world);

    await pass(world, 10);
    stop.abort();

    expect(await end).toEqual({ because: 'signal', ticks: outcomes.length });
    expect(outcomes.length).toBeGreaterThanOrEqual(9);
    expect(outcomes.length).toBeLessThanOrEqual(11);
    expect(await world.loads()).toEqual({ 'member-1': 4, 'member-2': 4 });
  });

  it('begins no tick at or after its deadline', async () => {
    const world = await ControlPlaneWorld.create();
    const { outcomes, end } = start(world, { deadlineAtMonotonicMs: 500 });

    await pass(world, 10);

    expect((await end).because).toBe('deadline');
    expect(outcomes.length).toBeLessThanOrEqual(3);
  });

  it('ends when no member runs and none can be invoked, unless it is to go on', async () => {
    const world = await ControlPlaneWorld.create();
    const ports = {
      ...portsOf(world),
      invoker: { invoke: () => Promise.reject(new UnavailableError('throttled')) },
    };
    const endless = start(world, { ports, whileMembers: false });
    const { end } = start(world, { ports });

    await pass(world, 5);

    expect((await end).because).toBe('no members');
    endless.stop.abort();
    expect((await endless.end).because).toBe('signal');
    expect(world.host.lines.filter(({ event }) => event === 'invocation-refused').length).toBeGreaterThan(1);
  });

  it('follows a number of members that changes while it runs', async () => {
    const world = await ControlPlaneWorld.create();
    let members = 1;
    const { stop, end } = start(world, { overrides: () => ({ members }) });
    await pass(world, 5);

    members = 4;
    await pass(world, 10);
    stop.abort();

    await end;
    expect(await world.loads()).toEqual({ 'member-1': 2, 'member-2': 2, 'member-3': 2, 'member-4': 2 });
  });

  it('leaves plans to one that has begun later with other settings, and does all else (trap 47)', async () => {
    const world = await ControlPlaneWorld.create();
    const before = start(world, { overrides: () => ({ members: 1 }) });
    await pass(world, 5);

    const after = start(world, { overrides: () => ({ members: 4 }) });
    await pass(world, 20);
    after.stop.abort();
    await pass(world, 10);
    const slot = world.member(2).self;
    world.member(2).isRunning = false;
    await pass(world, 10);

    expect(await world.loads()).toEqual({ 'member-1': 2, 'member-2': 2, 'member-3': 2, 'member-4': 2 });
    expect((await world.leases.readPlan())?.number).toBeLessThanOrEqual(3);
    expect(world.member(2).self).toEqual({ ...slot, incarnation: slot.incarnation + 1 });
    expect(world.host.lines.filter(({ event }) => event === 'scheduler-holds-back')).toHaveLength(1);
    before.stop.abort();
    await Promise.all([before.end, after.end]);
  });

  it('plans again by its own settings when the plan of another has stood for a minute', async () => {
    const world = await ControlPlaneWorld.create();
    const before = start(world, { overrides: () => ({ members: 1 }) });
    await pass(world, 5);
    const after = start(world, { overrides: () => ({ members: 4 }) });
    await pass(world, 20);
    after.stop.abort();

    await pass(world, HOLDS_BACK_MS / 200 + 10);

    expect(await world.loads()).toEqual({ 'member-1': 8 });
    before.stop.abort();
    await Promise.all([before.end, after.end]);
  });

  it('logs a tick that failed for a passing reason, three times in a row, and goes on (trap 41)', async () => {
    const world = await ControlPlaneWorld.create();
    let failures = 3;
    const leases: SchedulerPorts['leases'] = {
      ...world.leases,
      listMembers: async () => {
        failures -= 1;
        if (failures >= 0) throw new UnavailableError('the table is throttled');
        return world.leases.listMembers();
      },
    };
    const { stop, end } = start(world, { ports: { ...portsOf(world), leases } });

    await pass(world, 10);
    stop.abort();

    await end;
    expect(world.host.lines.filter(({ event }) => event === 'tick-failed').map(({ fields }) => fields.code)).toEqual(
      Array(3).fill('STREAMS_UNAVAILABLE'),
    );
    expect(await world.loads()).toEqual({ 'member-1': 8 });
  });

  it('gives up after too many failures in a row', async () => {
    const world = await ControlPlaneWorld.create();
    const leases = { ...world.leases, readPlan: () => Promise.reject(new UnavailableError('gone')) };
    const { end } = start(world, { ports: { ...portsOf(world), leases } });

    await pass(world, MAX_FAILED_TICKS + 5);

    await expect(end).rejects.toMatchObject({ code: 'STREAMS_UNAVAILABLE' });
    expect(world.host.lines.filter(({ event }) => event === 'tick-failed')).toHaveLength(MAX_FAILED_TICKS);
  });

  it('ends with the error of a tick that cannot succeed, and leaves nothing behind that keeps another from working (trap 41)', async () => {
    const world = await ControlPlaneWorld.create();
    await world.log.deleteTopic('lines');

    await expect(start(world).end).rejects.toMatchObject({ code: 'STREAMS_MISSING_SOURCE_TOPIC' });

    await world.log.createTopic({ name: 'lines', partitions: 2, config: {} });
    await world.settle(30);
    expect(await world.loads()).toEqual({ 'member-1': 4 });
  });
});
