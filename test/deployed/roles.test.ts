/** What the four roles must not do, tried with their own credentials against what was deployed. */
import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrokerSecret, createBrokerSecret } from '../support/aws/broker-secret.js';
import { clientConfig, s3Client } from '../support/aws/clients.js';
import { type DeployedFunction, type Deployment, deploy, functionName } from '../support/aws/deployment.js';
import { type OpenTarget, openTarget } from '../support/aws/open-target.js';
import { type Outputs, OutsideView } from '../support/aws/outside-view.js';
import { FunctionRole } from '../support/aws/role-session.js';

let target: OpenTarget;
let secret: BrokerSecret;
let otherSecret: BrokerSecret;
let deployment: Deployment;
let outputs: Outputs;

beforeAll(async () => {
  target = await openTarget();
  secret = await createBrokerSecret(target, { username: 'functions', password: 'first' });
  otherSecret = await createBrokerSecret(target, { username: 'others', password: 'theirs' });
  const kafka = { MILLRACE_KAFKA_BROKERS: '127.0.0.1:9092', MILLRACE_KAFKA_SECRET: secret.arn };
  deployment = await deploy({ target, kafka, takesRoles: true });
  ({ outputs } = await OutsideView.of(target, 'word-count'));
});
afterAll(async () => {
  await deployment?.close();
  await secret?.remove();
  await otherSecret?.remove();
  await target?.stop();
});

/** The clients of a role. */
async function clientsOf(name: DeployedFunction) {
  const credentials = await (await FunctionRole.of(target, name)).credentials();
  const config = { ...clientConfig(target), credentials };
  return {
    dynamoDb: new DynamoDBClient(config),
    lambda: new LambdaClient(config),
    s3: s3Client(config),
    secrets: new SecretsManagerClient(config),
    sqs: new SQSClient(config),
  };
}

type Clients = Awaited<ReturnType<typeof clientsOf>>;
type Call = (clients: Clients) => Promise<unknown>;

const text = (value: string): AttributeValue => ({ S: value });
const applicationId = text('word-count');
const memberKey = { applicationId, memberId: text('member-1') };
const leaseKey = { applicationId, taskId: text('0_0') };
const planKey = { applicationId, row: { N: '0' } };

const writeLease: Call = ({ dynamoDb }) =>
  dynamoDb.send(new PutItemCommand({ TableName: outputs.LeasesTableName, Item: leaseKey }));
const changeLease: Call = ({ dynamoDb }) =>
  dynamoDb.send(
    new UpdateItemCommand({
      TableName: outputs.LeasesTableName,
      Key: leaseKey,
      UpdateExpression: 'SET epoch = :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    }),
  );
const writePlan: Call = ({ dynamoDb }) =>
  dynamoDb.send(
    new UpdateItemCommand({
      TableName: outputs.PlansTableName,
      Key: planKey,
      UpdateExpression: 'SET #number = :one',
      ExpressionAttributeNames: { '#number': 'number' },
      ExpressionAttributeValues: { ':one': { N: '1' } },
    }),
  );
const readPlan: Call = ({ dynamoDb }) =>
  dynamoDb.send(new GetItemCommand({ TableName: outputs.PlansTableName, Key: planKey }));
const deletePlan: Call = ({ dynamoDb }) =>
  dynamoDb.send(new DeleteItemCommand({ TableName: outputs.PlansTableName, Key: planKey }));
const deleteMember: Call = ({ dynamoDb }) =>
  dynamoDb.send(new DeleteItemCommand({ TableName: outputs.MembersTableName, Key: memberKey }));
const listMembers: Call = ({ dynamoDb }) =>
  dynamoDb.send(
    new QueryCommand({
      TableName: outputs.MembersTableName,
      KeyConditionExpression: 'applicationId = :id',
      ExpressionAttributeValues: { ':id': applicationId },
    }),
  );
const readSnapshot: Call = ({ s3 }) =>
  s3.send(new GetObjectCommand({ Bucket: outputs.SnapshotsBucketName, Key: 'word-count/1_0/a' }));
const writeSnapshot: Call = ({ s3 }) =>
  s3.send(new PutObjectCommand({ Bucket: outputs.SnapshotsBucketName, Key: 'word-count/1_0/a', Body: 'a' }));
const deleteSnapshot: Call = ({ s3 }) =>
  s3.send(new DeleteObjectCommand({ Bucket: outputs.SnapshotsBucketName, Key: 'word-count/1_0/a' }));
const invoke =
  (name: DeployedFunction): Call =>
  ({ lambda }) =>
    lambda.send(
      new InvokeCommand({ FunctionName: functionName(target, name), InvocationType: 'Event', Payload: '{}' }),
    );
const sendFailure: Call = ({ sqs }) =>
  sqs.send(new SendMessageCommand({ QueueUrl: outputs.FailuresQueueUrl, MessageBody: '{}' }));
const takeFailure: Call = ({ sqs }) => sqs.send(new ReceiveMessageCommand({ QueueUrl: outputs.FailuresQueueUrl }));
const readOtherSecret: Call = ({ secrets }) => secrets.send(new GetSecretValueCommand({ SecretId: otherSecret.arn }));
const changeSecret: Call = ({ secrets }) =>
  secrets.send(new PutSecretValueCommand({ SecretId: secret.arn, SecretString: '{}' }));

/** What none of them may do. */
const forbiddenToAll = { 'read another secret': readOtherSecret, 'change its secret': changeSecret };

const forbidden: Readonly<Record<DeployedFunction, Readonly<Record<string, Call>>>> = {
  scheduler: {
    ...forbiddenToAll,
    'create a lease': writeLease,
    'take a lease': changeLease,
    'delete a plan': deletePlan,
    'read a snapshot': readSnapshot,
    'write a snapshot': writeSnapshot,
    'invoke the query': invoke('query'),
    'invent a failure': sendFailure,
  },
  task: {
    ...forbiddenToAll,
    'write a plan': writePlan,
    'delete a slot': deleteMember,
    'invoke a standby': invoke('standby'),
    'invoke the query': invoke('query'),
    'take a failure': takeFailure,
  },
  standby: {
    ...forbiddenToAll,
    'create a lease': writeLease,
    'take a lease': changeLease,
    'list the members': listMembers,
    'write a plan': writePlan,
    'invoke a task': invoke('task'),
    'invoke the scheduler': invoke('scheduler'),
    'invent a failure': sendFailure,
  },
  query: {
    ...forbiddenToAll,
    'write a snapshot': writeSnapshot,
    'delete a snapshot': deleteSnapshot,
    'read a plan': readPlan,
    'list the members': listMembers,
    'take a lease': changeLease,
    'invoke a task': invoke('task'),
  },
};

const cases = (Object.keys(forbidden) as DeployedFunction[]).flatMap((name) =>
  Object.keys(forbidden[name]).map((what) => ({ name, what })),
);

describe('with its own credentials', () => {
  it.each(cases)('the $name function can not $what', async ({ name, what }) => {
    const call = forbidden[name][what] as Call;

    const refusal = await call(await clientsOf(name)).then(
      () => 'it was allowed',
      (error: unknown) => (error as Error).name,
    );

    expect(refusal).toMatch(/^AccessDenied/);
  });

  it('each of these calls is possible for who may do everything', async () => {
    const all = new Set(Object.values(forbidden).flatMap((calls) => Object.values(calls)));
    const config = clientConfig(target);
    const clients: Clients = {
      dynamoDb: new DynamoDBClient(config),
      lambda: new LambdaClient(config),
      s3: s3Client(config),
      secrets: new SecretsManagerClient(config),
      sqs: new SQSClient(config),
    };
    await writeSnapshot(clients);

    const refused = await Promise.all(
      [...all].filter((call) => call !== deleteSnapshot).map((call) => call(clients)),
    ).then(() => 'nothing', String);

    expect(refused).toBe('nothing');
  });
});
