import { beforeEach, describe, expect, it } from 'vitest';
import type { Payload } from '../../../lib/invoke/payloads.js';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Incarnation, MemberReport } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { handOver } from '../../../lib/runtime/hand-over.js';
import { warmUpPatienceMs } from '../../../lib/runtime/predecessor.js';
import { countingApp } from '../../support/control-plane-world.js';
import { createTestHost, type TestHost } from '../../support/test-host.js';

const app = countingApp();
const SELF: Incarnation = { memberId: 'member-1', incarnation: 1 };
const NEXT: Incarnation = { memberId: 'member-1', incarnation: 2 };
const REPORT: MemberReport = { running: [], positions: [], recordsProcessed: 0 };
const POLL_MS = 50;
const patienceMs = warmUpPatienceMs(app.settings);
/** How long a successor is waited for that has not claimed the slot. */
const WAIT_MS = 5_000;

let host: TestHost;
let leases: LeaseStore;
let invoked: Payload[];

beforeEach(async () => {
  host = createTestHost();
  leases = createMemoryLeaseStore();
  invoked = [];
  await leases.createMember('member-1');
  await leases.claimMember({ ...SELF, report: REPORT, tags: {} });
});

/** Begins to hand over; `waits` says whether it is at it still. */
function begin(of: { readonly leases?: Partial<LeaseStore>; readonly isOver?: () => boolean } = {}) {
  let waits = true;
  const done = handOver({
    app,
    ports: {
      host,
      leases: { ...leases, ...of.leases },
      invoker: { invoke: async (_, payload) => void invoked.push(payload) },
    },
    self: SELF,
    logger: host.logger,
    untilMs: host.clock.monotonic() + WAIT_MS,
    isOver: of.isOver ?? (() => false),
    pollMs: POLL_MS,
  }).finally(() => {
    waits = false;
  });
  return { done, waits: () => waits };
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += POLL_MS) await host.advance(POLL_MS);
}

const claim = () => leases.claimMember({ ...NEXT, report: REPORT, tags: {} });

describe('who hands over to the next incarnation of its slot', () => {
  it('invokes it and works on until that says that it is ready for a plan', async () => {
    const { done, waits } = begin();
    await pass(POLL_MS);
    await claim();
    await pass(2 * POLL_MS);
    const claimed = waits();

    await leases.heartbeat({ ...NEXT, report: { ...REPORT, planRead: 3 } });
    await pass(2 * POLL_MS);

    await done;
    expect(claimed).toBe(true);
    expect(invoked).toEqual([expect.objectContaining({ type: 'run-member', ...NEXT })]);
  });

  it('works on for no longer than a third of the session time-out once that has the slot', async () => {
    const { done, waits } = begin();
    await pass(POLL_MS);
    await claim();

    await pass(patienceMs - 2 * POLL_MS);
    const before = waits();
    await pass(4 * POLL_MS);

    await done;
    expect(before).toBe(true);
  });

  it('is not sent away by a table that does not answer for a moment', async () => {
    let isAway = true;
    const { done, waits } = begin({
      leases: {
        readMember: (id) => (isAway ? Promise.reject(new UnavailableError('throttled')) : leases.readMember(id)),
      },
    });
    await pass(4 * POLL_MS);
    const during = waits();

    isAway = false;
    await claim();
    await leases.heartbeat({ ...NEXT, report: { ...REPORT, planRead: 3 } });
    await pass(2 * POLL_MS);

    await done;
    expect(during).toBe(true);
  });

  it('waits for nobody when it is over with it', async () => {
    let isOver = false;
    const { done } = begin({ isOver: () => isOver });
    await pass(2 * POLL_MS);

    isOver = true;
    await pass(2 * POLL_MS);

    await done;
    expect(host.clock.monotonic()).toBeLessThan(WAIT_MS);
  });

  it('gives up a successor that does not come', async () => {
    const { done, waits } = begin();

    await pass(WAIT_MS - 2 * POLL_MS);
    const before = waits();
    await pass(4 * POLL_MS);

    await done;
    expect(before).toBe(true);
  });
});
