/** Apicurio Registry, which speaks Confluent's API, on a free port, with its content in memory. Needs Java, and Maven the first time. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce, cacheFolder } from '../build-once.js';
import { freePorts } from '../kafka/free-ports.js';
import { Watchdog } from '../kafka/watchdog.js';
import { sleep } from '../wait-for.js';

const run = promisify(execFile);
const version = '2.6.13.Final';
const unpack = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';
const fetchTimeoutMs = 300_000;
const startTimeoutMs = 120_000;
const pollMs = 100;
const linesShown = 30;

export interface Apicurio {
  /** Of Confluent's API. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it; returns when it answers. It ends with the process that started it, however that ends. */
export async function startApicurio(): Promise<Apicurio> {
  const folder = await unpacked();
  const [port] = await freePorts(1);
  const logs = await mkdtemp(join(tmpdir(), 'millrace-registry-'));
  const logFile = join(logs, 'registry.log');
  const watchdog = new Watchdog();
  const log = await open(logFile, 'a');
  const options = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const settings = [`-Dquarkus.http.port=${port}`, '-Dquarkus.http.host=127.0.0.1'];
  const jar = join(folder, `apicurio-registry-app-${version}-runner.jar`);
  const child = spawn('java', [...options, ...settings, '-jar', jar], { stdio: ['ignore', log.fd, log.fd] });
  await once(child, 'spawn');
  await log.close();
  if (child.pid !== undefined) watchdog.watch(child.pid);
  const stop = async () => {
    await end(child);
    if (child.pid !== undefined) watchdog.forget(child.pid);
    watchdog.close();
    await rm(logs, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  try {
    await answers(child, `${url}/subjects`);
  } catch (error) {
    const shown = (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-linesShown).join('\n');
    await stop();
    throw new Error(`the registry did not start:\n${shown}`, { cause: error });
  }
  return { url, stop };
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`);
    const answer = await fetch(url).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    if (Date.now() > deadline) throw new Error(`no answer in ${startTimeoutMs} ms`);
    await sleep(pollMs);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function unpacked(): Promise<string> {
  return buildOnce(join(cacheFolder(), `apicurio-${version}`), async (building) => {
    const artifact = `io.apicurio:apicurio-registry-app:${version}:tar.gz:all`;
    const goal = [unpack, `-Dartifact=${artifact}`, `-DoutputDirectory=${building}`];
    await run('mvn', ['-q', '-B', ...goal], { cwd: building, timeout: fetchTimeoutMs });
  });
}
