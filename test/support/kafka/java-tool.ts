import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { toolsClassPath } from './jars.js';

const run = promisify(execFile);

export interface JavaToolOptions {
  /** `host:port` of the brokers; the tool sees them as `KAFKA_BROKERS`. */
  readonly brokers: readonly string[];
  /** Folder of the Java files; default: test/support/kafka/java/. */
  readonly folder?: string;
  /** Default: two minutes. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const defaultTimeoutMs = 120_000;
const maxOutputBytes = 64 * 1024 * 1024;
const javaOptions = ['-Xmx256m', '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];

/**
 * Runs a Java class of our tools to its end and answers what it printed.
 *
 * @throws {Error} with its error output, if it ends with another code than 0 or takes too long
 */
export async function runJavaTool(
  mainClass: string,
  args: readonly string[],
  options: JavaToolOptions,
): Promise<string> {
  const classPath = await toolsClassPath(options.folder);
  const { stdout } = await run('java', [...javaOptions, '-cp', classPath, mainClass, ...args], {
    env: { ...process.env, KAFKA_BROKERS: options.brokers.join(',') },
    timeout: options.timeoutMs ?? defaultTimeoutMs,
    maxBuffer: maxOutputBytes,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return stdout;
}
