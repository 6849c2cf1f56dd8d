import kafkajs from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { type KafkaLogOptions, resolveKafkaLogOptions } from '../../../../lib/log/kafka/kafka-log-options.js';
import { type FixedSaslOptions, kafkajsSasl } from '../../../../lib/log/kafka/sasl.js';
import { StreamsError } from '../../../../lib/model/errors.js';
import { codeOf } from '../../../../lib/testing/conformance/test-runner.js';
import { createTestHost } from '../../../support/test-host.js';

const { Kafka } = kafkajs;
const host = createTestHost();
const resolve = (options: Partial<Record<keyof KafkaLogOptions, unknown>>) =>
  resolveKafkaLogOptions({ brokers: ['localhost:9092'], host, ...options } as KafkaLogOptions);

describe('options of a Kafka log', () => {
  it('have defaults for all but the brokers', () => {
    expect(resolve({ brokers: ['b-1.example.org:9098', '[::1]:9092'] })).toMatchObject({
      bootstrap: [
        { host: 'b-1.example.org', port: 9098 },
        { host: '::1', port: 9092 },
      ],
      clientId: 'millrace',
      tls: false,
      sasl: undefined,
      compression: 'none',
      connectTimeoutMs: 10_000,
      requestTimeoutMs: 10_000,
      retryTimeoutMs: 30_000,
      awaitMarkers: false,
    });
  });

  it.each<[string, Partial<Record<keyof KafkaLogOptions, unknown>>]>([
    ['no brokers', { brokers: [] }],
    ['brokers that are one text', { brokers: 'localhost:9092' }],
    ['a broker without a port', { brokers: ['localhost'] }],
    ['a broker with an impossible port', { brokers: ['localhost:70000'] }],
    ['a broker that is a URL', { brokers: ['kafka://localhost:9092'] }],
    ['a broker that is no text', { brokers: [9092] }],
    ['an empty client id', { clientId: '' }],
    ['a compression that nobody knows', { compression: 'brotli' }],
    ['no time', { requestTimeoutMs: 0 }],
    ['a time longer than timers take', { retryTimeoutMs: 2 ** 31 }],
    ['a time that is no number', { connectTimeoutMs: '5s' }],
    ['an end that returns some time', { endReturns: 'later' }],
    ['a certificate without its key', { tls: { cert: 'x' } }],
    ['a mechanism that nobody knows', { sasl: { mechanism: 'gssapi' } }],
    ['a mechanism without a password', { sasl: { mechanism: 'plain', username: 'u' } }],
    ['a token that is no function', { sasl: { mechanism: 'oauthbearer', token: 'abc' } }],
    ['IAM without a region', { sasl: { mechanism: 'msk-iam' } }],
  ])('refuse %s', (_, options) => {
    expect(() => resolve(options)).toThrow(expect.objectContaining({ code: 'STREAMS_INVALID_SETTING' }));
  });

  it('never put a password into an error', () => {
    try {
      resolve({ sasl: { mechanism: 'scram-sha-512', username: '', password: 'hunter2' } });
      expect.unreachable();
    } catch (thrown) {
      const { message, details } = thrown as StreamsError;
      expect(thrown).toBeInstanceOf(StreamsError);
      expect(message + JSON.stringify(details)).not.toContain('hunter2');
    }
  });
});

describe('SASL', () => {
  it('passes names and passwords on', () => {
    const given = { mechanism: 'scram-sha-256', username: 'u', password: 'p' } as const;

    expect(kafkajsSasl(given)).toEqual(given);
  });

  it.each<[string, FixedSaslOptions, string]>([
    ['a token', { mechanism: 'oauthbearer', token: async () => 'abc' }, 'n,,\u0001auth=Bearer abc\u0001\u0001'],
    [
      "a token that MSK's signer has made for its region",
      { mechanism: 'msk-iam', region: 'eu-north-1', signer: async ({ region }) => ({ token: `for-${region}` }) },
      'n,,\u0001auth=Bearer for-eu-north-1\u0001\u0001',
    ],
  ])('sends %s in the form of RFC 7628', async (_, sasl, expected) => {
    const { sent, outcome } = await authenticate(sasl, '');

    expect([sent, outcome]).toEqual([expected, 'no error']);
  });

  it('takes a challenge after a token for the refusal that it is', async () => {
    const { outcome } = await authenticate(
      { mechanism: 'oauthbearer', token: async () => 'abc' },
      '{"status":"invalid_token"}',
    );

    expect(outcome).toBe('STREAMS_INVALID_SETTING');
  });

  it('says what to install where the signer is not there', async () => {
    const { outcome } = await authenticate({ mechanism: 'msk-iam', region: 'eu-north-1' }, '');

    expect(outcome).toBe('STREAMS_INVALID_SETTING');
  });
});

/** Runs a bearer mechanism against a broker that answers with this challenge. */
async function authenticate(options: FixedSaslOptions, challenge: string) {
  const mechanism = kafkajsSasl(options);
  if (!('authenticationProvider' in mechanism)) throw new Error('not a mechanism of ours');
  let sent = '';
  const { authenticate: run } = mechanism.authenticationProvider({
    host: 'h',
    port: 1,
    logger: new Kafka({ brokers: ['h:1'] }).logger(),
    saslAuthenticate: async ({ request, response }) => {
      const bytes = await request.encode();
      expect(bytes.readInt32BE(0)).toBe(bytes.length - 4);
      sent = bytes.subarray(4).toString();
      return response?.parse(await response.decode(Buffer.concat([Buffer.alloc(4), Buffer.from(challenge)])));
    },
  });
  return { outcome: await codeOf(run()), sent };
}
