/**
 * Kafka's jars and our Java tools, fetched with Maven and compiled once, kept in a folder outside the clone.
 *
 * The folder's name holds a hash of what it was made from, so that it never goes stale; it is built beside its place and moved
 * there whole, so that two processes at once and a process that dies halfway do no harm.
 */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const pomFile = join(here, 'pom.xml');
const toolsFolder = join(here, 'java');

const fetchTimeoutMs = 300_000;
const compileTimeoutMs = 60_000;

/** `MILLRACE_CACHE`, else `~/.cache/millrace`. */
export function cacheFolder(): string {
  return process.env.MILLRACE_CACHE ?? join(homedir(), '.cache/millrace');
}

/** The class path of Apache Kafka: broker, Java client, Kafka Streams. Fetches it if it is not cached. */
export async function kafkaClassPath(): Promise<string> {
  return join(await kafkaJars(), '*');
}

/**
 * The class path of Kafka and of the Java files of a folder, compiled if they are not cached.
 *
 * @param folder default: the tools of the tests
 */
export async function toolsClassPath(folder: string = toolsFolder): Promise<string> {
  const jars = await kafkaJars();
  const names = (await readdir(folder)).filter((name) => name.endsWith('.java')).sort();
  const files = names.map((name) => join(folder, name));
  const hash = await hashOf([pomFile, ...files]);
  const classes = await buildOnce(join(cacheFolder(), `classes-${hash}`), async (building) => {
    await run('javac', ['-nowarn', '-d', building, '-cp', join(jars, '*'), ...files], { timeout: compileTimeoutMs });
  });
  return `${classes}${delimiter}${join(jars, '*')}`;
}

/** Whether Kafka's jars are in the cache, so that Maven is not needed. */
export async function hasKafkaJars(): Promise<boolean> {
  return existsSync(await kafkaJarsFolder());
}

async function kafkaJars(): Promise<string> {
  return buildOnce(await kafkaJarsFolder(), async (building) => {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${building}`];
    await run('mvn', ['-q', '-B', '-f', pomFile, ...goal], { timeout: fetchTimeoutMs });
  });
}

async function kafkaJarsFolder(): Promise<string> {
  return join(cacheFolder(), `kafka-${await hashOf([pomFile])}`);
}

async function buildOnce(folder: string, build: (building: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const building = `${folder}.${randomUUID()}`;
  await mkdir(building);
  try {
    await build(building);
    await rename(building, folder);
  } catch (error) {
    // Somebody else may have been quicker; a folder that is there is whole.
    await rm(building, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function hashOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
