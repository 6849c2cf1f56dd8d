/** The command line, as a process of its own, over tables on DynamoDB. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createDynamoDbLeaseStore } from '../../../lib/leases/dynamodb/dynamodb-lease-store.js';
import type { LeaseEpoch, Plan } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';
import { clientConfig } from '../../support/aws/clients.js';
import { createLeaseTables } from '../../support/aws/lease-tables.js';
import { type BuiltCommand, buildCommand } from '../../support/cli/built-command.js';
import { newName } from '../../support/kafka/log-kit.js';

const target = inject('awsTarget');
const applicationId = newName('application');
const T = taskId(1, 3);
const owner = { memberId: 'member-1', incarnation: 1 } as const;
const plan: Plan = {
  number: 1,
  createdAtMs: 1_750_000_000_000,
  reason: 'first plan (tick: schedule)',
  assignor: 'steady',
  assignment: { 'member-1': { active: [T], standby: [], warmup: [] } },
  dead: [],
  partitions: { lines: 4 },
};

let cli: BuiltCommand;
let environment: Record<string, string>;

beforeAll(async () => {
  cli = await buildCommand('aws', { app: 'examples/wordcount/word-count.ts' });
  const tables = await createLeaseTables(target);
  const config = clientConfig(target);
  environment = {
    MILLRACE_MEMBERS_TABLE: tables.members,
    MILLRACE_LEASES_TABLE: tables.leases,
    MILLRACE_PLANS_TABLE: tables.plans,
    MILLRACE_HISTORY_TABLE: tables.history,
    AWS_REGION: config.region,
    NODE_NO_WARNINGS: '1', // the SDK warns of versions of Node
    ...(config.endpoint === undefined ? {} : { AWS_ENDPOINT_URL: config.endpoint }),
    ...(config.credentials === undefined
      ? {}
      : {
          AWS_ACCESS_KEY_ID: config.credentials.accessKeyId,
          AWS_SECRET_ACCESS_KEY: config.credentials.secretAccessKey,
        }),
  };
  const store = createDynamoDbLeaseStore({
    client: new DynamoDBClient(config),
    tables,
    applicationId,
    host: createNodeHost(),
  });
  await store.writePlan(plan);
  await store.createMember('member-1');
  const report = { running: [T], positions: [], recordsProcessed: 42 };
  await store.claimMember({ ...owner, report, tags: { zone: 'a' } });
  await store.takeLease({ taskId: T, owner, expected: null });
  await store.keepExplanation({
    planNumber: 1,
    seenAtMs: 1_749_999_999_990,
    decidedAtMs: 1_750_000_000_000,
    trigger: plan.reason,
    assignor: 'steady',
    wasPlaced: true,
    members: [],
    tasks: { stateful: 1, stateless: 0 },
    settings: {},
    score: [{ goal: 'balance', before: 3, after: 0.5, unit: 'tasks' }],
    moves: [
      {
        taskId: T,
        role: 'active',
        from: null,
        to: 'member-1',
        lagRecords: 0,
        reason: '1_3 given to member-1: nobody held it; the copy was caught up (lag 0)',
      },
    ],
    movesLeftOut: 0,
  });
  await store.keepStart({
    taskId: T,
    leaseEpoch: 1 as LeaseEpoch,
    owner,
    from: null,
    releasedAtMs: null,
    planNumber: 1,
    takenAtMs: 1_750_000_000_100,
    fencedAfterMs: 20,
    restoredAfterMs: 120,
    restoredRecords: 7,
    firstCommitAfterMs: 220,
  });
});
afterAll(() => cli?.remove());

const run = (...args: string[]) => cli.run([...args, '--application-id', applicationId], environment);

describe('the command line over tables on DynamoDB', () => {
  it('shows members', async () => {
    expect(await run('members')).toEqual({
      code: 0,
      err: '',
      out: [
        'MEMBER    STATUS   RUN  ACTIVE  STANDBY  WARM-UP  RUNNING  RECORDS  PLAN  TAGS',
        'member-1  claimed    1       1        0        0        1       42     0  zone=a',
        '',
      ].join('\n'),
    });
  });

  it('tells programs of tasks', async () => {
    const { out } = await run('tasks', '--json');

    expect(JSON.parse(out)).toEqual({
      applicationId,
      planNumber: 1,
      tasks: [
        {
          taskId: T,
          state: 'running',
          owner,
          leaseEpoch: 1,
          grantedTo: 'member-1',
          standbys: [],
          warmups: [],
          releasedAtMs: null,
        },
      ],
    });
  });

  it('answers why a task has moved in a sentence, with the parts of the score', async () => {
    expect((await run('plan', 'explain', '1_3')).out).toBe(
      [
        '1_3 given to member-1: nobody held it; the copy was caught up (lag 0)',
        'plan 1, 2025-06-15T15:06:40.000Z: first plan (tick: schedule)',
        'GOAL     BEFORE  AFTER  COUNTED',
        'balance  3       0.50   tasks',
        '',
      ].join('\n'),
    );
  });

  it('shows a timeline', async () => {
    expect((await run('timeline', '1_3')).out).toBe(
      [
        '1_3: first start on member-1, plan 1, finished',
        '  MARK          AT                        SINCE',
        '  decided       2025-06-15T15:06:40.000Z  +0 ms',
        '  lease taken   2025-06-15T15:06:40.100Z  +100 ms',
        '  restored      2025-06-15T15:06:40.220Z  +220 ms',
        '  first commit  2025-06-15T15:06:40.320Z  +320 ms',
        '  restore 100 ms + first commit 100 ms',
        '  7 records restored',
        '',
      ]
        .join('\n')
        .replace('restore 100 ms', 'restore 120 ms'),
    );
  });

  it('finds the application by its module', async () => {
    const { out, code } = await cli.run(['describe', '--app', './app.mjs', '--json'], environment);

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ applicationId: 'word-count', plan: null, slots: 0 });
  });

  it('says which table is missing, and what to do', async () => {
    const { code, err } = await cli.run(
      ['members', '--application-id', applicationId, '--members-table', 'no-such-table'],
      environment,
    );

    expect(code).toBe(1);
    expect(err).toContain('STREAMS_INVALID_SETTING: Deploy the tables');
    expect(err).not.toMatch(/^\s+at /m);
  });
});
