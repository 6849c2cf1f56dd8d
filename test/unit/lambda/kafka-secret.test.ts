import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { kafkaLogOptions } from '../../../lib/lambda/kafka-environment.js';
import type { CredentialsSource } from '../../../lib/log/kafka/sasl.js';
import { InvalidSettingError, UnavailableError } from '../../../lib/model/errors.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { createTestHost } from '../../support/test-host.js';

const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:AmazonMSK_orders-AbCdEf';
const variables = {
  MILLRACE_KAFKA_BROKERS: 'b-1:9096',
  MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
  MILLRACE_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  MILLRACE_KAFKA_SECRET: arn,
};
/** In every secret of these tests, and nowhere else. */
const HIDDEN = 'hunter2';
const alice = { username: 'alice', password: `${HIDDEN}-1` };

/** The options with a secret of these values, one after the other; the last one stays. */
async function withSecret(values: readonly string[], environment: Record<string, string> = variables) {
  const events: LoggedEvent[] = [];
  const asked: string[] = [];
  const host = { ...createTestHost(), logger: listeningLogger(events) };
  const options = await kafkaLogOptions(environment, 'word-count', host, async (secretId) => {
    const value = values[Math.min(asked.length, values.length - 1)] ?? '';
    asked.push(secretId);
    return value;
  });
  return { options, asked, events };
}

const refusalOf = (value: string, environment?: Record<string, string>): Promise<unknown> =>
  withSecret([value], environment).then(
    () => 'it was taken',
    (error: unknown) => error,
  );

function sourceOf(sasl: object | undefined): CredentialsSource {
  if (sasl === undefined || !('credentials' in sasl)) throw new Error('the options hold no source of credentials');
  return sasl.credentials as CredentialsSource;
}

describe('credentials from a secret', () => {
  it('are those of the form that Amazon MSK asks for, read once', async () => {
    const { options, asked } = await withSecret([JSON.stringify(alice)]);

    expect(options).toMatchObject({ tls: true, sasl: { mechanism: 'scram-sha-512' } });
    expect(await sourceOf(options.sasl)(null)).toEqual(alice);
    expect(asked).toEqual([arn]);
  });

  it('come with the authorities to trust, also where their line ends were written as text', async () => {
    const { options } = await withSecret([JSON.stringify({ ...alice, ca: '--BEGIN--\\nabc' })]);

    expect(options.tls).toEqual({ ca: '--BEGIN--\nabc' });
  });

  it('leave the authorities to the variable where the secret has none', async () => {
    const { options } = await withSecret([JSON.stringify(alice)], { ...variables, MILLRACE_KAFKA_CA: '--BEGIN--' });

    expect(options.tls).toEqual({ ca: '--BEGIN--' });
  });

  it('are read again when a broker has refused them, and the log says whether they had changed, not what they are', async () => {
    const rotated = { username: 'alice', password: `${HIDDEN}-2` };
    const { options, asked, events } = await withSecret([JSON.stringify(alice), JSON.stringify(rotated)]);
    const credentials = sourceOf(options.sasl);

    const answers = [await credentials(alice), await credentials(rotated)];

    expect(answers).toEqual([rotated, rotated]);
    expect(asked).toEqual([arn, arn, arn]);
    expect(events).toEqual([
      { level: 'warn', event: 'kafka-login-refused', fields: { secret: arn, secretHasChanged: true } },
      { level: 'warn', event: 'kafka-login-refused', fields: { secret: arn, secretHasChanged: false } },
    ]);
  });
});

describe('a secret that is of no use', () => {
  it.each([
    ['no JSON', `${HIDDEN}, not JSON`],
    ['a text', JSON.stringify(HIDDEN)],
    ['a list', JSON.stringify([HIDDEN])],
    ['nothing', 'null'],
    ['without a user', JSON.stringify({ user: 'alice', password: HIDDEN })],
    ['without a password', JSON.stringify({ username: HIDDEN })],
    ['with an empty password', JSON.stringify({ username: HIDDEN, password: '' })],
    ['with a number for a password', JSON.stringify({ username: HIDDEN, password: 7 })],
    ['with authorities that are no text', JSON.stringify({ ...alice, ca: [HIDDEN] })],
  ])('(%s) is refused by its ARN, and nothing of it is told', async (_, value) => {
    const refusal = await refusalOf(value);

    expect(refusal).toBeInstanceOf(InvalidSettingError);
    expect(String(refusal)).toContain(arn);
    expect(inspect(refusal, { depth: 10, showHidden: true })).not.toContain(HIDDEN);
  });

  it('is the failure of its reader where it can not be read', async () => {
    const away = new UnavailableError('away');

    const reading = kafkaLogOptions(variables, 'word-count', createTestHost(), async () => Promise.reject(away));

    await expect(reading).rejects.toBe(away);
  });
});

describe('a secret beside something else that says the same', () => {
  it.each(['MILLRACE_KAFKA_SASL_USERNAME', 'MILLRACE_KAFKA_SASL_PASSWORD', 'MILLRACE_KAFKA_CA'])(
    'is refused: %s, both by name',
    async (name) => {
      const environment = { ...variables, [name]: HIDDEN };

      const refusal = await refusalOf(JSON.stringify({ ...alice, ca: HIDDEN }), environment);

      expect(refusal).toBeInstanceOf(InvalidSettingError);
      expect(String(refusal)).toContain('MILLRACE_KAFKA_SECRET');
      expect(String(refusal)).toContain(name);
      expect(inspect(refusal, { depth: 10, showHidden: true })).not.toContain(HIDDEN);
    },
  );

  it('is refused where the protocol has no login', async () => {
    const environment = { ...variables, MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SSL' };

    const refusal = await refusalOf(JSON.stringify(alice), environment);

    expect(refusal).toBeInstanceOf(InvalidSettingError);
    expect(String(refusal)).toContain('MILLRACE_KAFKA_SECURITY_PROTOCOL');
  });
});
