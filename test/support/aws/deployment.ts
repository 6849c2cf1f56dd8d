/**
 * The functions of this project with the word count, deployed as an operator deploys them: bundled, packaged and brought up by the framework from
 * serverless.yml and infra/, in a folder of its own and under a name of its own (the target's run).
 */
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleFunctions } from '../../../infra/bundle.js';
import { leftovers, removeAll } from './leftovers.js';
import type { OpenTarget } from './open-target.js';
import { patiently, until } from './patience.js';
import type { AwsTarget } from './target.js';

const mortalTask = 'test/support/processes/mortal-task-process.ts';
const lambdaAlone = 'Principal: { Service: lambda.amazonaws.com }';
const lambdaAndUs = "Principal: { Service: lambda.amazonaws.com, AWS: !Ref 'AWS::AccountId' }";
const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const framework = join(root, 'node_modules/serverless/bin/serverless.js');

const commandTimeoutMs = 240_000;
/** Until listings have forgotten what is gone, and functions that were still running have written their last log. */
const goneMs = 120_000;
/** The only stage without what an emulator can't take (infra/emulator.yml). */
const emulatorStage = 'local';

export type DeployedFunction = 'scheduler' | 'task' | 'standby' | 'query';

const stageOf = ({ endpoint }: AwsTarget): string => (endpoint === undefined ? 'test' : emulatorStage);

export const stackName = (target: AwsTarget): string => `${target.run}-${stageOf(target)}`;

/** The name that a deployed function has. */
export const functionName = (target: AwsTarget, name: DeployedFunction): string => `${stackName(target)}-${name}`;

export interface DeploymentOptions {
  readonly target: OpenTarget;
  /** Where the functions find Kafka: their variables. */
  readonly kafka: Readonly<Record<string, string>>;
  /** Settings of the application that the functions' environment overrides. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Seconds after which Lambda ends a task function; default: as in serverless.yml. */
  readonly taskTimeoutS?: number;
  /** Whether who deploys may take the functions' roles, which otherwise Lambda alone may. */
  readonly takesRoles?: boolean;
}

/** One deployment; made by {@link deploy}. */
export class Deployment {
  private readonly options: DeploymentOptions;
  private readonly folder: string;

  constructor(options: DeploymentOptions, folder: string) {
    this.options = options;
    this.folder = folder;
  }

  /** Deploys what is there now, with these environment variables besides: the stack that runs is changed in place. */
  async update(environment: Readonly<Record<string, string>> = {}): Promise<string> {
    await appendFile(join(this.folder, 'infra/environment.yml'), environmentLines(environment));
    return this.framework('deploy');
  }

  /** Removes the stack. The bucket has to be empty, as on AWS. */
  remove(): Promise<string> {
    return this.framework('remove');
  }

  /** Removes the folder, and whatever there is of the stack unless it goes with its emulator. @throws {Error} naming what stays */
  async close(): Promise<void> {
    const { target } = this.options;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    if (target.kind === 'ministack') return;
    let left: readonly string[] = [];
    let refusal: unknown;
    await until(
      'nothing to be left',
      async () => {
        await removeAll(target).catch((error: unknown) => {
          refusal = error;
        });
        left = await leftovers(target, target.run);
        return left.length === 0;
      },
      goneMs,
    ).catch(() => {
      throw new Error(`the tests left behind: ${left.join(', ')}`, { cause: refusal });
    });
  }

  private async framework(command: string): Promise<string> {
    const { target, kafka } = this.options;
    const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS_|SLS_|SERVERLESS_|MILLRACE_)/.test(name));
    const env = {
      ...Object.fromEntries(inherited),
      HOME: this.folder,
      ...target.env,
      ...kafka,
      MILLRACE_PORTS: 'aws',
      NODE_NO_WARNINGS: '1',
      SLS_AWS_MONITORING_FREQUENCY: target.kind === 'aws' ? '5000' : '250',
      SLS_NOTIFICATIONS_MODE: 'off',
      SLS_TELEMETRY_DISABLED: '1',
    };
    const args = [framework, command, '--stage', stageOf(target), '--region', target.region];
    try {
      const { stdout, stderr } = await run(process.execPath, args, {
        cwd: this.folder,
        env,
        timeout: patiently(commandTimeoutMs),
        maxBuffer: 16 * 1024 * 1024,
      });
      return stdout + stderr;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`serverless ${command} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }
}

/** Bundles the functions and deploys them; returns when the stack is complete. */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-deployment-'));
  const deployment = new Deployment(options, folder);
  try {
    for (const name of ['serverless.yml', 'package.json', 'infra'])
      await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const sources = options.target.dir === undefined ? { task: mortalTask } : {};
    await bundleFunctions(join(folder, '.build'), { app: 'test/support/word-count-app.ts', sources });
    await change(join(folder, 'serverless.yml'), 'service: millrace\n', `service: ${options.target.run}\n`);
    if (options.takesRoles === true) await change(join(folder, 'infra/roles.yml'), lambdaAlone, lambdaAndUs);
    if (options.taskTimeoutS !== undefined)
      await change(join(folder, 'serverless.yml'), 'timeout: 840\n', `timeout: ${options.taskTimeoutS}\n`);
    await deployment.update(settingVariables(options.settings ?? {}));
    return deployment;
  } catch (error) {
    await deployment.close();
    throw error;
  }
}

function settingVariables(settings: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      `MILLRACE_SETTING_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
      String(value),
    ]),
  );
}

function environmentLines(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('');
}

/** What is changed of an operator's files; a text that is not there any more is an error. */
async function change(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no '${from.trim()}' any more`);
  await writeFile(file, text.replaceAll(from, to));
}
