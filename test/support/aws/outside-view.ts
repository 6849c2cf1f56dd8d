/** What can be seen of a deployment, and done to it, through AWS's API alone. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { type AttributeValue, DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { GetFunctionUrlConfigCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sleep } from '../wait-for.js';
import { clientConfig, s3Client } from './clients.js';
import { type DeployedFunction, functionName, stackName } from './deployment.js';
import { emptyBucket, leftovers } from './leftovers.js';
import { type HttpAnswer, signedGet } from './signed-get.js';
import type { AwsTarget } from './target.js';

/** One item of a table, as DynamoDB writes it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** Names of what the stack has made: its outputs. */
export interface Outputs {
  readonly MembersTableName: string;
  readonly LeasesTableName: string;
  readonly PlansTableName: string;
  readonly HistoryTableName: string;
  readonly SnapshotsBucketName: string;
  readonly FailuresQueueUrl: string;
  readonly UnreadFailuresQueueUrl: string;
}

/** The clients by which tests look at a deployment, and which may do everything. */
function awsClients(target: AwsTarget) {
  const config = clientConfig(target);
  return {
    cloudFormation: new CloudFormationClient(config),
    dynamoDb: new DynamoDBClient(config),
    lambda: new LambdaClient({ ...config, requestHandler: { requestTimeout: 900_000 } }),
    logs: new CloudWatchLogsClient(config),
    s3: s3Client(config),
    sqs: new SQSClient(config),
  };
}

export class OutsideView {
  readonly clients: ReturnType<typeof awsClients>;
  readonly outputs: Outputs;
  private readonly target: AwsTarget;
  private readonly applicationId: string;

  private constructor(target: AwsTarget, applicationId: string, outputs: Outputs) {
    this.target = target;
    this.applicationId = applicationId;
    this.clients = awsClients(target);
    this.outputs = outputs;
  }

  /** Learns the names of what the stack has made. */
  static async of(target: AwsTarget, applicationId: string): Promise<OutsideView> {
    const { cloudFormation } = awsClients(target);
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stackName(target) }));
    const outputs = Object.fromEntries((Stacks?.[0]?.Outputs ?? []).map((one) => [one.OutputKey, one.OutputValue]));
    return new OutsideView(target, applicationId, outputs as unknown as Outputs);
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

  emptyBucket(): Promise<void> {
    return emptyBucket(this.target, this.outputs.SnapshotsBucketName);
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
      new InvokeCommand({ FunctionName: functionName(this.target, name), InvocationType: 'Event', Payload }),
    );
  }

  /** Invocations of a function that have ended, from the lines with which Lambda begins each in its log. */
  async invocations(name: DeployedFunction): Promise<number> {
    return (await this.log(name)).filter((line) => line.startsWith('START RequestId:')).length;
  }

  /** What a function has logged in invocations that have ended; on AWS it takes a while until that can be read. */
  async log(name: DeployedFunction): Promise<readonly string[]> {
    await sleep(this.target.logDelayMs);
    const lines: string[] = [];
    const at = { logGroupName: `/aws/lambda/${functionName(this.target, name)}` };
    for await (const { events } of paginateFilterLogEvents({ client: this.clients.logs }, at))
      lines.push(...(events ?? []).map(({ message }) => message ?? ''));
    return lines;
  }

  /** Asks the query function's URL; unsigned if told so. */
  async query(path: string, { signed = true } = {}): Promise<HttpAnswer> {
    const { lambda } = this.clients;
    const { endpoint, region } = this.target;
    const FunctionName = functionName(this.target, 'query');
    const { FunctionUrl } = await lambda.send(new GetFunctionUrlConfigCommand({ FunctionName }));
    return signedGet({
      url: new URL(path, FunctionUrl),
      ...(endpoint === undefined ? {} : { through: new URL(endpoint) }),
      region,
      ...(signed ? { credentials: await lambda.config.credentials() } : {}),
    });
  }

  /** Names of what there still is of the deployment; of an emulator of our own: of anything at all. */
  leftovers(): Promise<readonly string[]> {
    return leftovers(this.target, this.target.kind === 'ministack' ? '' : this.target.run);
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
