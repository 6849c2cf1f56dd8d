/** What the tables on DynamoDB do with items that grow: plans of ten thousand tasks, reports of as many stores. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../../lib/leases/dynamodb/attributes.js';
import { createDynamoDbLeaseStore } from '../../../lib/leases/dynamodb/dynamodb-lease-store.js';
import { MAX_REPORT_BYTES } from '../../../lib/leases/dynamodb/member-table.js';
import { PACK_FROM_BYTES, packed, packedBytes, unpacked } from '../../../lib/leases/dynamodb/packed-text.js';
import type { MemberId, Plan, StorePosition } from '../../../lib/leases/records.js';
import { MalformedItemError } from '../../../lib/model/errors.js';
import { offset } from '../../../lib/model/offset.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { createTestHost } from '../../support/test-host.js';

/** Bytes of an item that DynamoDB refuses to go beyond. */
const ITEM_BYTES = 400 * 1024;

/** What was written last, as attributes by name; each write applies, or is refused by an item as that was. */
function tableOf({ refuses = false } = {}) {
  let item: Item = {};
  const client = {
    async send(command: unknown) {
      if (command instanceof GetItemCommand) return { Item: item };
      if (command instanceof QueryCommand) return { Items: [item] };
      if (!(command instanceof UpdateItemCommand)) throw new TypeError('an unknown command');
      const { Key = {}, ExpressionAttributeValues: values = {} }: UpdateItemCommandInput = command.input;
      if (refuses) throw new ConditionalCheckFailedException({ message: 'refused', $metadata: {}, Item: item });
      const named = Object.entries(values).map(([name, value]) => [name.slice(1), value]);
      item = { ...item, ...Key, ...Object.fromEntries(named) };
      return { Attributes: item };
    },
  };
  const store = createDynamoDbLeaseStore({
    client: client as unknown as DynamoDBClient,
    tables: { members: 'members', leases: 'leases', plans: 'plans' },
    applicationId: 'application',
    host: createTestHost(),
    plansKept: 1,
  });
  return { store, bytes: () => bytesOf(item), put: (next: Item) => Object.assign(item, next) };
}

function bytesOf(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + (value.N?.length ?? packedBytes(value)),
    0,
  );
}

/** A plan of tasks with two standbys each, over a thousand members. */
function planOf(tasks: number): Plan {
  const slot = (index: number): MemberId => `member-${(index % 1_000) + 1}`;
  const assignment: Record<MemberId, { active: TaskId[]; standby: TaskId[]; warmup: TaskId[] }> = {};
  for (let index = 0; index < tasks; index += 1) {
    for (const [at, list] of (['active', 'standby', 'standby'] as const).entries()) {
      assignment[slot(index + at)] ??= { active: [], standby: [], warmup: [] };
      assignment[slot(index + at)]?.[list].push(taskId(Math.floor(index / 1_000), index % 1_000));
    }
  }
  return {
    number: 1,
    createdAtMs: 0,
    reason: 'first',
    assignor: 'steady',
    assignment,
    dead: [],
    partitions: { lines: tasks },
  };
}

function positions(count: number): StorePosition[] {
  const random = createTestHost().random;
  return Array.from({ length: count }, (_, index) => ({
    taskId: taskId(0, index),
    store: 'KSTREAM-AGGREGATE-STATE-STORE-0000000003',
    nextOffset: offset(Math.floor(random.next() * 1e12)),
    endOffset: offset(Math.floor(random.next() * 1e12)),
  }));
}

const member = (report: unknown): Item => ({
  memberId: { S: 'member-1' },
  incarnation: { N: '1' },
  status: { S: 'claimed' },
  planNumber: { N: '0' },
  heartbeatVersion: { N: '1' },
  report: { S: JSON.stringify(report) },
  tags: { S: '{}' },
});

describe('texts of items', () => {
  it('come back as they were, short or long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(3_000), (text, times) => {
        const value = text.repeat(times);

        expect(unpacked('plans', { plan: packed(value) })).toEqual({ plan: { S: value } });
      }),
      { numRuns: 50 },
    );
  });

  it('stay readable while they are short', () => {
    expect(packed('x'.repeat(PACK_FROM_BYTES - 1))).toEqual({ S: 'x'.repeat(PACK_FROM_BYTES - 1) });
    expect(packed('x'.repeat(PACK_FROM_BYTES)).B?.length).toBeLessThan(100);
  });

  it('that are broken are named, and nothing is guessed', () => {
    const bytes = Buffer.from(packed('x'.repeat(PACK_FROM_BYTES)).B ?? []);
    bytes[bytes.length - 1] = ((bytes.at(-1) ?? 0) + 1) % 256;

    expect(() => unpacked('plans', { plan: { B: bytes } })).toThrow(MalformedItemError);
    expect(() => unpacked('plans', { plan: { B: bytes } })).toThrow("'plan' of an item of plans is no packed text");
  });
});

describe('the tables on DynamoDB', () => {
  it('hold a plan of ten thousand tasks with two standbys each, and more', async () => {
    const { store, bytes } = tableOf();
    const plan = planOf(20_000);
    expect(JSON.stringify(plan).length).toBeGreaterThan(ITEM_BYTES);

    const written = await store.writePlan(plan);

    expect(written).toEqual({ applied: true, item: plan });
    expect(bytes()).toBeLessThan(ITEM_BYTES);
    expect(await store.readPlan()).toEqual(plan);
  });

  it('answer the plan that stood against one, however long it is', async () => {
    const { store, put } = tableOf({ refuses: true });
    const plan = planOf(10_000);
    put({ row: { N: '0' }, number: { N: '1' }, plan: packed(JSON.stringify(plan)) });

    expect(await store.writePlan({ ...plan, number: 2 })).toEqual({ applied: false, item: plan });
  });

  it.each([3_000, 60_000])('take the heartbeat of a member that holds %i stores', async (count) => {
    const { store, bytes, put } = tableOf();
    const report = { running: [taskId(0, 0)], positions: positions(count), recordsProcessed: 7 };
    put(member(report));

    const beat = await store.heartbeat({ memberId: 'member-1', incarnation: 1, report });

    expect(beat.applied).toBe(true);
    expect(bytes()).toBeLessThan(ITEM_BYTES);
    const told = (await store.listMembers())[0]?.report;
    expect(told).toMatchObject({ running: report.running, recordsProcessed: 7 });
    expect(told?.positions).toEqual(report.positions.slice(0, told?.positions.length));
    expect(told?.positions.length).toBeGreaterThan(Math.min(count, 5_000) - 1);
    expect(MAX_REPORT_BYTES).toBeLessThan(ITEM_BYTES);
  });
});
