/**
 * The functions of this project, deployed to an emulator of AWS as an operator deploys them: bundled, packaged and brought up by
 * the framework from serverless.yml and infra/, in a folder of its own.
 */
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleFunctions } from '../../../infra/bundle.js';
import type { Emulator } from './emulator.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const framework = join(root, 'node_modules/serverless/bin/serverless.js');

const commandTimeoutMs = 240_000;
/** The only stage without what an emulator can't take (infra/emulator.yml). */
const stage = 'local';
export const stackName = `millrace-${stage}`;

export type DeployedFunction = 'scheduler' | 'task' | 'standby' | 'query';

/** The name that a deployed function has on AWS. */
export const functionName = (name: DeployedFunction): string => `${stackName}-${name}`;

export interface DeploymentOptions {
  readonly emulator: Emulator;
  /** Brokers of the application, `host:port` each. */
  readonly brokers: readonly string[];
  /** Settings of the application that the functions' environment overrides. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Seconds after which Lambda ends a task function; default: as in serverless.yml. */
  readonly taskTimeoutS?: number;
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

  /** Removes the folder; the stack goes with the emulator. */
  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private async framework(command: string): Promise<string> {
    const { emulator, brokers } = this.options;
    const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS_|SLS_|SERVERLESS_|MILLRACE_)/.test(name));
    const env = {
      ...Object.fromEntries(inherited),
      ...emulator.env,
      HOME: this.folder,
      MILLRACE_PORTS: 'aws',
      MILLRACE_KAFKA_BROKERS: brokers.join(','),
      NODE_NO_WARNINGS: '1',
      SLS_AWS_MONITORING_FREQUENCY: '250',
      SLS_NOTIFICATIONS_MODE: 'off',
      SLS_TELEMETRY_DISABLED: '1',
    };
    const args = [framework, command, '--stage', stage, '--region', emulator.env.AWS_REGION ?? 'us-east-1'];
    try {
      const { stdout, stderr } = await run(process.execPath, args, {
        cwd: this.folder,
        env,
        timeout: commandTimeoutMs,
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
    await bundleFunctions(join(folder, '.build'));
    if (options.taskTimeoutS !== undefined) await setTaskTimeout(folder, options.taskTimeoutS);
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

async function setTaskTimeout(folder: string, seconds: number): Promise<void> {
  const file = join(folder, 'serverless.yml');
  const text = await readFile(file, 'utf8');
  if (!text.includes('timeout: 840')) throw new Error('serverless.yml gives the task function no 840 seconds any more');
  await writeFile(file, text.replace('timeout: 840', `timeout: ${seconds}`));
}
