/**
 * Lambda functions that tell the test what they are invoked with, over HTTP. They reach the test at 127.0.0.1, so the emulator has
 * to run functions on this machine, as ministack does.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  type LambdaClient,
  PutFunctionEventInvokeConfigCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { storedZip } from './stored-zip.js';

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
  lambda: LambdaClient,
  targets: readonly T[],
): Promise<NotingFunctions<T>> {
  const prefix = `noting-${randomUUID().slice(0, 8)}-`;
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const noteTo = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await Promise.all(targets.map((target) => create(lambda, prefix + target, { TARGET: target, NOTE_TO: noteTo })));

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
      await Promise.all(
        targets.map((target) => lambda.send(new DeleteFunctionCommand({ FunctionName: prefix + target }))),
      );
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function create(lambda: LambdaClient, name: string, variables: Record<string, string>): Promise<void> {
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: name,
      Runtime: 'nodejs22.x',
      Handler: 'index.handler',
      Role: 'arn:aws:iam::000000000000:role/noting',
      Code: { ZipFile: code },
      Timeout: 10,
      Environment: { Variables: variables },
    }),
  );
  await waitUntilFunctionActiveV2(
    { client: lambda, maxWaitTime: 30, minDelay: 1, maxDelay: 1 },
    { FunctionName: name },
  );
  await lambda.send(new PutFunctionEventInvokeConfigCommand({ FunctionName: name, MaximumRetryAttempts: 0 }));
}
