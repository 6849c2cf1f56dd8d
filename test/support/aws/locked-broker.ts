/** A broker that takes nobody without a password, whose functions find theirs in a secret. */
import { startKafka } from '../kafka/kafka-cluster.js';
import { openLog } from '../kafka/log-kit.js';
import { OPERATOR, type ScramUser, scramProperties, setScramPassword } from '../kafka/scram-users.js';
import { createBrokerSecret } from './broker-secret.js';
import type { FunctionsBroker } from './functions-broker.js';
import type { AwsTarget } from './target.js';

export interface LockedBroker extends FunctionsBroker {
  /** The ARN of the secret. */
  readonly secretArn: string;
  /** Gives the functions' user another password, on the broker and in the secret. */
  rotate(password: string): Promise<void>;
}

/** @param sessionMs after which a connection has to log in again (KIP-368) */
export async function openLockedBroker(
  target: AwsTarget,
  { password, sessionMs }: { readonly password: string; readonly sessionMs: number },
): Promise<LockedBroker> {
  const user: ScramUser = { mechanism: 'SCRAM-SHA-512', name: 'functions', password };
  const kafka = await startKafka({
    brokers: 1,
    properties: { ...scramProperties, 'connections.max.reauth.ms': sessionMs },
    scramUsers: [user],
  });
  try {
    const secret = await createBrokerSecret(target, { username: user.name, password });
    const log = await openLog(kafka.brokers, { sasl: { mechanism: 'plain', ...OPERATOR } });
    return {
      bootstrapServers: kafka.bootstrapServers,
      environment: {
        MILLRACE_KAFKA_BROKERS: kafka.bootstrapServers,
        MILLRACE_KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
        MILLRACE_KAFKA_SASL_MECHANISM: user.mechanism,
        MILLRACE_KAFKA_SECRET: secret.arn,
      },
      log,
      secretArn: secret.arn,
      async rotate(next) {
        await setScramPassword(kafka, { ...user, password: next });
        await secret.change({ username: user.name, password: next });
      },
      async stop() {
        await log.close();
        await kafka.stop();
        if (target.kind !== 'ministack') await secret.remove();
      },
    };
  } catch (error) {
    await kafka.stop();
    throw error;
  }
}
