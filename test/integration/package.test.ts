/**
 * What `npm run package` makes of the word count, without credentials or network: the functions' bundles, and the template that the framework
 * generates from serverless.yml and infra/. Everything happens in a copy, so that nothing of a real deployment is touched.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunctions, FUNCTIONS } from '../../infra/bundle.js';
import { startTimeMs } from '../support/start-time.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MAX_ZIP_BYTES = 1.5 * 1024 * 1024;
const MAX_START_MS = 350;
/** The fastest of so many starts counts: the machine does other things as well. */
const STARTS = 5;
const run = promisify(execFile);

interface Resource {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface Template {
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, unknown>>;
}

/** An environment as on a machine that knows no AWS account. */
function environmentWithoutAws(home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(AWS_|SLS_|SERVERLESS_|MILLRACE_)/.test(name));
  return { ...Object.fromEntries(kept), HOME: home, SLS_TELEMETRY_DISABLED: '1', SLS_NOTIFICATIONS_MODE: 'off' };
}

async function packageService(
  folder: string,
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Template> {
  const framework = join(root, 'node_modules/serverless/bin/serverless.js');
  const env = { ...environmentWithoutAws(folder), ...variables };
  await run(process.execPath, [framework, 'package', ...args], { cwd: folder, env });
  return JSON.parse(await readFile(join(folder, '.serverless/cloudformation-template-update-stack.json'), 'utf8'));
}

/** A service folder of its own, with the bundles: the framework empties the one that it works in. */
async function copyOfService(name: string): Promise<string> {
  const copy = join(folder, name);
  for (const part of ['serverless.yml', 'package.json', 'infra', '.build'])
    await cp(join(folder, part), join(copy, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

let folder: string;
let template: Template;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'));
  for (const name of ['serverless.yml', 'package.json', 'infra'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await bundleFunctions(join(folder, '.build'), { app: 'test/support/word-count-app.ts' });
  template = await packageService(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ofType = (type: string): readonly string[] =>
  Object.keys(template.Resources)
    .filter((name) => template.Resources[name]?.Type === type)
    .sort();
const properties = (name: string): Readonly<Record<string, unknown>> => template.Resources[name]?.Properties ?? {};

function statements(role: string): readonly Statement[] {
  const policies = properties(role).Policies as readonly { PolicyDocument: { Statement: readonly Statement[] } }[];
  return policies.flatMap((policy) => policy.PolicyDocument.Statement);
}

/** The actions that a role may call, without those on its own log. */
function actions(role: string): readonly string[] {
  return statements(role)
    .flatMap(({ Action }) => Action)
    .filter((action) => !action.startsWith('logs:'))
    .sort();
}

/** What every payload has. */
const anyPayload = { applicationId: 'word-count', expiresAtMs: Number.MAX_SAFE_INTEGER };

const runMember = { type: 'run-member', ...anyPayload, memberId: 'member-1', incarnation: 1 };

/** The fastest of several starts of a function, until it connects to the broker for this event. */
async function fastestStartMs(name: string, event: unknown, variables: NodeJS.ProcessEnv = {}): Promise<number> {
  const starts: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const env = { ...environmentWithoutAws(folder), ...variables };
    starts.push(await startTimeMs(join(folder, '.build', `${name}.mjs`), event, env));
  }
  return Math.min(...starts);
}

const functionName = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}LambdaFunction`;

describe('the bundles', () => {
  it.each(FUNCTIONS)('hold all that %s needs: plain Node loads the file and finds a handler', async (name) => {
    const file = join(folder, '.build', `${name}.mjs`);
    const script = `import(${JSON.stringify(file)}).then((m) => process.stdout.write(typeof m.handler))`;

    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: tmpdir(),
      env: environmentWithoutAws(folder),
    });

    expect(stdout).toBe('function');
  });

  it.each(FUNCTIONS)('%s stays below 1.5 MB zipped', async (name) => {
    const { size } = await stat(join(folder, '.serverless', `${name}.zip`));

    expect(size).toBeGreaterThan(1_000);
    expect(size).toBeLessThanOrEqual(MAX_ZIP_BYTES);
  });

  it.each([
    ['scheduler', { source: 'aws.events' }],
    ['task', runMember],
    ['standby', { type: 'advance-snapshots', ...anyPayload, taskIds: ['0_0'] }],
    ['query', { rawPath: '/stores/counts/the', requestContext: { http: { method: 'GET' } } }],
  ])('%s is ready 350 ms after its start: it then connects to the broker for its first event', async (name, event) => {
    const fastestMs = await fastestStartMs(name, event);

    console.log(`${name} is ready after ${fastestMs.toFixed(0)} ms`);
    expect(fastestMs).toBeLessThanOrEqual(MAX_START_MS);
  });

  it('task is ready as soon when it finds its login in a secret, whose client is loaded for that alone', async () => {
    const asked: string[] = [];
    const service = createServer((request, answer) => {
      asked.push(String(request.headers['x-amz-target']));
      answer.end(JSON.stringify({ SecretString: '{"username":"alice","password":"secret"}' }));
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    try {
      const fastestMs = await fastestStartMs('task', runMember, {
        AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
        MILLRACE_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
        MILLRACE_KAFKA_SECRET: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:AmazonMSK_orders-AbCdEf',
      });

      console.log(`task is ready after ${fastestMs.toFixed(0)} ms with a secret`);
      expect(fastestMs).toBeLessThanOrEqual(MAX_START_MS);
      expect(asked).toEqual(Array.from({ length: STARTS }, () => 'secretsmanager.GetSecretValue'));
    } finally {
      service.close();
    }
  });
});

describe('the template', () => {
  it('has the four functions, on arm64 and Node 22, each with its own role', () => {
    expect(ofType('AWS::Lambda::Function')).toEqual(FUNCTIONS.map(functionName).sort());
    for (const name of FUNCTIONS) {
      expect(properties(functionName(name))).toMatchObject({
        Runtime: 'nodejs22.x',
        Architectures: ['arm64'],
        Handler: `.build/${name}.handler`,
        FunctionName: `millrace-dev-${name}`,
        Role: { 'Fn::GetAtt': [functionName(name).replace('LambdaFunction', 'Role'), 'Arn'] },
      });
    }
    expect(ofType('AWS::IAM::Role')).toEqual(['QueryRole', 'SchedulerRole', 'StandbyRole', 'TaskRole']);
  });

  it('lets a task function run 14 minutes, invoke its successors, and never be repeated by Lambda', () => {
    expect(properties('TaskLambdaFunction')).toMatchObject({ Timeout: 840, RecursiveLoop: 'Allow' });
    expect(properties('TaskLambdaEvConf')).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['FailuresQueue', 'Arn'] } } },
    });
  });

  it('lets doorbells call the scheduler, in chains of any length', () => {
    expect(properties('SchedulerLambdaFunction')).toMatchObject({ RecursiveLoop: 'Allow' });
  });

  it('ticks every minute and hears of failures', () => {
    expect(properties('SchedulerEventsRuleSchedule1')).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
    });
    expect(properties('SchedulerEventSourceMappingSQSFailuresQueue')).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': ['FailuresQueue', 'Arn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('hides a failure message for longer than the scheduler may work on it', () => {
    const hiddenS = properties('FailuresQueue').VisibilityTimeout as number;

    expect(hiddenS).toBeGreaterThan(properties('SchedulerLambdaFunction').Timeout as number);
  });

  it('has separate tables, paid per request, for members, leases, plans and history, of which history alone expires', () => {
    expect(ofType('AWS::DynamoDB::Table')).toEqual(['HistoryTable', 'LeasesTable', 'MembersTable', 'PlansTable']);
    for (const name of ofType('AWS::DynamoDB::Table')) expect(properties(name).BillingMode).toBe('PAY_PER_REQUEST');
    expect(properties('HistoryTable').TimeToLiveSpecification).toEqual({ AttributeName: 'expiresAt', Enabled: true });
    for (const name of ['LeasesTable', 'MembersTable', 'PlansTable'])
      expect(properties(name).TimeToLiveSpecification).toBeUndefined();
  });

  it('keeps snapshots private and reachable over TLS alone', () => {
    expect(properties('SnapshotsBucket').PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(JSON.stringify(properties('SnapshotsBucketPolicy'))).toContain('"aws:SecureTransport":"false"');
  });

  it('keeps the logs of every function for a limited time', () => {
    expect(ofType('AWS::Logs::LogGroup')).toHaveLength(FUNCTIONS.length);
    for (const name of ofType('AWS::Logs::LogGroup')) expect(properties(name).RetentionInDays).toBe(14);
  });

  it('rings when the scheduler fails in three of five minutes, and when it does not tick (trap 41)', () => {
    const alarm = (name: string) => properties(name) as Readonly<Record<string, unknown>>;

    expect(alarm('SchedulerErrorsAlarm')).toMatchObject({
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: 'millrace-dev-scheduler' }],
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
      Threshold: 1,
      AlarmActions: [{ Ref: 'AlarmTopic' }],
    });
    expect(alarm('SchedulerSilentAlarm')).toMatchObject({ MetricName: 'Invocations', TreatMissingData: 'breaching' });
  });

  it('asks for a signature at the query URL', () => {
    expect(properties('QueryLambdaFunctionUrl').AuthType).toBe('AWS_IAM');
    expect(Object.keys(template.Outputs)).toContain('QueryLambdaFunctionUrl');
  });

  it('stands the same on an emulator, less what only AWS can take', async () => {
    const onlyOnAws = Object.keys(template.Resources).filter((name) => template.Resources[name]?.Condition === 'OnAws');

    const local = await packageService(await copyOfService('emulated'), ['--stage', 'local']);

    expect(onlyOnAws).toContain('SnapshotsBucketPolicy');
    expect(onlyOnAws).toEqual(expect.arrayContaining([...ofType('AWS::CloudWatch::Alarm')]));
    expect(template.Conditions.OnAws).toEqual({ 'Fn::Not': [{ 'Fn::Equals': ['dev', 'local'] }] });
    expect(Object.keys(local.Resources).sort()).toEqual(Object.keys(template.Resources).sort());
  });
});

describe('the roles', () => {
  it('let the scheduler write slots and plans, but no lease', () => {
    const onLeases = statements('SchedulerRole').filter(({ Resource }) => isAbout(Resource, 'LeasesTable'));

    expect(onLeases.flatMap(({ Action }) => Action)).toEqual(['dynamodb:Query']);
  });

  it('let a task take leases, but write no plan and delete no item', () => {
    const onPlans = statements('TaskRole').filter(({ Resource }) => isAbout(Resource, 'PlansTable'));

    expect(onPlans.flatMap(({ Action }) => Action)).toEqual(['dynamodb:GetItem']);
    expect(actions('TaskRole')).not.toContain('dynamodb:DeleteItem');
  });

  it('let the scheduler and tasks write history, and nobody read it', () => {
    for (const role of ['SchedulerRole', 'TaskRole']) {
      const onHistory = statements(role).filter(({ Resource }) => isAbout(Resource, 'HistoryTable'));
      expect([role, onHistory.flatMap(({ Action }) => Action)]).toEqual([role, ['dynamodb:PutItem']]);
    }
  });

  it('let the standby keep snapshots and read plans, and nothing else', () => {
    const onTables = statements('StandbyRole').filter(({ Action }) =>
      [Action].flat().some((one) => /^dynamodb:/.test(one)),
    );

    expect(onTables.map(({ Sid, Resource }) => [Sid, isAbout(Resource, 'PlansTable')])).toEqual([['ReadPlans', true]]);
    expect(actions('StandbyRole')).toEqual([
      'dynamodb:GetItem',
      's3:DeleteObject',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
    ]);
  });

  it('let the query read snapshots and nothing else', () => {
    expect(actions('QueryRole')).toEqual(['s3:GetObject', 's3:ListBucket']);
  });

  it('name each action and each resource, without wildcards over either', () => {
    for (const role of ofType('AWS::IAM::Role')) {
      for (const { Sid, Action, Resource, Effect } of statements(role)) {
        expect([role, Sid, Effect]).toEqual([role, Sid, 'Allow']);
        expect([role, Sid, [Action].flat().filter((action) => action.includes('*'))]).toEqual([role, Sid, []]);
        expect([role, Sid, Resource]).not.toEqual([role, Sid, '*']);
      }
    }
  });

  it('let each function write its own log alone', () => {
    for (const name of FUNCTIONS) {
      const log = statements(functionName(name).replace('LambdaFunction', 'Role')).find(
        ({ Sid }) => Sid === 'WriteLogs',
      );

      expect(JSON.stringify(log?.Resource)).toContain(`:log-group:/aws/lambda/millrace-dev-${name}:*`);
    }
  });
});

describe('the secret of the login', () => {
  const MILLRACE_KAFKA_SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:AmazonMSK_orders-AbCdEf';
  const MILLRACE_KAFKA_SECRET_KEY = 'arn:aws:kms:eu-west-1:111122223333:key/0f0f';
  const isGiven = (value: string) => ({ 'Fn::Not': [{ 'Fn::Equals': [value, ''] }] });
  const inKeyCondition = (value: string) => ({ 'Fn::And': [{ Condition: 'HasKafkaSecret' }, isGiven(value)] });

  it('may be read by nobody where there is none', () => {
    expect(properties('TaskLambdaFunction')).toMatchObject({
      Environment: { Variables: { MILLRACE_KAFKA_SECRET: '' } },
    });
    expect(template.Resources.KafkaSecretPolicy?.Condition).toBe('HasKafkaSecret');
    expect(template.Resources.KafkaSecretKeyPolicy?.Condition).toBe('HasKafkaSecretKey');
    expect(template.Conditions).toMatchObject({ HasKafkaSecret: isGiven(''), HasKafkaSecretKey: inKeyCondition('') });
  });

  it('may be read by the four functions, and it alone; and be decrypted by its key, through Secrets Manager alone', async () => {
    const copy = await copyOfService('with-secret');

    const { Resources, Conditions } = await packageService(copy, [], {
      MILLRACE_KAFKA_SECRET,
      MILLRACE_KAFKA_SECRET_KEY,
    });

    const roles = ['Scheduler', 'Task', 'Standby', 'Query'].map((name) => ({ Ref: `${name}Role` }));
    expect(Resources.KafkaSecretPolicy?.Properties).toMatchObject({
      Roles: roles,
      PolicyDocument: {
        Statement: [{ Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: MILLRACE_KAFKA_SECRET }],
      },
    });
    expect(Resources.KafkaSecretKeyPolicy?.Properties).toMatchObject({
      Roles: roles,
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: 'kms:Decrypt',
            Resource: MILLRACE_KAFKA_SECRET_KEY,
            Condition: {
              StringEquals: {
                'kms:ViaService': {
                  'Fn::Sub': expect.stringMatching(/^secretsmanager\.\$\{AWS::Region\}\.amazonaws\.com$/),
                },
              },
            },
          },
        ],
      },
    });
    expect(Conditions).toMatchObject({
      HasKafkaSecret: isGiven(MILLRACE_KAFKA_SECRET),
      HasKafkaSecretKey: inKeyCondition(MILLRACE_KAFKA_SECRET_KEY),
    });
  });
});

describe('doorbells', () => {
  it('from topics of one name on three clusters stay three event sources (trap 48)', async () => {
    const copy = await copyOfService('with-doorbells');
    await cp(join(root, 'test/integration/fixtures/doorbells.yml'), join(copy, 'infra/doorbells.yml'));

    const { Resources } = await packageService(copy);

    const sources = Object.values(Resources).filter(
      ({ Type, Properties }) => Type === 'AWS::Lambda::EventSourceMapping' && Properties.Topics !== undefined,
    );
    expect(sources.map(({ Properties }) => Properties.Topics)).toEqual([['lines'], ['lines'], ['lines']]);
    expect(new Set(sources.map((source) => JSON.stringify(source.Properties))).size).toBe(3);
    expect(JSON.stringify(sources)).not.toContain('"ConsumerGroupId":"word-count"');
  });
});

function isAbout(resource: unknown, logicalId: string): boolean {
  return JSON.stringify(resource).includes(`"${logicalId}"`);
}
