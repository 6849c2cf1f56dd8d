import { describe, expect, it } from 'vitest';
import { kafkaLogOptions } from '../../../lib/lambda/kafka-environment.js';
import { resolveKafkaLogOptions } from '../../../lib/log/kafka/kafka-log-options.js';
import { InvalidSettingError } from '../../../lib/model/errors.js';
import { createTestHost } from '../../support/test-host.js';

const host = createTestHost();
const options = (variables: Record<string, string>) => kafkaLogOptions(variables, 'word-count', host);
const brokers = { MILLRACE_KAFKA_BROKERS: 'b-1:9092, b-2:9092' };
const scram = {
  ...brokers,
  MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
  MILLRACE_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
  MILLRACE_KAFKA_SASL_USERNAME: 'millrace',
  MILLRACE_KAFKA_SASL_PASSWORD: 'secret',
};

describe('Kafka from environment variables', () => {
  it('takes several brokers, and without a protocol neither TLS nor a password', () => {
    expect(options({ ...brokers, MILLRACE_KAFKA_SASL_USERNAME: '', MILLRACE_KAFKA_SASL_MECHANISM: '' })).toEqual({
      brokers: ['b-1:9092', 'b-2:9092'],
      clientId: 'word-count',
      tls: false,
      host,
    });
  });

  it('speaks TLS and says who it is, by the names of Kafka', () => {
    expect(options(scram)).toMatchObject({
      tls: true,
      sasl: { mechanism: 'scram-sha-512', username: 'millrace', password: 'secret' },
    });
    expect(options({ ...scram, MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SSL' })).not.toHaveProperty('sasl');
    expect(options({ ...scram, MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT' }).tls).toBe(false);
  });

  it('trusts a given authority, also one whose line ends were written as text', () => {
    expect(options({ ...scram, MILLRACE_KAFKA_CA: '--BEGIN--\\nabc' }).tls).toEqual({ ca: '--BEGIN--\nabc' });
  });

  it('writes with the compression that is asked for', () => {
    const { compression } = resolveKafkaLogOptions(options({ ...brokers, MILLRACE_KAFKA_COMPRESSION: 'lz4' }));

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
  ])('refuses an environment whose %s is absent or wrong, naming it and no password', (name, environment) => {
    const refused = () => options(environment);

    expect(refused).toThrow(InvalidSettingError);
    expect(refused).toThrow(name);
    expect(refused).not.toThrow('secret');
  });
});
