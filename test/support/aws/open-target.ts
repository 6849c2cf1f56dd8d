/** Opens the target that the environment has chosen (target.ts): starts an emulator, or makes sure that somebody answers. */
import { randomUUID } from 'node:crypto';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { emulatorEnv, startEmulator, untilSomebodyAnswers } from './emulator.js';
import { type AwsTarget, chooseTarget, type Environment, type TargetChoice } from './target.js';

export interface OpenTarget extends AwsTarget {
  /** Variables by which SDKs and tools that are started find it. */
  readonly env: Environment;
  /** Folder below which an emulator that we started unpacks functions. */
  readonly dir?: string;
  /** Ends what was started here; what was made at an endpoint or on AWS is removed by those who made it. */
  stop(): Promise<void>;
}

export interface OpenTargetOptions {
  /** Whether an emulator that is started enforces roles and policies (the default). Without, it is a little faster. */
  readonly auth?: boolean;
}

/** @throws {Error} in plain words when nothing answers, or AWS has no region or no credentials for us */
export async function openTarget(options: OpenTargetOptions = {}, env: Environment = process.env): Promise<OpenTarget> {
  const choice = chooseTarget(env);
  const run = `millrace-${randomUUID().slice(0, 8)}`;
  if (choice.kind === 'aws') return openAws(choice, run, env);
  if (choice.endpoint !== undefined) {
    await untilSomebodyAnswers(choice.endpoint);
    const found = emulatorEnv(choice.endpoint, env);
    return { ...choice, region: found.AWS_REGION, run, env: found, stop: async () => undefined };
  }
  const { endpoint, dir, stop } = await startEmulator(options);
  const found = emulatorEnv(endpoint, env);
  return { ...choice, endpoint, region: found.AWS_REGION, run, env: found, dir, stop };
}

async function openAws(choice: TargetChoice, run: string, env: Environment): Promise<OpenTarget> {
  const region = await regionOf(env);
  // Asked for once, so that a login that has expired is said in one sentence and not by every test.
  await new STSClient({ region }).send(new GetCallerIdentityCommand({})).catch((cause: unknown) => {
    throw new Error('AWS does not know us: is the profile in AWS_PROFILE logged in?', { cause });
  });
  const own = Object.entries(env).filter(([name]) => /^AWS_/.test(name));
  const found = { ...Object.fromEntries(own), AWS_REGION: region, AWS_DEFAULT_REGION: region };
  return { ...choice, region, run, env: { ...found, HOME: env.HOME }, stop: async () => undefined };
}

/** As the SDK finds it: the variables, then the profile. */
async function regionOf(env: Environment): Promise<string> {
  const named = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (named) return named;
  const found = await new STSClient({}).config.region().catch(() => '');
  if (found === '')
    throw new Error('No AWS region: set AWS_REGION, or `region` in the profile that AWS_PROFILE names.');
  return found;
}
