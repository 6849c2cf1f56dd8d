/** Logins by SCRAM, and passwords that change while the log is open, as those of a secret do that is rotated. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { kafkaLogOptions } from '../../../lib/lambda/kafka-environment.js';
import { createKafkaLog, type KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import { records } from '../../../lib/testing/conformance/log/scene.js';
import { type KafkaCluster, startKafka } from '../../support/kafka/kafka-cluster.js';
import { newName, newPartition, openLog, readAll } from '../../support/kafka/log-kit.js';
import { type ScramUser, scramProperties, setScramPassword } from '../../support/kafka/scram-users.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { sleep } from '../../support/wait-for.js';

/** In every password of these tests. */
const HIDDEN = 'hunter2';
const user = (name: string, mechanism: ScramUser['mechanism'] = 'SCRAM-SHA-512'): ScramUser => ({
  mechanism,
  name,
  password: `${HIDDEN}-first`,
});
const rotating = user('rotating');
const renewing = user('renewing');
const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:AmazonMSK_test-AbCdEf';
/** After this time a session ends, if it is not renewed (KIP-368). */
const SESSION_MS = 12_000;
/** kafkajs renews a session in its last 10 s. */
const BEFORE_RENEWAL_MS = SESSION_MS - 10_000;

let kafka: KafkaCluster;

beforeAll(async () => {
  kafka = await startKafka({
    brokers: 1,
    properties: { ...scramProperties, 'connections.max.reauth.ms': SESSION_MS },
    scramUsers: [user('short', 'SCRAM-SHA-256'), user('long'), rotating, renewing],
  });
});
afterAll(() => kafka?.stop());

/** A secret whose value the test changes, and a log that a function would open with it. */
async function logWithSecret({ name, password }: ScramUser) {
  const secret = { username: name, password };
  const events: LoggedEvent[] = [];
  let readings = 0;
  const environment = {
    MILLRACE_KAFKA_BROKERS: kafka.brokers.join(','),
    MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
    MILLRACE_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    MILLRACE_KAFKA_SECRET: SECRET,
  };
  const host = createNodeHost({ logger: listeningLogger(events) });
  const options = await kafkaLogOptions(environment, 'word-count', host, async () => {
    readings += 1;
    return JSON.stringify(secret);
  });
  const log = await createKafkaLog({ ...options, endReturns: 'visible', retryTimeoutMs: 5_000 });
  return { log, secret, events, readings: () => readings };
}

/** More requests at once than there are connections: some are made anew. */
function crowd(log: KafkaLog): Promise<unknown> {
  return Promise.all(Array.from({ length: 20 }, () => log.listTopics()));
}

describe('a login by SCRAM', () => {
  it.each([
    ['scram-sha-256', 'short'],
    ['scram-sha-512', 'long'],
  ] as const)('%s succeeds, and reads and writes', async (mechanism, username) => {
    const log = await openLog(kafka.brokers, {
      sasl: { mechanism, username, password: `${HIDDEN}-first` },
      endReturns: 'visible',
    });
    try {
      const at = await newPartition(log, 'scram');
      const owner = await log.initProducer({ transactionalId: newName('scram'), transactionTimeoutMs: 10_000 });
      await owner.send(at, records('a=1'));
      await owner.commit();

      expect(await readAll(log, at)).toEqual(['0:a=1']);
    } finally {
      await log.close();
    }
  });
});

describe('a password that is changed on the brokers and in the secret', () => {
  it('is read again by a warm process, which goes on; nothing of it is told', async () => {
    const { log, secret, events, readings } = await logWithSecret(rotating);
    try {
      const at = await newPartition(log, 'rotated');
      const owner = await log.initProducer({ transactionalId: newName('rotated'), transactionTimeoutMs: 10_000 });
      await owner.send(at, records('a=1'));
      const before = readings();

      const changed = { ...rotating, password: `${HIDDEN}-second` };
      await setScramPassword(kafka, changed);
      // The brokers have it, the secret not yet: connections that are open go on, and a new one can not be made.
      const refusal = await crowd(log).catch((error: unknown) => error);
      secret.password = changed.password;
      await crowd(log);
      await owner.commit();

      expect(before).toBe(1);
      expect(refusal).toMatchObject({ code: 'STREAMS_INVALID_SETTING' });
      expect(await readAll(log, at)).toEqual(['0:a=1']);
      expect(events).toContainEqual({
        level: 'warn',
        event: 'kafka-login-refused',
        fields: { secret: SECRET, secretHasChanged: true },
      });
      expect(inspect([refusal, events], { depth: 20, showHidden: true })).not.toContain(HIDDEN);
    } finally {
      await log.close();
    }
  });

  it('is read again where a session of an open connection may not go on with the old one', async () => {
    const { log, secret, events, readings } = await logWithSecret(renewing);
    try {
      const changed = { ...renewing, password: `${HIDDEN}-second` };
      await setScramPassword(kafka, changed);
      secret.password = changed.password;
      await sleep(BEFORE_RENEWAL_MS);

      await log.listTopics();

      expect(readings()).toBe(2);
      expect(events.map(({ event }) => event)).toContain('kafka-login-refused');
      expect(inspect(events, { depth: 20, showHidden: true })).not.toContain(HIDDEN);
    } finally {
      await log.close();
    }
  });
});
