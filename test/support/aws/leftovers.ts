/** What a run has made at its target, and how it goes again: by names, which begin with the run's own (target.ts). */
import {
  CloudFormationClient,
  DeleteStackCommand,
  paginateListStacks,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import {
  CloudWatchLogsClient,
  DeleteLogGroupCommand,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteTableCommand,
  DynamoDBClient,
  paginateListTables,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { DeleteRoleCommand, IAMClient, paginateListRoles } from '@aws-sdk/client-iam';
import { DeleteFunctionCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import {
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListBucketsCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { DeleteSecretCommand, paginateListSecrets, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, s3Client } from './clients.js';
import type { AwsTarget } from './target.js';

const stackTimeoutS = 600;
const tableTimeoutS = 120;
/** The first removal ends the functions, the second finds the buckets empty. */
const maxRemovals = 3;

type Kind = 'stacks' | 'functions' | 'tables' | 'queues' | 'buckets' | 'secrets' | 'logGroups' | 'roles';

/** Names of what there is of these kinds, if they begin with the prefix; a removed stack is none. */
export async function leftovers(target: AwsTarget, prefix: string): Promise<readonly string[]> {
  const kinds = listings(target, prefix);
  const names = await Promise.all((Object.keys(kinds) as Kind[]).map((kind) => namesOf(kinds[kind])));
  return names.flat().filter((name) => name.startsWith(prefix));
}

/** Removes all that the run has made: its stacks with what is in them, and what its tests made one by one. */
export async function removeAll(target: AwsTarget): Promise<void> {
  const { run } = target;
  const config = clientConfig(target);
  const kinds = listings(target, run);
  const each = async (kind: Kind, remove: (name: string) => Promise<unknown>) => {
    for (const name of await namesOf(kinds[kind])) if (name.startsWith(run)) await remove(name);
  };
  await each('stacks', (name) => removeStack(target, name));
  await each('buckets', (name) => emptyBucket(target, name));
  const lambda = new LambdaClient(config);
  await each('functions', (FunctionName) => lambda.send(new DeleteFunctionCommand({ FunctionName })));
  const dynamoDb = new DynamoDBClient(config);
  await each('tables', async (TableName) => {
    await dynamoDb.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client: dynamoDb, maxWaitTime: tableTimeoutS, minDelay: 1 }, { TableName });
  });
  const s3 = s3Client(config);
  await each('buckets', (Bucket) => s3.send(new DeleteBucketCommand({ Bucket })));
  const secrets = new SecretsManagerClient(config);
  await each('secrets', (SecretId) =>
    secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true })),
  );
  const logs = new CloudWatchLogsClient(config);
  await each('logGroups', (name) => logs.send(new DeleteLogGroupCommand({ logGroupName: lambdaLogs + name })));
  const iam = new IAMClient(config);
  await each('roles', (RoleName) => iam.send(new DeleteRoleCommand({ RoleName })));
}

export async function emptyBucket(target: AwsTarget, Bucket: string): Promise<void> {
  const client = s3Client(clientConfig(target));
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }));
}

/** A stack does not go while its buckets hold something, and a function that still runs may write there: its end is waited for. */
async function removeStack(target: AwsTarget, StackName: string): Promise<void> {
  const client = new CloudFormationClient(clientConfig(target));
  for (let tries = 1; ; tries += 1) {
    for (const bucket of await namesOf(listings(target, StackName).buckets))
      if (bucket.startsWith(StackName)) await emptyBucket(target, bucket);
    await client.send(new DeleteStackCommand({ StackName }));
    const end = { client, maxWaitTime: stackTimeoutS, minDelay: 1 };
    try {
      await waitUntilStackDeleteComplete(end, { StackName });
      return;
    } catch (error) {
      if (tries === maxRemovals) throw error;
    }
  }
}

const lambdaLogs = '/aws/lambda/';

type Names = AsyncIterable<readonly (string | undefined)[]>;

async function namesOf(pages: Names): Promise<string[]> {
  const names: string[] = [];
  for await (const page of pages) names.push(...page.filter((name) => name !== undefined));
  return names;
}

/** One listing of each kind, page by page; a queue is named by the end of its URL, a log group by its function. */
function listings(target: AwsTarget, prefix: string): Readonly<Record<Kind, Names>> {
  const config = clientConfig(target);
  const pagesOf = <P>(pages: AsyncIterable<P>, names: (page: P) => readonly (string | undefined)[]): Names => ({
    async *[Symbol.asyncIterator]() {
      for await (const page of pages) yield names(page);
    },
  });
  const s3 = s3Client(config);
  return {
    stacks: pagesOf(paginateListStacks({ client: new CloudFormationClient(config) }, {}), ({ StackSummaries = [] }) =>
      StackSummaries.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(({ StackName }) => StackName),
    ),
    functions: pagesOf(paginateListFunctions({ client: new LambdaClient(config) }, {}), ({ Functions = [] }) =>
      Functions.map(({ FunctionName }) => FunctionName),
    ),
    tables: pagesOf(
      paginateListTables({ client: new DynamoDBClient(config) }, {}),
      ({ TableNames = [] }) => TableNames,
    ),
    queues: pagesOf(paginateListQueues({ client: new SQSClient(config) }, {}), ({ QueueUrls = [] }) =>
      QueueUrls.map((url) => url.slice(url.lastIndexOf('/') + 1)),
    ),
    buckets: {
      async *[Symbol.asyncIterator]() {
        yield ((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name }) => Name);
      },
    },
    secrets: pagesOf(paginateListSecrets({ client: new SecretsManagerClient(config) }, {}), ({ SecretList = [] }) =>
      SecretList.map(({ Name }) => Name),
    ),
    logGroups: pagesOf(
      paginateDescribeLogGroups(
        { client: new CloudWatchLogsClient(config) },
        { logGroupNamePrefix: lambdaLogs + prefix },
      ),
      ({ logGroups = [] }) => logGroups.map(({ logGroupName }) => logGroupName?.slice(lambdaLogs.length)),
    ),
    roles: pagesOf(paginateListRoles({ client: new IAMClient(config) }, {}), ({ Roles = [] }) =>
      Roles.map(({ RoleName }) => RoleName),
    ),
  };
}
