import { describe, expect, it } from 'vitest';
import { kafkaLogOptions } from '../../../lib/lambda/kafka-environment.js';
import { resolveKafkaLogOptions } from '../../../lib/log/kafka/kafka-log-options.js';
import { InvalidSettingError } from '../../../lib/model/errors.js';
import { createTestHost } from '../../support/test-host.js';

const host = createTestHost();
const noSecrets = async () => {
  throw new Error('no secret was to be read');
};
const options = (variables: Record<string, string>) => kafkaLogOptions(variables, 'word-count', host, noSecrets);
const brokers = { MILLRACE_KAFKA_BROKERS: 'b-1:9092, b-2:9092' };
const scram = {
  ...brokers,
  MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
  MILLRACE_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  MILLRACE_KAFKA_SASL_USERNAME: 'millrace',
  MILLRACE_KAFKA_SASL_PASSWORD: 'secret',
};

describe('Kafka from environment variables', () => {
  it('takes several brokers, and without a protocol neither TLS nor a password', async () => {
    expect(await options({ ...brokers, MILLRACE_KAFKA_SASL_USERNAME: '', MILLRACE_KAFKA_SASL_MECHANISM: '' })).toEqual({
      brokers: ['b-1:9092', 'b-2:9092'],
      clientId: 'word-count',
      tls: false,
      host,
    });
  });

  it('speaks TLS and says who it is, by the names of Kafka', async () => {
    expect(await options(scram)).toMatchObject({
      tls: true,
      sasl: { mechanism: 'scram-sha-512', username: 'millrace', password: 'secret' },
    });
    expect(await options({ ...scram, MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SSL' })).not.toHaveProperty('sasl');
    expect(await options({ ...scram, MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT' })).toMatchObject({
      tls: false,
    });
  });

  it('trusts a given authority, also one whose line ends were written as text', async () => {
    const { tls } = await options({ ...scram, MILLRACE_KAFKA_CA: '--BEGIN--\\nabc' });

    expect(tls).toEqual({ ca: '--BEGIN--\nabc' });
  });

  it('writes with the compression that is asked for', async () => {
    const given = await options({ ...brokers, MILLRACE_KAFKA_COMPRESSION: 'lz4' });
    const { compression } = resolveKafkaLogOptions(given);

    expect(compression).toBe('lz4');
  });

  it.each([
    ['MILLRACE_KAFKA_BROKERS', { ...scram, MILLRACE_KAFKA_BROKERS: '' }],
    ['MILLRACE_KAFKA_SECURITY_PROTOCOL', { ...scram, MILLRACE_KAFKA_SECURITY_PROTOCOL: 'TLS' }],
    ['MILLRACE_KAFKA_SASL_MECHANISM', { ...scram, MILLRACE_KAFKA_SASL_MECHANISM: '' }],
    ['MILLRACE_KAFKA_SASL_MECHANISM', { ...scram, MILLRACE_KAFKA_SASL_MECHANISM: 'GSSAPI' }],
    ['MILLRACE_KAFKA_SASL_USERNAME', { ...scram, MILLRACE_KAFKA_SASL_USERNAME: '' }],
    ['MILLRACE_KAFKA_SASL_PASSWORD', { ...scram, MILLRACE_KAFKA_SASL_PASSWORD: '' }],
    ['MILLRACE_KAFKA_COMPRESSION', { ...scram, MILLRACE_KAFKA_COMPRESSION: 'brotli' }],
  ])('refuses an environment whose %s is absent or wrong, naming it and no password', async (name, environment) => {
    const refusal = await options(environment).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(InvalidSettingError);
    expect(String(refusal)).toContain(name);
    expect(String(refusal)).not.toContain('secret');
  });
});
