/**
 * Members that compete for a lease through an endpoint that loses, delays, cuts and throttles: whatever it does, no condition is
 * answered wrongly. The members take only what is free, so that nobody supersedes anybody and every write must be answered as
 * what it did.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Random } from '../../../lib/host/host.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createDynamoDbLeaseStore, LEASE_MARKS } from '../../../lib/leases/dynamodb/dynamodb-lease-store.js';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import { isSameIncarnation } from '../../../lib/leases/lease-transitions.js';
import type { Incarnation, Lease, Plan } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import { clientConfig } from '../../support/aws/clients.js';
import { type Fault, type FaultyEndpoint, startFaultyEndpoint } from '../../support/aws/faulty-endpoint.js';
import { createLeaseTables, type LeaseTables } from '../../support/aws/lease-tables.js';
import { newName } from '../../support/kafka/log-kit.js';
import { createTestHost } from '../../support/test-host.js';

const T = taskId(0, 0);
const seeds = [1, 2, 3];
const takesWanted = 25;
const maxRounds = 500;
const beats = 15;
const report = { running: [], positions: [], recordsProcessed: 0 };

const throttling: Fault = {
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException', message: 'slow down' }),
};
const losses: readonly Fault[] = ['lose-reply', 'lose-reply', 'lose-request', 'cut-body', { status: 500 }, throttling];
const late: Fault = { lateMs: 40 };
/** Of all requests, how many meet a fault. */
const faultRate = 0.35;

const target = inject('awsTarget');
let tables: LeaseTables;
let faulty: FaultyEndpoint;
beforeAll(async () => {
  tables = await createLeaseTables(target);
  faulty = await startFaultyEndpoint(target);
});
afterAll(() => faulty.close());

function openStores() {
  const given = { tables, applicationId: newName('application'), host: createNodeHost() };
  const { endpoint } = faulty;
  return {
    open: () => createDynamoDbLeaseStore({ ...given, clientConfig: clientConfig(target, endpoint) }),
    direct: createDynamoDbLeaseStore({ ...given, client: new DynamoDBClient(clientConfig(target)) }),
  };
}

/** Injects faults by chance and counts them. */
function disturb(random: Random, faults: readonly Fault[]): { readonly count: number } {
  const injected = { count: 0 };
  faulty.otherwise = () => {
    if (random.next() >= faultRate) return undefined;
    injected.count += 1;
    return faults[Math.floor(random.next() * faults.length)];
  };
  return injected;
}

/** Tries until the store answers: what gave up with an unknown outcome is settled by the reader of `settle`. */
async function answered<T>(send: () => Promise<T>, settle: () => Promise<T | undefined>): Promise<T> {
  for (let round = 0; round < maxRounds; round += 1) {
    try {
      const settled = round === 0 ? undefined : await settle();
      return settled ?? (await send());
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }
  throw new Error('it never recovered');
}

interface Deed {
  readonly type: 'take' | 'release';
  readonly epoch: number;
  readonly by: string;
}

/** Takes what is free and releases it, until there were takes enough. */
async function compete(store: LeaseStore, self: Incarnation, deeds: Deed[]): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    if (deeds.filter(({ type }) => type === 'take').length >= takesWanted) return;
    const seen = await answered(
      () => store.readLease(T),
      async () => undefined,
    );
    if (seen !== null && seen.owner !== null) continue;
    const owns = (lease: Lease | null) => lease !== null && isSameIncarnation(lease.owner, self);
    const take = await answered(
      () => store.takeLease({ taskId: T, owner: self, expected: seen }),
      async () => {
        const now = await store.readLease(T);
        return now !== null && owns(now) ? { applied: true, item: now } : undefined;
      },
    );
    if (!take.applied) continue;
    const { epoch } = take.item;
    deeds.push({ type: 'take', epoch, by: self.memberId });
    const release = await answered(
      () => store.releaseLease({ taskId: T, owner: self, epoch, offsets: null }),
      async () => {
        const now = await store.readLease(T);
        return now !== null && !owns(now) ? { applied: true, item: now } : undefined;
      },
    );
    // It may be told otherwise only after as many later ones as the item keeps marks of.
    const isLongPast = (release.item?.epoch ?? 0) >= epoch + LEASE_MARKS;
    if (release.applied || isLongPast) deeds.push({ type: 'release', epoch, by: self.memberId });
  }
  throw new Error('too few takes');
}

describe.each(seeds)('through a faulty endpoint (seed %i)', (seed) => {
  const random = createTestHost({ seed }).random;

  it('each epoch of a lease is taken by one member, who is told so, and released by the same', async () => {
    const { open, direct } = openStores();
    const injected = disturb(random, [...losses, late]);
    const deeds: Deed[] = [];

    const members = [1, 2, 3].map((slot) => ({ memberId: `member-${slot}` as const, incarnation: 1 }));
    await Promise.all(members.map((self) => compete(open(), self, deeds)));

    const lease = await direct.readLease(T);
    const taken = deeds.filter(({ type }) => type === 'take');
    const released = deeds.filter(({ type }) => type === 'release');
    expect(taken.map(({ epoch }) => epoch)).toEqual(taken.map((_, index) => index + 1));
    expect(released.map(({ epoch, by }) => `${epoch} ${by}`).sort()).toEqual(
      taken.map(({ epoch, by }) => `${epoch} ${by}`).sort(),
    );
    expect([lease?.epoch, lease?.owner]).toEqual([taken.length, null]);
    expect(injected.count).toBeGreaterThan(takesWanted / 2);
  });

  it('of schedulers that write the same plans each number is written once, and its writer is told so', async () => {
    const { open, direct } = openStores();
    disturb(random, [...losses, late]);
    const plan = (number: number, reason: string): Plan => {
      return { number, createdAtMs: 0, reason, assignor: 'steady', assignment: {}, dead: [], partitions: {} };
    };
    const schedulers = ['a', 'b'].map((name) => ({ name, store: open() }));
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];

    for (const number of numbers) {
      const writes = schedulers.map(({ name, store }) => {
        const own = plan(number, name);
        const settle = async () => {
          const now = await store.readPlan();
          return now?.number === number ? { applied: now.reason === name, item: now } : undefined;
        };
        return answered(async () => ({ ...(await store.writePlan(own)) }), settle);
      });
      const answers = await Promise.all(writes);

      const newest = await direct.readPlan();
      expect(answers.map(({ applied }) => applied)).toEqual(schedulers.map(({ name }) => name === newest?.reason));
      expect(answers.map(({ item }) => item)).toEqual([newest, newest]);
      expect(newest?.number).toBe(number);
    }
  });

  it('a heartbeat counts once, however often it is sent', async () => {
    const { open, direct } = openStores();
    const store = open();
    const self = { memberId: 'member-1', incarnation: 1 } as const;
    await direct.createMember(self.memberId);
    await direct.claimMember({ ...self, report, tags: {} });
    // None arrives late here: without a pause between them it would come after more beats than the item keeps marks of.
    disturb(random, losses);

    const versions: (number | undefined)[] = [];
    for (let beat = 1; beat <= beats; beat += 1) {
      const { item } = await answered(
        () => store.heartbeat({ ...self, report: { ...report, recordsProcessed: beat } }),
        async () => {
          const item = await direct.readMember(self.memberId);
          return item?.report.recordsProcessed === beat ? { applied: true, item } : undefined;
        },
      );
      versions.push(item?.heartbeatVersion);
    }

    expect(versions).toEqual(Array.from({ length: beats }, (_, index) => index + 1));
    expect((await direct.readMember(self.memberId))?.report.recordsProcessed).toBe(beats);
  });
});
