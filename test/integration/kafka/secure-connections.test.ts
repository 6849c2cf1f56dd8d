/** TLS in both directions, and SASL over it. Not run anywhere: MSK's IAM, which is OAUTHBEARER with tokens that AWS signs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KafkaLogOptions } from '../../../lib/log/kafka/kafka-log-options.js';
import type { KafkaSaslOptions } from '../../../lib/log/kafka/sasl.js';
import { records } from '../../../lib/testing/conformance/log/scene.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { type Certificates, makeCertificates } from '../../support/certificates.js';
import { type KafkaCluster, startKafka } from '../../support/kafka/kafka-cluster.js';
import { newName, newPartition, openLog, readAll } from '../../support/kafka/log-kit.js';

const PLAIN_MODULE = 'org.apache.kafka.common.security.plain.PlainLoginModule';
const SCRAM_MODULE = 'org.apache.kafka.common.security.scram.ScramLoginModule';
const OAUTH_MODULE = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule';
/** The default of tests: no more retries than a wrong password deserves. */
const PATIENCE = { retryTimeoutMs: 5_000 } as const;

const plain: KafkaSaslOptions = { mechanism: 'plain', username: 'alice', password: 'alice-secret' };

let certificates: Certificates;
let kafka: KafkaCluster;

beforeAll(async () => {
  certificates = makeCertificates();
  const { ca, server } = certificates;
  const pem = (text: string) => text.trim().replaceAll('\n', ' \\\n');
  kafka = await startKafka({
    brokers: 1,
    properties: {
      'listener.security.protocol.map': 'PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT',
      'inter.broker.listener.name': 'PLAINTEXT',
      'sasl.enabled.mechanisms': 'PLAIN,OAUTHBEARER,SCRAM-SHA-512',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      'listener.name.plaintext.plain.sasl.jaas.config': `${PLAIN_MODULE} required username="broker" password="b" user_broker="b" user_alice="alice-secret";`,
      'listener.name.plaintext.oauthbearer.sasl.jaas.config': `${OAUTH_MODULE} required unsecuredLoginStringClaim_sub="broker";`,
      'listener.name.plaintext.scram-sha-512.sasl.jaas.config': `${SCRAM_MODULE} required;`,
      'listener.name.plaintext.ssl.client.auth': 'required',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.certificate.chain': pem(server.cert),
      'ssl.keystore.key': pem(server.key),
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': pem(ca),
    },
  });
});

afterAll(() => kafka?.stop());

function options(sasl: KafkaSaslOptions): Omit<KafkaLogOptions, 'brokers' | 'host'> {
  return { ...PATIENCE, tls: { ca: certificates.ca, ...certificates.client }, sasl };
}

/** A token without a signature: brokers take it where nobody has told them whom to trust. */
function unsecuredToken(sub: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const nowS = Math.floor(Date.now() / 1_000);
  return `${part({ alg: 'none' })}.${part({ sub, iat: nowS, exp: nowS + 600 })}.`;
}

describe('a log over mutual TLS', () => {
  it.each<[string, KafkaSaslOptions]>([
    ['a password', plain],
    ['a token', { mechanism: 'oauthbearer', token: async () => unsecuredToken('alice') }],
  ])('says who it is by %s, and reads and writes', async (_, sasl) => {
    const log = await openLog(kafka.brokers, { ...options(sasl), endReturns: 'visible' });
    try {
      const at = await newPartition(log, 'secure');
      const owner = await log.initProducer({ transactionalId: newName('secure'), transactionTimeoutMs: 10_000 });
      await owner.send(at, records('a=1'));
      await owner.commit();

      expect(await readAll(log, at)).toEqual(['0:a=1']);
    } finally {
      await log.close();
    }
  });

  it.each<[string, KafkaSaslOptions]>([
    ['a wrong password', { mechanism: 'plain', username: 'alice', password: 'guess' }],
    ['a SCRAM user that does not exist', { mechanism: 'scram-sha-512', username: 'mallory', password: 'guess' }],
    ['a mechanism that the broker does not offer', { mechanism: 'scram-sha-256', username: 'a', password: 'b' }],
    ['a token that is none', { mechanism: 'oauthbearer', token: async () => 'nonsense' }],
  ])('is refused at once with %s, in words', async (_, sasl) => {
    expect(await codeOf(openLog(kafka.brokers, options(sasl)))).toBe('STREAMS_INVALID_SETTING');
  });

  it('is not opened without a certificate, or to a server that it does not trust', async () => {
    const { ca } = certificates;
    const impatient = { retryTimeoutMs: 500 };

    const codes = [
      await codeOf(openLog(kafka.brokers, { ...impatient, tls: { ca }, sasl: plain })),
      await codeOf(openLog(kafka.brokers, { ...impatient, tls: { ...certificates.client }, sasl: plain })),
    ];

    expect(codes).toEqual(['STREAMS_UNAVAILABLE', 'STREAMS_UNAVAILABLE']);
  });
});
