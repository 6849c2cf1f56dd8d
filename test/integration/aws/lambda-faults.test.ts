/** What the Lambda adapter makes of throttling, lost replies, refusals and payloads that are too large. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createLambdaInvoker, MAX_PAYLOAD_BYTES } from '../../../lib/invoke/lambda/lambda-invoker.js';
import type { AdvanceSnapshots } from '../../../lib/invoke/payloads.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { clientConfig } from '../../support/aws/clients.js';
import { type FaultyEndpoint, startFaultyEndpoint } from '../../support/aws/faulty-endpoint.js';
import { createNotingFunctions, type NotingFunctions } from '../../support/aws/noting-functions.js';
import { createTestHost, type TestHost } from '../../support/test-host.js';
import { waitFor } from '../../support/wait-for.js';

const MAX_ATTEMPTS = 3;
const tick = { type: 'tick', applicationId: 'app', expiresAtMs: 5_000, reason: 'because' } as const;
const THROTTLED = {
  status: 429,
  headers: { 'x-amzn-errortype': 'TooManyRequestsException' },
  body: '{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded"}',
};

const target = inject('awsTarget');
let faulty: FaultyEndpoint;
let functions: NotingFunctions<'scheduler' | 'standby'>;
let host: TestHost;
beforeAll(async () => {
  faulty = await startFaultyEndpoint(target);
  functions = await createNotingFunctions(target, ['scheduler', 'standby']);
});
afterAll(async () => {
  await functions.close();
  await faulty.close();
});
beforeEach(() => {
  host = createTestHost();
});

const invoker = () =>
  createLambdaInvoker({
    functionNames: functions.prefix,
    clientConfig: { ...clientConfig(target, faulty.endpoint), maxAttempts: MAX_ATTEMPTS },
    host,
  });
const noted = (count: number) => waitFor('the function', async () => functions.notes.length >= count);

describe('a request', () => {
  it('that is throttled is repeated', async () => {
    const before = functions.notes.length;
    faulty.inject(THROTTLED, /invocations/, MAX_ATTEMPTS - 1);

    await invoker().invoke('scheduler', tick);
    await noted(before + 1);

    expect([functions.notes.length, faulty.pending]).toEqual([before + 1, 0]);
  });

  it('that is throttled for too long, or refused, is STREAMS_UNAVAILABLE and not repeated for ever', async () => {
    const before = faulty.seen.length;
    faulty.inject(THROTTLED, /invocations/, MAX_ATTEMPTS);
    expect(await codeOf(invoker().invoke('scheduler', tick))).toBe('STREAMS_UNAVAILABLE');

    faulty.inject({ status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' }, body: '{}' });
    expect(await codeOf(invoker().invoke('scheduler', tick))).toBe('STREAMS_UNAVAILABLE');

    expect([faulty.seen.length - before, faulty.pending]).toEqual([MAX_ATTEMPTS + 1, 0]);
    expect(host.lines).toEqual([]);
  });

  it('whose reply is lost is repeated: the function runs twice, and the caller knows of one', async () => {
    const before = functions.notes.length;
    faulty.inject('lose-reply', /invocations/);

    await invoker().invoke('scheduler', tick);
    await noted(before + 2);

    expect(functions.notes.slice(before).map(({ event }) => event)).toEqual([tick, tick]);
    expect(host.lines.map(({ event }) => event)).toEqual(['function-invoked']);
  });

  it('is logged with the request id in the answer, which on AWS is that of the invocation', async () => {
    faulty.inject({ status: 202, headers: { 'x-amzn-requestid': 'f7a1' } }, /invocations/);

    await invoker().invoke('scheduler', tick);

    const fields = { function: `${functions.prefix}scheduler`, type: 'tick', requestId: 'f7a1' };
    expect(host.lines).toEqual([{ level: 'info', event: 'function-invoked', fields }]);
  });
});

describe('a payload', () => {
  /** Of exactly this many bytes of JSON. */
  const ofSize = (bytes: number): AdvanceSnapshots => {
    const payload = { type: 'advance-snapshots', applicationId: 'app', expiresAtMs: 5_000, taskIds: [''] } as const;
    return { ...payload, taskIds: ['x'.repeat(bytes - JSON.stringify(payload).length)] };
  };

  it('of the largest size arrives', async () => {
    const before = functions.notes.length;

    await invoker().invoke('standby', ofSize(MAX_PAYLOAD_BYTES));
    await noted(before + 1);

    expect(functions.notes[before]?.event).toEqual(ofSize(MAX_PAYLOAD_BYTES));
  });

  it('that is one byte larger is STREAMS_INVALID_PAYLOAD, and nothing is sent', async () => {
    const before = faulty.seen.length;

    expect(await codeOf(invoker().invoke('standby', ofSize(MAX_PAYLOAD_BYTES + 1)))).toBe('STREAMS_INVALID_PAYLOAD');
    expect(faulty.seen.length).toBe(before);
  });
});

it('functions without a name are STREAMS_INVALID_SETTING before anything is invoked', async () => {
  const functionNames = { task: 'task', standby: '', scheduler: 'scheduler' };

  expect(await codeOf(Promise.resolve().then(() => createLambdaInvoker({ functionNames, host })))).toBe(
    'STREAMS_INVALID_SETTING',
  );
});
