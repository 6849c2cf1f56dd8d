/**
 * Starts an emulator of AWS's API (ministack) for a test: on a free port, without any state, ended with the process that started
 * it, however that ends. Which target a run has is not decided here (target.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../kafka/free-ports.js';
import { Watchdog } from '../kafka/watchdog.js';
import { sleep } from '../wait-for.js';
import { ministackPython } from './ministack.js';
import type { Environment } from './target.js';

const launcher = fileURLToPath(new URL('run-ministack.py', import.meta.url));

const startTimeoutMs = 60_000;
const pollMs = 50;
/** Lines of the emulator's log shown when it does not start. */
const linesShown = 30;

export interface EmulatorOptions {
  /** Whether roles and policies are enforced (the default). Without, every call is allowed, and a little faster. */
  readonly auth?: boolean;
}

export interface Emulator {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  /** Folder below which it works, and unpacks functions. */
  readonly dir: string;
  /** Ends it with what it started. May be called twice. */
  stop(): Promise<void>;
}

/** Starts the emulator and returns when it answers. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const python = await ministackPython();
  const dir = await mkdtemp(join(tmpdir(), 'millrace-aws-'));
  const watchdog = new Watchdog();
  watchdog.removeAtEnd(dir);
  const [port] = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  const logFile = join(dir, 'ministack.log');
  const log = () => readFile(logFile, 'utf8').catch(() => '');

  const env = { ...ministackEnv(dir, Number(port), options.auth ?? true), ...emulatorEnv(endpoint) };
  const child = await startMinistack({ python, dir, logFile, env });
  // It leads a group of its own: the functions that it runs are processes too, and end with it.
  const group = -(child.pid as number);
  watchdog.watch(group);
  child.once('exit', () => watchdog.forget(group));

  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      process.kill(group, 'SIGKILL');
      await ended;
    }
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    watchdog.close();
  };
  try {
    await untilHealthy(endpoint, async () => {
      if (child.exitCode !== null) throw new Error(`the emulator ended:\n${endOf(await log())}`);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, dir, stop };
}

/** The variables by which SDKs and tools find an emulator, with keys that may do everything there. */
export function emulatorEnv(endpoint: string, env: Environment = {}) {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_DEFAULT_REGION } = env;
  const region = AWS_REGION || AWS_DEFAULT_REGION || 'us-east-1';
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: AWS_ACCESS_KEY_ID || 'test',
    AWS_SECRET_ACCESS_KEY: AWS_SECRET_ACCESS_KEY || 'test',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
  };
}

function ministackEnv(dir: string, port: number, auth: boolean): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    TMPDIR: join(dir, 'tmp'),
    STATE_DIR: join(dir, 'state'),
    S3_DATA_DIR: join(dir, 's3'),
    GATEWAY_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: '127.0.0.1',
    LAMBDA_EXECUTOR: 'local',
    LAMBDA_ASYNC_RETRY_BASE_SECONDS: '0.2',
    AUTH: String(auth),
    NODE_NO_WARNINGS: '1',
  };
}

async function startMinistack(what: {
  readonly python: string;
  readonly dir: string;
  readonly logFile: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<ChildProcess> {
  const { python, dir, logFile, env } = what;
  await mkdir(join(dir, 'tmp'));
  // Functions are unpacked below; the emulator's own worker there is CommonJS, whatever a folder above may say.
  await writeFile(join(dir, 'package.json'), '{"type":"commonjs"}');
  const log = await open(logFile, 'a');
  try {
    const stdio = ['ignore', log.fd, log.fd] as const;
    const child = spawn(python, [launcher], { cwd: dir, env, stdio: [...stdio], detached: true });
    await once(child, 'spawn');
    return child;
  } finally {
    await log.close();
  }
}

/** Waits for an endpoint that was given: LocalStack says at this path that it is well, and others say at least that it is unknown. */
export function untilSomebodyAnswers(endpoint: string): Promise<void> {
  return untilHealthy(
    endpoint,
    async () => undefined,
    (status) => status < 500,
  );
}

async function untilHealthy(
  endpoint: string,
  check: () => Promise<void>,
  isWell: (status: number) => boolean = (status) => status === 200,
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const status = await healthOf(endpoint);
    if (status !== undefined && isWell(status)) return;
    await check();
    if (Date.now() > deadline) throw new Error(`nothing answers at ${endpoint} after ${startTimeoutMs} ms`);
    await sleep(pollMs);
  }
}

async function healthOf(endpoint: string): Promise<number | undefined> {
  try {
    return (await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(startTimeoutMs) })).status;
  } catch {
    return undefined;
  }
}

function endOf(log: string): string {
  return log.trimEnd().split('\n').slice(-linesShown).join('\n');
}
