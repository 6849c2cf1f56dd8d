import { beforeEach, describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Member } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { Heartbeat } from '../../../lib/runtime/heartbeat.js';
import { momentOf } from '../../../lib/runtime/moment.js';
import { createTaskWorld, type TaskWorld } from '../../support/task-world.js';
import { createTestHost, settle, type TestHost } from '../../support/test-host.js';

const SELF = { memberId: 'member-1', incarnation: 1 } as const;
const REPORT = { running: [], positions: [], recordsProcessed: 0 };
const INTERVAL_MS = 100;
const SESSION_MS = 1_000;

let world: TaskWorld;
let host: TestHost;
let leases: LeaseStore;
let renewals: Member[];
let losses: (Member | null)[];

beforeEach(async () => {
  world = await createTaskWorld({ settings: { heartbeatIntervalMs: INTERVAL_MS, sessionTimeoutMs: SESSION_MS } });
  host = createTestHost();
  leases = createMemoryLeaseStore();
  renewals = [];
  losses = [];
  await leases.createMember('member-1');
  await leases.claimMember({ ...SELF, report: REPORT, tags: {} });
});

function start(
  heartbeat: LeaseStore['heartbeat'] = (beat) => leases.heartbeat(beat),
  clock = host.clock,
  claimSentAt = momentOf(clock),
) {
  const beating = new Heartbeat({
    app: world.app,
    ports: { ...world.ports, leases: { ...leases, heartbeat }, host: { ...host, clock } },
    self: SELF,
    claimSentAt,
    report: () => REPORT,
    events: { renewed: (member) => renewals.push(member), lost: (seen) => losses.push(seen) },
    logger: host.logger,
  });
  return { beating, done: beating.run() };
}

describe('a heartbeat', () => {
  it('renews once an interval, and tells the plan number that comes back', async () => {
    const { beating, done } = start();
    await leases.announcePlan('member-1', 7);

    for (let beat = 0; beat < 3; beat += 1) await host.advance(INTERVAL_MS);
    beating.end();
    await done;

    expect(renewals.map(({ heartbeatVersion, planNumber }) => [heartbeatVersion, planNumber])).toEqual([
      [1, 7],
      [2, 7],
      [3, 7],
    ]);
  });

  it('counts from when the claim was sent: an answer that came late has it renew at once, or give the slot up', async () => {
    const sentAt = momentOf(host.clock);
    await host.advance(INTERVAL_MS);
    const { beating, done } = start(undefined, host.clock, sentAt);
    await host.advance(1);
    beating.end();
    await done;
    await host.advance(SESSION_MS);
    await start(undefined, host.clock, sentAt).done;

    expect([renewals.length, losses]).toEqual([1, [null]]);
  });

  it('outlives failed renewals that are shorter than the session time-out', async () => {
    let failures = 0;
    const { beating, done } = start(async (beat) => {
      failures += 1;
      if (failures % 4 !== 0) throw new UnavailableError('throttled');
      return leases.heartbeat(beat);
    });

    for (let beat = 0; beat < 40; beat += 1) await host.advance(INTERVAL_MS);
    beating.end();
    await done;

    expect([renewals.length, losses]).toEqual([10, []]);
  });

  it('gives the slot up when a renewal hangs for the session time-out', async () => {
    const { done } = start(() => new Promise(() => undefined));

    await host.advance(SESSION_MS - 1);
    expect(losses).toEqual([]);
    await host.advance(1);

    expect(losses).toEqual([null]);
    void done; // the renewal that hangs keeps it from ending, as it would in a process
  });

  it('believes the wall clock where the monotonic one stood still, as in a frozen process', async () => {
    const clock = { ...host.clock, monotonic: () => 0 };
    const { done } = start(() => Promise.reject(new UnavailableError('away')), clock);

    await host.advance(SESSION_MS);
    await done;

    expect(losses).toEqual([null]);
  });

  it('gives the slot up at once to whoever has it now', async () => {
    const { beating, done } = start();
    await leases.drainMember(SELF);
    await leases.claimMember({ memberId: 'member-1', incarnation: 2, report: REPORT, tags: {} });

    await host.advance(INTERVAL_MS);
    await settle();
    beating.end();
    await done;

    expect(losses).toEqual([expect.objectContaining({ incarnation: 2 })]);
  });

  it('says at the session time-out that the slot is lost also to who hands over to its successor', async () => {
    const { done } = start();
    await leases.drainMember(SELF);
    await leases.claimMember({ memberId: 'member-1', incarnation: 2, report: REPORT, tags: {} });

    for (let passed = 0; passed <= SESSION_MS; passed += INTERVAL_MS) await host.advance(INTERVAL_MS);
    await settle();
    await done;

    expect(losses).toEqual([expect.objectContaining({ incarnation: 2 }), null]);
    expect(renewals).toEqual([]);
  });
});
