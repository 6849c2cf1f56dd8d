/**
 * Whether a target holds roles to their policies: AWS does, ministack as the tests start it, and of other emulators some on demand
 * (LocalStack with ENFORCE_IAM=1, which is not part of its free edition). So it is tried: a role without any policy asks for something.
 */
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { CreateRoleCommand, DeleteRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { clientConfig } from './clients.js';
import type { AwsTarget } from './target.js';

/** Looks once; leaves nothing. */
export async function enforcesRoles(target: AwsTarget): Promise<boolean> {
  if (target.kind !== 'given') return true;
  const config = clientConfig(target);
  const iam = new IAMClient(config);
  const RoleName = `${target.run}-nobody`;
  const trust = { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  const { Role } = await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  try {
    const assume = new AssumeRoleCommand({ RoleArn: Role?.Arn, RoleSessionName: 'nobody' });
    const { Credentials } = await new STSClient(config).send(assume);
    const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {};
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
    return await new DynamoDBClient({ ...config, credentials }).send(new ListTablesCommand({})).then(
      () => false,
      (error: unknown) => error instanceof Error && /^AccessDenied/.test(error.name),
    );
  } finally {
    await iam.send(new DeleteRoleCommand({ RoleName }));
  }
}
