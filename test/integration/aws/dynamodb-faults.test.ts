/** What the tables on DynamoDB make of lost replies, late arrivals, throttling, missing tables and items edited by hand. */
import { randomBytes } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createDynamoDbLeaseStore } from '../../../lib/leases/dynamodb/dynamodb-lease-store.js';
import type { Conditional, LeaseStore } from '../../../lib/leases/lease-store.js';
import type { Incarnation, LeaseEpoch, MemberReport, Plan } from '../../../lib/leases/records.js';
import type { StreamsError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import { clientConfig } from '../../support/aws/clients.js';
import { type FaultyEndpoint, startFaultyEndpoint } from '../../support/aws/faulty-endpoint.js';
import { createLeaseTables, type LeaseTables } from '../../support/aws/lease-tables.js';
import { newName } from '../../support/kafka/log-kit.js';
import { sleep } from '../../support/wait-for.js';

const target = inject('awsTarget');
const client = new DynamoDBClient(clientConfig(target));
const host = createNodeHost();
const report: MemberReport = { running: [], positions: [], recordsProcessed: 0 };
const A: Incarnation = { memberId: 'member-1', incarnation: 1 };
const B: Incarnation = { memberId: 'member-2', incarnation: 1 };
const T = taskId(0, 0);
const first = 1 as LeaseEpoch;
const write = /UpdateItem/;

let tables: LeaseTables;
let faulty: FaultyEndpoint;
let applicationId: string;
/** Behind the faulty endpoint, and beside it the same tables without faults. */
let store: LeaseStore;
let direct: LeaseStore;

beforeAll(async () => {
  tables = await createLeaseTables(target);
  faulty = await startFaultyEndpoint(target);
});
beforeEach(openAnother);
afterAll(() => faulty.close());

/** Both for another application, whose tables hold nothing yet. */
function openAnother(): void {
  applicationId = newName('application');
  store = createDynamoDbLeaseStore({
    clientConfig: clientConfig(target, faulty.endpoint),
    tables,
    applicationId,
    host,
  });
  direct = createDynamoDbLeaseStore({ client, tables, applicationId, host });
}

function plan(number: number, reason = 'first'): Plan {
  return { number, createdAtMs: 0, reason, assignor: 'steady', assignment: {}, dead: [], partitions: {} };
}

const claim = (of: LeaseStore, incarnation = 1) => of.claimMember({ ...A, incarnation, report, tags: {} });

/** Each write of the port: what has to be there for it, and the write. */
const writes: Readonly<
  Record<string, { given: () => Promise<unknown>; write: (to: LeaseStore) => Promise<Conditional<unknown>> }>
> = {
  createMember: { given: async () => undefined, write: (to) => to.createMember(A.memberId) },
  claimMember: { given: slot, write: (to) => claim(to) },
  heartbeat: { given: claimed, write: (to) => to.heartbeat({ ...A, report }) },
  drainMember: { given: claimed, write: (to) => to.drainMember(A) },
  freeMember: { given: claimed, write: (to) => to.freeMember(A) },
  declareDead: { given: claimed, write: (to) => to.declareDead({ ...A, heartbeatVersion: 0 }) },
  announcePlan: { given: claimed, write: (to) => to.announcePlan(A.memberId, 3) },
  deleteMember: { given: slot, write: (to) => to.deleteMember({ ...A, incarnation: 0 }) },
  takeLease: { given: async () => undefined, write: (to) => to.takeLease({ taskId: T, owner: A, expected: null }) },
  releaseLease: {
    given: async () => direct.takeLease({ taskId: T, owner: A, expected: null }),
    write: (to) => to.releaseLease({ taskId: T, owner: A, epoch: first, offsets: null }),
  },
  recordTopics: {
    given: async () => direct.takeLease({ taskId: T, owner: A, expected: null }),
    write: (to) => to.recordTopics({ taskId: T, owner: A, epoch: first, topicIds: { orders: 'AAAA' } }),
  },
  writePlan: { given: async () => direct.writePlan(plan(1)), write: (to) => to.writePlan(plan(2)) },
};
const names = Object.keys(writes);
const writeNamed = (name: string) => writes[name] as NonNullable<(typeof writes)[string]>;

async function slot(): Promise<void> {
  await direct.createMember(A.memberId);
}
async function claimed(): Promise<void> {
  await slot();
  await claim(direct);
}
const everything = async () => ({
  members: await direct.listMembers(),
  leases: await direct.listLeases(),
  plan: await direct.readPlan(),
});

describe.each(names)('%s', (name) => {
  it('is applied once and answered so, whatever becomes of its replies', async () => {
    const { given, write: send } = writeNamed(name);
    await given();
    const expected = await send(direct);
    const after = await everything();
    openAnother();
    await given();
    for (const fault of ['lose-reply', 'cut-body', { status: 500 }, 'lose-request'] as const)
      faulty.inject(fault, write);

    const answer = await send(store);

    expect(answer.applied).toBe(true);
    expect(answer).toEqual(expected);
    expect(await everything()).toEqual(after);
    expect(faulty.pending).toBe(0);
  });

  it('changes nothing when its first attempt arrives after the second', async () => {
    const { given, write: send } = writeNamed(name);
    await given();
    faulty.inject({ lateMs: 300 }, write);

    const answer = await send(store);
    const after = await everything();
    await sleep(500);

    expect(answer.applied).toBe(true);
    expect(await everything()).toEqual(after);
  });
});

describe('a heartbeat', () => {
  it('that arrives after the next one changes nothing', async () => {
    await claimed();
    const beat = (recordsProcessed: number) => store.heartbeat({ ...A, report: { ...report, recordsProcessed } });
    faulty.inject({ lateMs: 300 }, write);

    await beat(1);
    await beat(2);
    await sleep(500);

    expect(await direct.readMember(A.memberId)).toMatchObject({ heartbeatVersion: 2, report: { recordsProcessed: 2 } });
  });
});

describe('a write that was refused', () => {
  it('stays refused when its reply is lost, and is shown what stands against it', async () => {
    await direct.takeLease({ taskId: T, owner: B, expected: null });
    faulty.inject('lose-reply', write, 2);

    const answer = await store.takeLease({ taskId: T, owner: A, expected: null });

    expect(answer).toEqual({ applied: false, item: { taskId: T, epoch: 1, owner: B, offsets: null } });
  });

  it('is not taken for its own double: the same owner took the lease by another call', async () => {
    await direct.takeLease({ taskId: T, owner: A, expected: null });
    faulty.inject('lose-request', write);

    const answer = await store.takeLease({ taskId: T, owner: A, expected: null });

    expect(answer.applied).toBe(false);
  });
});

describe('a write whose reply is lost while others write on', () => {
  it('is answered as applied after a release of which the successor has already taken the lease', async () => {
    await direct.takeLease({ taskId: T, owner: A, expected: null });
    faulty.inject('lose-reply', write);
    const before = faulty.seen.length;
    const free = { epoch: first, owner: null };

    const releasing = store.releaseLease({ taskId: T, owner: A, epoch: first, offsets: null });
    // In the pause before the second attempt.
    let taken = false;
    for (let tries = 0; tries < 200 && !taken; tries += 1)
      taken = (await direct.takeLease({ taskId: T, owner: B, expected: free })).applied;

    expect([taken, (await releasing).applied]).toEqual([true, true]);
    expect((await direct.readLease(T))?.owner).toEqual(B);
    expect(faulty.seen.length - before).toBe(2);
  });
});

const throttled = (type: string) => ({
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'slow down' }),
});

describe('a throttled table', () => {
  it.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'])(
    'is asked again after %s',
    async (type) => {
      faulty.inject(throttled(type), write, 3);
      faulty.inject(throttled(type), /Query|GetItem/, 2);

      await store.createMember(A.memberId);

      expect((await store.listMembers()).map(({ memberId }) => memberId)).toEqual([A.memberId]);
      expect(await store.readMember(A.memberId)).toMatchObject({ status: 'free' });
      expect(faulty.pending).toBe(0);
    },
  );

  it('is given up after a bounded number of attempts, with nothing written, and works again afterwards', async () => {
    faulty.otherwise = () => throttled('ThrottlingException');
    const before = faulty.seen.length;

    const error = await errorOf(store.takeLease({ taskId: T, owner: A, expected: null }));
    const attempts = faulty.seen.length - before;
    faulty.otherwise = () => undefined;

    expect([error.code, error.details.outcome]).toEqual(['STREAMS_UNAVAILABLE', 'not written']);
    expect(attempts).toBe(8);
    expect(await direct.readLease(T)).toBe(null);
    expect((await store.takeLease({ taskId: T, owner: A, expected: null })).applied).toBe(true);
  });
});

describe('a table that is away', () => {
  it('leaves the outcome open, and a later write tells it', async () => {
    faulty.otherwise = () => 'lose-reply';

    const error = await errorOf(store.takeLease({ taskId: T, owner: A, expected: null }));
    faulty.otherwise = () => undefined;
    const again = await store.takeLease({ taskId: T, owner: A, expected: null });

    expect([error.code, error.details.outcome]).toEqual(['STREAMS_UNAVAILABLE', 'unknown']);
    expect(again).toEqual({ applied: false, item: { taskId: T, epoch: 1, owner: A, offsets: null } });
  });

  it('and one that is not there, or not ours, is told apart', async () => {
    const missing = { ...tables, leases: newName('nobodys') };
    const lost = createDynamoDbLeaseStore({ client, tables: missing, applicationId, host });
    faulty.inject(throttled('AccessDeniedException'), /GetItem/);

    const [notThere, notOurs] = [await errorOf(lost.readLease(T)), await errorOf(store.readLease(T))];

    expect([notThere.code, notOurs.code]).toEqual(['STREAMS_INVALID_SETTING', 'STREAMS_INVALID_SETTING']);
    expect(notThere.remedy).toContain('infra/tables.yml');
    expect(notOurs.remedy).toContain('infra/roles.yml');
  });

  it('because nothing listens there is UNAVAILABLE', async () => {
    const nowhere = clientConfig(target, 'http://127.0.0.1:9');
    const away = createDynamoDbLeaseStore({ clientConfig: nowhere, tables, applicationId, host });

    expect((await errorOf(away.readPlan())).code).toBe('STREAMS_UNAVAILABLE');
  });
});

describe('an item edited by hand', () => {
  it.each([
    ['epoch', { S: 'one' }],
    ['epoch', { N: '1.5' }],
    ['ownerMemberId', { S: 'somebody' }],
    ['offsets', { S: '{"orders-0":{"nextOffset":-1,"metadata":""}}' }],
    ['punctuations', { S: '[{}]' }],
    ['offsets', { S: 'no JSON' }],
  ])('is refused where it can not be a lease: %s %j', async (attribute, value) => {
    const lease = { applicationId: { S: applicationId }, taskId: { S: T }, epoch: { N: '1' } };
    const owner = { ownerMemberId: { S: 'member-1' }, ownerIncarnation: { N: '1' } };
    await client.send(
      new PutItemCommand({ TableName: tables.leases, Item: { ...lease, ...owner, [attribute]: value } }),
    );

    const error = await errorOf(store.readLease(T));

    expect(error.code).toBe('STREAMS_MALFORMED_ITEM');
    expect(error.details).toMatchObject({ table: tables.leases, attribute });
  });

  it('or a plan whose number is not its own is refused', async () => {
    await direct.writePlan(plan(1));
    const item = { applicationId: { S: applicationId }, row: { N: '0' }, number: { N: '2' } };
    const body = { plan: { S: JSON.stringify(plan(1)) } };
    await client.send(new PutItemCommand({ TableName: tables.plans, Item: { ...item, ...body } }));

    expect((await errorOf(store.readPlan())).code).toBe('STREAMS_MALFORMED_ITEM');
  });
});

describe('a plan too large for an item', () => {
  it('is none that fits when it is compressed', async () => {
    const large = plan(1, 'member-1 joined, '.repeat(30_000));

    expect(await store.writePlan(large)).toEqual({ applied: true, item: large });

    expect(await store.readPlan()).toEqual(large);
    expect(await store.writePlan({ ...large, reason: 'another' })).toEqual({ applied: false, item: large });
  });

  it('is refused in words, and the old one stays', async () => {
    await store.writePlan(plan(1));

    const error = await errorOf(store.writePlan(plan(2, randomBytes(400_000).toString('base64'))));

    expect(error.code).toBe('STREAMS_INVALID_ASSIGNMENT');
    expect(await store.readPlan()).toEqual(plan(1));
  });
});

async function errorOf(work: Promise<unknown>): Promise<StreamsError> {
  try {
    await work;
  } catch (error) {
    return error as StreamsError;
  }
  throw new Error('it went well');
}
