/** A login in Secrets Manager, of the form that Amazon MSK asks for. */
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { KafkaCredentials } from '../../../lib/log/kafka/sasl.js';
import { clientConfig } from './clients.js';
import { newNameAt } from './new-name.js';
import type { AwsTarget } from './target.js';

export interface BrokerSecret {
  readonly arn: string;
  /** Gives it another value. */
  change(to: KafkaCredentials): Promise<void>;
  /** Removes it at once, if it is still there. */
  remove(): Promise<void>;
}

export async function createBrokerSecret(target: AwsTarget, first: KafkaCredentials): Promise<BrokerSecret> {
  const client = new SecretsManagerClient(clientConfig(target));
  const value = ({ username, password }: KafkaCredentials) => ({
    SecretString: JSON.stringify({ username, password }),
  });
  const Name = newNameAt(target, 'login');
  const { ARN = '' } = await client.send(new CreateSecretCommand({ Name, ...value(first) }));
  return {
    arn: ARN,
    change: async (to) => {
      await client.send(new PutSecretValueCommand({ SecretId: ARN, ...value(to) }));
    },
    remove: async () => {
      await client.send(new DeleteSecretCommand({ SecretId: ARN, ForceDeleteWithoutRecovery: true })).catch((error) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      });
    },
  };
}
