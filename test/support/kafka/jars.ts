/** Kafka's jars and our Java tools, fetched with Maven and compiled once, kept in a folder outside the clone. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildOnce, cacheFolder, hashOf } from '../build-once.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const pomFile = join(here, 'pom.xml');
const toolsFolder = join(here, 'java');

const fetchTimeoutMs = 300_000;
const compileTimeoutMs = 60_000;

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
