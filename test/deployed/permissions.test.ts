/**
 * What the four roles need: with any single permission less, some call that a function makes (its code through the adapters, or
 * Lambda in its name) is refused, and the refusal says which permission is missing. So no role has more than it uses.
 *
 * Left out are the permissions to write logs: the emulator compares them with the ARN of the log group, AWS with those of its
 * streams, which the policies name.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJsonLinesLogger } from '../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { createLambdaInvoker } from '../../lib/invoke/lambda/lambda-invoker.js';
import type { FunctionName } from '../../lib/invoke/payloads.js';
import { readSecret } from '../../lib/lambda/secrets-manager.js';
import { createDynamoDbLeaseStore } from '../../lib/leases/dynamodb/dynamodb-lease-store.js';
import type { LeaseStore } from '../../lib/leases/lease-store.js';
import type { LeaseEpoch } from '../../lib/leases/records.js';
import { taskId } from '../../lib/model/task-id.js';
import { createS3SnapshotStore } from '../../lib/snapshots/s3/s3-snapshot-store.js';
import type { SnapshotStore } from '../../lib/snapshots/snapshot-store.js';
import { type BrokerSecret, createBrokerSecret } from '../support/aws/broker-secret.js';
import { clientConfig, s3Client } from '../support/aws/clients.js';
import { type DeployedFunction, type Deployment, deploy, functionName, stackName } from '../support/aws/deployment.js';
import { type OpenTarget, openTarget } from '../support/aws/open-target.js';
import { OutsideView } from '../support/aws/outside-view.js';
import { FunctionRole, type Permission } from '../support/aws/role-session.js';

const applicationId = 'word-count';
const host = createNodeHost({ logger: createJsonLinesLogger({ level: 'silent' }) });
const bytes = Buffer.from('bytes');
const object = `${applicationId}/1_0/counts/object`;
const functions = ['scheduler', 'task', 'standby', 'query'] as const;

let target: OpenTarget;
let secret: BrokerSecret;
let deployment: Deployment;
let view: OutsideView;

beforeAll(async () => {
  target = await openTarget();
  secret = await createBrokerSecret(target, { username: 'functions', password: 'first' });
  const kafka = { MILLRACE_KAFKA_BROKERS: '127.0.0.1:9092', MILLRACE_KAFKA_SECRET: secret.arn };
  deployment = await deploy({ target, kafka, takesRoles: true });
  view = await OutsideView.of(target, applicationId);
  await stopPolling();
});
afterAll(async () => {
  await deployment?.close();
  await secret?.remove();
  await target?.stop();
});

/** Messages are for the tests to take; and no scheduler runs. */
async function stopPolling(): Promise<void> {
  const { lambda } = view.clients;
  const FunctionName = functionName(target, 'scheduler');
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
  for (const { UUID } of EventSourceMappings)
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
}

type Use = () => Promise<unknown>;
type Uses = Readonly<Record<string, Use>>;
type ClientConfig = ReturnType<typeof clientConfig>;

function leasesOf(config: ClientConfig): LeaseStore {
  const { MembersTableName: members, LeasesTableName: leases, PlansTableName: plans } = view.outputs;
  const tables = { members, leases, plans, history: view.outputs.HistoryTableName };
  const client = new DynamoDBClient(config);
  return createDynamoDbLeaseStore({ client, tables, applicationId, host });
}

function snapshotsOf(config: ClientConfig): SnapshotStore {
  const client = s3Client(config);
  return createS3SnapshotStore({ bucket: view.outputs.SnapshotsBucketName, client });
}

function invokes(config: ClientConfig, name: FunctionName): Use {
  const client = new LambdaClient(config);
  const invoker = createLambdaInvoker({ client, functionNames: `${stackName(target)}-`, host });
  // Refused by the function before it does anything.
  const expired = { applicationId, expiresAtMs: -1 };
  const invocations: Readonly<Record<FunctionName, Use>> = {
    task: () => invoker.invoke('task', { type: 'doorbell', partitions: [], ...expired }),
    standby: () => invoker.invoke('standby', { type: 'advance-snapshots', taskIds: [], ...expired }),
    scheduler: () => invoker.invoke('scheduler', { type: 'tick', reason: 'test', ...expired }),
  };
  return invocations[name];
}

/** What Lambda does in the scheduler's name: it polls the queue of failures. */
function polling(config: ClientConfig): Uses {
  const client = new SQSClient(config);
  const QueueUrl = view.outputs.UnreadFailuresQueueUrl;
  const queue = { QueueUrl: view.outputs.FailuresQueueUrl };
  return {
    'look at the queue': () => client.send(new GetQueueAttributesCommand({ ...queue, AttributeNames: ['QueueArn'] })),
    'receive messages': () => client.send(new ReceiveMessageCommand(queue)),
    // A handle of another queue names no message here, which is an answer too; only the refusal counts.
    'delete a message': async () => {
      await view.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));
      const { Messages } = await view.clients.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
      const ReceiptHandle = Messages?.[0]?.ReceiptHandle ?? '';
      await client.send(new DeleteMessageCommand({ ...queue, ReceiptHandle })).catch(unlessDenied);
    },
  };
}

function unlessDenied(error: unknown): void {
  if (/AccessDenied|not authorized/.test(String(error))) throw error;
}

function snapshotWrites(snapshots: SnapshotStore): Uses {
  return {
    'create an object': () => snapshots.create(object, bytes),
    'remove an object': () => snapshots.remove(object),
  };
}

function snapshotReads(snapshots: SnapshotStore): Uses {
  return {
    'list snapshots': () => snapshots.list(applicationId),
    'read an object': () => snapshots.read(object),
  };
}

const report = { running: [], positions: [], recordsProcessed: 0 };
const self = { memberId: 'member-1', incarnation: 1 } as const;
const plan = {
  number: 1,
  createdAtMs: 0,
  reason: 'test',
  assignor: 'steady',
  assignment: {},
  dead: [],
  partitions: {},
};

const start = {
  taskId: taskId(0, 0),
  leaseEpoch: 1 as LeaseEpoch,
  owner: self,
  from: null,
  releasedAtMs: null,
  planNumber: 1,
  takenAtMs: 0,
  fencedAfterMs: null,
  restoredAfterMs: null,
  restoredRecords: 0,
  firstCommitAfterMs: null,
};

const usesOf: Readonly<Record<DeployedFunction, (config: ClientConfig) => Uses>> = {
  scheduler: (config) => {
    const leases = leasesOf(config);
    return {
      ...polling(config),
      'list members': () => leases.listMembers(),
      'create a slot': () => leases.createMember('member-1'),
      'list leases': () => leases.listLeases(),
      'read the plan': () => leases.readPlan(),
      'write a plan': () => leases.writePlan(plan),
      'write down a death': () => leases.keepDeath({ ...self, because: 'test', lastSeenAtMs: 0, seenAtMs: 0 }),
      'invoke a task': invokes(config, 'task'),
      'invoke a standby': invokes(config, 'standby'),
    };
  },
  task: (config) => {
    const leases = leasesOf(config);
    const sqs = new SQSClient(config);
    return {
      ...snapshotReads(snapshotsOf(config)),
      ...snapshotWrites(snapshotsOf(config)),
      'list members': () => leases.listMembers(),
      'read its slot': () => leases.readMember('member-1'),
      'claim its slot': () => leases.claimMember({ ...self, report, tags: {} }),
      'read a lease': () => leases.readLease(taskId(0, 0)),
      'take a lease': () => leases.takeLease({ taskId: taskId(0, 0), owner: self, expected: null }),
      'read the plan': () => leases.readPlan(),
      'write down a start': () => leases.keepStart(start),
      'invoke its successor': invokes(config, 'task'),
      'call the scheduler': invokes(config, 'scheduler'),
      'have its failure reported': () =>
        sqs.send(new SendMessageCommand({ QueueUrl: view.outputs.FailuresQueueUrl, MessageBody: '{}' })),
    };
  },
  standby: (config) => ({
    ...snapshotReads(snapshotsOf(config)),
    ...snapshotWrites(snapshotsOf(config)),
    'read the plan': () => leasesOf(config).readPlan(),
  }),
  query: (config) => snapshotReads(snapshotsOf(config)),
};

/** The calls of a function that are refused, with the words of the refusal and its causes. */
async function refusals(name: DeployedFunction, without?: Permission): Promise<ReadonlyMap<string, string>> {
  const role = await FunctionRole.of(target, name);
  const config = { ...clientConfig(target), credentials: await role.credentials(without) };
  const refused = new Map<string, string>();
  const uses: Uses = { ...usesOf[name](config), 'read the secret of its login': () => readSecret(secret.arn, config) };
  for (const [what, use] of Object.entries(uses)) {
    await use().catch((error: unknown) => refused.set(what, wordsOf(error)));
  }
  return refused;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message} ${wordsOf(error.cause ?? '')}` : String(error);
}

describe.each(functions)('the role of the %s function', (name) => {
  it('allows all that the function does', async () => {
    expect(await refusals(name)).toEqual(new Map());
  });

  it('has no permission that is not missed by name when it is gone', async () => {
    const role = await FunctionRole.of(target, name);
    const permissions = role.permissions.filter(({ sid }) => sid !== 'WriteLogs');
    const notMissed: unknown[] = [];

    for (const permission of permissions) {
      const words = [...(await refusals(name, permission)).values()];
      const isNamed = words.length > 0 && words.every((one) => one.includes(permission.action));
      if (!isNamed) notMissed.push({ ...permission, words });
    }

    expect(permissions.length).toBeGreaterThan(1);
    expect(permissions.map(({ resource }) => resource)).toContain(secret.arn);
    expect(notMissed).toEqual([]);
  });
});
