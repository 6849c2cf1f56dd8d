/**
 * What a test run has of Kafka, found before it starts.
 *
 *   a broker   `KAFKA_BROKERS` (comma-separated `host:port`), else one that we start: needs Java, and Maven for the first run
 *   Java       for tests that compare with the Java client, or kill brokers of their own
 */
import { spawnSync } from 'node:child_process';
import { hasKafkaJars } from './jars.js';

/** Kafka's broker needs this much. */
const lowestJava = 17;
const lookTimeoutMs = 20_000;

export interface KafkaAvailability {
  /** Brokers that were given; absent: none were. */
  readonly given: readonly string[] | undefined;
  readonly java: boolean;
  /** Why `java` is false, for people. */
  readonly missing: string;
}

/** Looks at the environment and for `java`, `javac` and `mvn`. */
export async function kafkaAvailability(): Promise<KafkaAvailability> {
  const given = process.env.KAFKA_BROKERS?.split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '');
  const missing = await missingForJava();
  return { given: given?.length ? given : undefined, java: missing === '', missing };
}

async function missingForJava(): Promise<string> {
  const version = /^javac (\d+)/.exec(outputOf('javac', ['-version']) ?? '')?.[1];
  if (version === undefined || outputOf('java', ['-version']) === undefined)
    return `a JDK (Java ${lowestJava} or newer)`;
  if (Number(version) < lowestJava) return `Java ${lowestJava} or newer (found ${version})`;
  if (!(await hasKafkaJars()) && outputOf('mvn', ['-v']) === undefined) return 'Maven, to fetch Kafka the first time';
  return '';
}

function outputOf(command: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: lookTimeoutMs });
  return status === 0 ? stdout : undefined;
}
