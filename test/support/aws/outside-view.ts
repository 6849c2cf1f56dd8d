/** What can be seen of a deployment, and done to it, through AWS's API alone. */
import { CloudFormationClient, DescribeStacksCommand, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { type AttributeValue, DynamoDBClient, ListTablesCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import { IAMClient, ListRolesCommand } from '@aws-sdk/client-iam';
import { GetFunctionUrlConfigCommand, InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, ListBucketsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type DeployedFunction, functionName, stackName } from './deployment.js';
import type { Emulator } from './emulator.js';
import { type HttpAnswer, signedGet } from './signed-get.js';

/** One item of a table, as DynamoDB writes it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** Names of what the stack has made: its outputs. */
export interface Outputs {
  readonly MembersTableName: string;
  readonly LeasesTableName: string;
  readonly PlansTableName: string;
  readonly SnapshotsBucketName: string;
  readonly FailuresQueueUrl: string;
  readonly UnreadFailuresQueueUrl: string;
}

/** The clients by which tests look at an emulator, with keys that may do everything. */
export function awsClients({ endpoint, env }: Pick<Emulator, 'endpoint' | 'env'>) {
  const credentials = {
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? 'test',
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? 'test',
  };
  const region = env.AWS_REGION ?? 'us-east-1';
  const options = { endpoint, region, credentials };
  return {
    credentials,
    region,
    cloudFormation: new CloudFormationClient(options),
    dynamoDb: new DynamoDBClient(options),
    iam: new IAMClient(options),
    lambda: new LambdaClient({ ...options, requestHandler: { requestTimeout: 900_000 } }),
    logs: new CloudWatchLogsClient(options),
    s3: new S3Client({ ...options, forcePathStyle: true }),
    sqs: new SQSClient(options),
  };
}

export class OutsideView {
  readonly clients: ReturnType<typeof awsClients>;
  readonly outputs: Outputs;
  private readonly emulator: Emulator;
  private readonly applicationId: string;

  private constructor(emulator: Emulator, applicationId: string, outputs: Outputs) {
    this.emulator = emulator;
    this.applicationId = applicationId;
    this.clients = awsClients(emulator);
    this.outputs = outputs;
  }

  /** Learns the names of what the stack has made. */
  static async of(emulator: Emulator, applicationId: string): Promise<OutsideView> {
    const { cloudFormation } = awsClients(emulator);
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stackName }));
    const outputs = Object.fromEntries((Stacks?.[0]?.Outputs ?? []).map((one) => [one.OutputKey, one.OutputValue]));
    return new OutsideView(emulator, applicationId, outputs as unknown as Outputs);
  }

  members(): Promise<readonly Item[]> {
    return this.items(this.outputs.MembersTableName);
  }

  leases(): Promise<readonly Item[]> {
    return this.items(this.outputs.LeasesTableName);
  }

  /** Kept plans, the newest last. */
  plans(): Promise<readonly Item[]> {
    return this.items(this.outputs.PlansTableName);
  }

  /** Names of all objects of the snapshots' bucket. */
  async objects(): Promise<readonly string[]> {
    const names: string[] = [];
    const at = { Bucket: this.outputs.SnapshotsBucketName };
    for await (const { Contents } of paginateListObjectsV2({ client: this.clients.s3 }, at))
      names.push(...(Contents ?? []).map(({ Key }) => Key ?? ''));
    return names;
  }

  async emptyBucket(): Promise<void> {
    for (const Key of await this.objects())
      await this.clients.s3.send(new DeleteObjectCommand({ Bucket: this.outputs.SnapshotsBucketName, Key }));
  }

  /** Messages of a queue, those that somebody is working on included. */
  async messages(QueueUrl: string): Promise<number> {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes } = await this.clients.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
    );
    return AttributeNames.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
  }

  /** Hands an event over and does not wait for the function: what EventBridge does with a schedule's. */
  async invoke(name: DeployedFunction, event: unknown): Promise<void> {
    const Payload = JSON.stringify(event);
    await this.clients.lambda.send(
      new InvokeCommand({ FunctionName: functionName(name), InvocationType: 'Event', Payload }),
    );
  }

  /** Invocations of a function that have ended, from the lines with which Lambda begins each in its log. */
  async invocations(name: DeployedFunction): Promise<number> {
    return (await this.log(name)).filter((line) => line.startsWith('START RequestId:')).length;
  }

  /** What a function has logged in invocations that have ended. */
  async log(name: DeployedFunction): Promise<readonly string[]> {
    const lines: string[] = [];
    const at = { logGroupName: `/aws/lambda/${functionName(name)}` };
    for await (const { events } of paginateFilterLogEvents({ client: this.clients.logs }, at))
      lines.push(...(events ?? []).map(({ message }) => message ?? ''));
    return lines;
  }

  /** Asks the query function's URL; unsigned if told so. */
  async query(path: string, { signed = true } = {}): Promise<HttpAnswer> {
    const { lambda, region, credentials } = this.clients;
    const { FunctionUrl } = await lambda.send(new GetFunctionUrlConfigCommand({ FunctionName: functionName('query') }));
    return signedGet({
      url: new URL(path, FunctionUrl),
      through: new URL(this.emulator.endpoint),
      region,
      ...(signed ? { credentials } : {}),
    });
  }

  /** Names of what the account still has of stacks, functions, tables, queues, buckets, logs and roles; a removed stack is none. */
  async leftovers(): Promise<readonly string[]> {
    const { cloudFormation, dynamoDb, iam, lambda, logs, s3, sqs } = this.clients;
    const stacks = (await cloudFormation.send(new ListStacksCommand({}))).StackSummaries ?? [];
    return [
      ...stacks.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE').map(({ StackName }) => StackName ?? ''),
      ...((await lambda.send(new ListFunctionsCommand({}))).Functions ?? []).map((one) => one.FunctionName ?? ''),
      ...((await dynamoDb.send(new ListTablesCommand({}))).TableNames ?? []),
      ...((await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []),
      ...((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name }) => Name ?? ''),
      ...((await logs.send(new DescribeLogGroupsCommand({}))).logGroups ?? []).map((one) => one.logGroupName ?? ''),
      ...((await iam.send(new ListRolesCommand({}))).Roles ?? []).map(({ RoleName }) => RoleName ?? ''),
    ];
  }

  private async items(TableName: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    const question = {
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: 'applicationId = :application',
      ExpressionAttributeValues: { ':application': { S: this.applicationId } },
    };
    for await (const { Items } of paginateQuery({ client: this.clients.dynamoDb }, question))
      items.push(...(Items ?? []));
    return items;
  }
}
