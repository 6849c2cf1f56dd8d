/** A function's role as its own code has it: the policy that was deployed, and credentials that are held to it. */
import { GetRolePolicyCommand, IAMClient, ListRolePoliciesCommand } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { clientConfig } from './clients.js';
import { type DeployedFunction, functionName } from './deployment.js';
import { until } from './patience.js';
import type { AwsTarget } from './target.js';

export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

export interface RoleCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** One action on one resource that one statement allows. */
export interface Permission {
  readonly sid: string;
  readonly action: string;
  readonly resource: string;
}

/** What the role of a deployed function may do. */
export class FunctionRole {
  readonly statements: readonly Statement[];
  private readonly arn: string;
  private readonly sts: STSClient;

  private constructor(arn: string, statements: readonly Statement[], sts: STSClient) {
    this.arn = arn;
    this.statements = statements;
    this.sts = sts;
  }

  static async of(target: AwsTarget, name: DeployedFunction): Promise<FunctionRole> {
    const config = clientConfig(target);
    const lambda = new LambdaClient(config);
    const { Role = '' } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: functionName(target, name) }),
    );
    const iam = new IAMClient(config);
    const RoleName = Role.slice(Role.lastIndexOf('/') + 1);
    const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
    const statements: Statement[] = [];
    for (const PolicyName of PolicyNames) {
      const { PolicyDocument = '' } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
      statements.push(...(JSON.parse(decodeURIComponent(PolicyDocument)) as { Statement: Statement[] }).Statement);
    }
    return new FunctionRole(Role, statements, new STSClient(config));
  }

  /** Everything that the policy allows, one by one. */
  get permissions(): readonly Permission[] {
    return this.statements.flatMap(permissionsOf);
  }

  /**
   * Credentials of the role, as Lambda gives them to the function; perhaps without one permission. It has to be deployed with
   * `takesRoles`. What is left out is left out by a policy of the session, which can only narrow the role's own, and denies it
   * instead of naming all others: such a policy may have 2,048 characters.
   */
  async credentials(without?: Permission): Promise<RoleCredentials> {
    const narrowed = without === undefined ? {} : { Policy: JSON.stringify(policyWithout(without)) };
    const assume = new AssumeRoleCommand({ RoleArn: this.arn, RoleSessionName: 'test', ...narrowed });
    // AWS spreads a new role within seconds; until then nobody may take it.
    let refusal: unknown;
    const { Credentials } = await until('the role', async () => {
      try {
        return await this.sts.send(assume);
      } catch (error) {
        refusal = error;
        return undefined;
      }
    }).catch((cause: unknown) => {
      throw new Error(`the role can not be taken: ${String(refusal)}`, { cause });
    });
    return {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    };
  }
}

function permissionsOf({ Sid, Action, Resource }: Statement): Permission[] {
  const resources = [Resource].flat();
  return [Action].flat().flatMap((action) => resources.map((resource) => ({ sid: Sid, action, resource })));
}

function policyWithout({ action, resource }: Permission) {
  const all = { Effect: 'Allow', Action: '*', Resource: '*' };
  return { Version: '2012-10-17', Statement: [all, { Effect: 'Deny', Action: action, Resource: resource }] };
}
