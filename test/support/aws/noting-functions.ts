/** Lambda functions that tell the test what they are invoked with, over HTTP: they must reach it (`testHost` of target.ts). */
import { createServer } from 'node:http';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  type LambdaClient,
  PutFunctionEventInvokeConfigCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { sleep } from '../wait-for.js';
import { clientConfig, lambdaClient } from './clients.js';
import { newNameAt } from './new-name.js';
import { listen } from './reachable-server.js';
import { storedZip } from './stored-zip.js';
import type { AwsTarget } from './target.js';

/** Times that Lambda is asked to take a role that is new: AWS spreads it within seconds. */
const maxRoleTries = 30;
const roleTryMs = 2_000;

const code = storedZip(
  'index.mjs',
  `export const handler = async (event, context) => {
    const note = { target: process.env.TARGET, event, requestId: context.awsRequestId };
    const { status } = await fetch(process.env.NOTE_TO, { method: 'POST', body: JSON.stringify(note) });
    if (status !== 200) throw new Error('asked to fail');
  };`,
);

export interface Note<T extends string> {
  readonly target: T;
  readonly event: unknown;
  readonly requestId: string;
}

export interface NotingFunctions<T extends string> {
  /** What stands before the targets in the functions' names. */
  readonly prefix: string;
  readonly notes: readonly Note<T>[];
  /** Invocations that were told to throw. */
  readonly failures: number;
  failNext(): void;
  /** Deletes the functions. */
  remove(): Promise<void>;
  close(): Promise<void>;
}

/** Creates one function for each target. */
export async function createNotingFunctions<T extends string>(
  target: AwsTarget,
  targets: readonly T[],
): Promise<NotingFunctions<T>> {
  const lambda = lambdaClient(target);
  const name = newNameAt(target, 'noting');
  const prefix = `${name}-`;
  const notes: Note<T>[] = [];
  let failures = 0;
  let toFail = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (toFail > 0) {
        toFail -= 1;
        failures += 1;
        response.writeHead(500).end();
        return;
      }
      notes.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.end();
    });
  });
  const listening = await listen(server, target);
  const variables = { NOTE_TO: listening.urlForFunctions };
  const role = await createRole(target, name);
  await Promise.all(targets.map((one) => create(lambda, role, prefix + one, { TARGET: one, ...variables })));

  return {
    prefix,
    notes,
    get failures() {
      return failures;
    },
    failNext() {
      toFail += 1;
    },
    async remove() {
      await Promise.all(targets.map((one) => lambda.send(new DeleteFunctionCommand({ FunctionName: prefix + one }))));
    },
    close: () => listening.close(),
  };
}

/** A role that may do nothing. @returns its ARN */
async function createRole(target: AwsTarget, RoleName: string): Promise<string> {
  const trust = { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  const iam = new IAMClient(clientConfig(target));
  return (await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }))).Role?.Arn ?? '';
}

async function create(
  lambda: LambdaClient,
  role: string,
  name: string,
  variables: Record<string, string>,
): Promise<void> {
  const command = new CreateFunctionCommand({
    FunctionName: name,
    Runtime: 'nodejs22.x',
    Handler: 'index.handler',
    Role: role,
    Code: { ZipFile: code },
    Timeout: 10,
    Environment: { Variables: variables },
  });
  for (let tries = 1; ; tries += 1) {
    const refusal = await lambda.send(command).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) break;
    if (tries === maxRoleTries || !/cannot be assumed/.test(String(refusal))) throw refusal;
    await sleep(roleTryMs);
  }
  await waitUntilFunctionActiveV2(
    { client: lambda, maxWaitTime: 60, minDelay: 1, maxDelay: 1 },
    { FunctionName: name },
  );
  await lambda.send(new PutFunctionEventInvokeConfigCommand({ FunctionName: name, MaximumRetryAttempts: 0 }));
}
