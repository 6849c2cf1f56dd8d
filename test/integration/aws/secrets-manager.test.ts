/** The login from a secret of AWS Secrets Manager: rotated, refused, not there, behind a network that loses and garbles. */
import { inspect } from 'node:util';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { kafkaLogOptions } from '../../../lib/lambda/kafka-environment.js';
import { readSecret } from '../../../lib/lambda/secrets-manager.js';
import { asStreamsError, type StreamsError } from '../../../lib/model/errors.js';
import { clientConfig } from '../../support/aws/clients.js';
import { type Fault, type FaultyEndpoint, startFaultyEndpoint } from '../../support/aws/faulty-endpoint.js';
import { newNameAt } from '../../support/aws/new-name.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { createTestHost } from '../../support/test-host.js';

const target = inject('awsTarget');
const secrets = new SecretsManagerClient(clientConfig(target));
/** In every password of these tests. */
const HIDDEN = 'hunter2';
const MAX_ATTEMPTS = 3;

let faulty: FaultyEndpoint;
const made: string[] = [];

beforeAll(async () => {
  faulty = await startFaultyEndpoint(target);
});
afterEach(async () => {
  for (const SecretId of made.splice(0))
    await secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
});
afterAll(() => faulty.close());

/** @returns its ARN */
async function newSecret(value: { readonly SecretString: string } | { readonly SecretBinary: Uint8Array }) {
  const { ARN = '' } = await secrets.send(
    new CreateSecretCommand({ Name: newNameAt(target, 'AmazonMSK_test'), ...value }),
  );
  made.push(ARN);
  return ARN;
}

const credentials = (password: string): string => JSON.stringify({ username: 'alice', password });
const throughFaults = (secretId: string) =>
  readSecret(secretId, { ...clientConfig(target, faulty.endpoint), maxAttempts: MAX_ATTEMPTS });

async function refusalOf(reading: Promise<string>): Promise<StreamsError> {
  return reading.then(() => Promise.reject(new Error('it was read')), asStreamsError);
}

describe('a login from a secret', () => {
  it('is what the secret is at the start, and what it was rotated to when that is refused', async () => {
    const arn = await newSecret({ SecretString: credentials(`${HIDDEN}-1`) });
    const events: LoggedEvent[] = [];
    const environment = {
      MILLRACE_KAFKA_BROKERS: 'b-1:9096',
      MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
      MILLRACE_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      MILLRACE_KAFKA_SECRET: arn,
    };
    const host = { ...createTestHost(), logger: listeningLogger(events) };
    const { sasl } = await kafkaLogOptions(environment, 'word-count', host, (id) =>
      readSecret(id, clientConfig(target)),
    );
    if (sasl === undefined || !('credentials' in sasl)) throw new Error('the options hold no source of credentials');
    const first = await sasl.credentials(null);

    await secrets.send(new PutSecretValueCommand({ SecretId: arn, SecretString: credentials(`${HIDDEN}-2`) }));
    const rotated = await sasl.credentials(first);

    expect([first.password, rotated.password]).toEqual([`${HIDDEN}-1`, `${HIDDEN}-2`]);
    expect(events).toEqual([
      { level: 'warn', event: 'kafka-login-refused', fields: { secret: arn, secretHasChanged: true } },
    ]);
  });
});

describe('a secret', () => {
  it('is read by its name too', async () => {
    const Name = newNameAt(target, 'by-name');
    await secrets.send(new CreateSecretCommand({ Name, SecretString: 'text' }));
    made.push(Name);

    expect(await readSecret(Name, clientConfig(target))).toBe('text');
  });

  it('that is not there, is about to go, or has no text, is STREAMS_INVALID_SETTING with its ARN', async () => {
    const gone = await newSecret({ SecretString: credentials(HIDDEN) });
    await secrets.send(new DeleteSecretCommand({ SecretId: gone, RecoveryWindowInDays: 7 }));
    const binary = await newSecret({ SecretBinary: Buffer.from(HIDDEN) });
    const absent = gone.replace('AmazonMSK', 'Other');

    for (const arn of [gone, binary, absent]) {
      const refusal = await refusalOf(readSecret(arn, clientConfig(target)));

      expect(refusal.code).toBe('STREAMS_INVALID_SETTING');
      expect(refusal.message).toContain(arn);
      expect(inspect(refusal, { depth: 10, showHidden: true })).not.toContain(HIDDEN);
    }
  });

  it('that may not be read is STREAMS_INVALID_SETTING at once, and says which permission is missing', async () => {
    const arn = await newSecret({ SecretString: credentials(HIDDEN) });
    const before = faulty.seen.length;
    const message = `User: arn:aws:sts::1:assumed-role/x is not authorized to perform: secretsmanager:GetSecretValue on resource: ${arn}`;
    faulty.inject({
      status: 400,
      headers: { 'x-amzn-errortype': 'AccessDeniedException' },
      body: JSON.stringify({ message }),
    });

    const refusal = await refusalOf(throughFaults(arn));

    expect(refusal.code).toBe('STREAMS_INVALID_SETTING');
    expect(refusal.message).toContain(message);
    expect(refusal.remedy).toContain('kafka-secret.yml');
    expect(faulty.seen.length).toBe(before + 1);
  });

  const passing: readonly (readonly [string, Fault])[] = [
    ['throttles', { status: 400, headers: { 'x-amzn-errortype': 'ThrottlingException' }, body: '{}' }],
    ['fails', { status: 500, headers: { 'x-amzn-errortype': 'InternalServiceError' }, body: '{}' }],
    ['loses the request', 'lose-request'],
    ['breaks off in its answer', 'cut-body'],
  ];

  it.each(passing)('is read although the service %s once', async (_, fault) => {
    const arn = await newSecret({ SecretString: credentials(HIDDEN) });
    faulty.inject(fault);

    expect(await throughFaults(arn)).toBe(credentials(HIDDEN));
    expect(faulty.pending).toBe(0);
  });

  it.each(passing)(
    'is STREAMS_UNAVAILABLE if the service %s for too long, and nothing of it is told',
    async (_, fault) => {
      const arn = await newSecret({ SecretString: credentials(HIDDEN) });
      faulty.inject(fault, /^/, MAX_ATTEMPTS);

      const refusal = await refusalOf(throughFaults(arn));

      expect(refusal.code).toBe('STREAMS_UNAVAILABLE');
      expect(refusal.message).toContain(arn);
      expect(inspect(refusal, { depth: 10, showHidden: true })).not.toContain(HIDDEN);
      expect(faulty.pending).toBe(0);
    },
  );

  it('is not quoted by the error about an answer that can not be read', async () => {
    const arn = await newSecret({ SecretString: credentials(HIDDEN) });
    faulty.inject({ status: 200, body: `{"SecretString": ${HIDDEN}` }, /^/, MAX_ATTEMPTS);

    const refusal = await refusalOf(throughFaults(arn));
    const left = faulty.pending;

    expect(refusal.code).toBe('STREAMS_UNAVAILABLE');
    expect(inspect(refusal, { depth: 10, showHidden: true })).not.toContain(HIDDEN);
    expect(left).toBeLessThan(MAX_ATTEMPTS);
  });
});
