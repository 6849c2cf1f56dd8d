/**
 * Which tests need Kafka, and which of them a run can have.
 *
 * `npm test` promises to work with Node alone: what a machine lacks is left out of the run and named at its end, in capitals.
 * A run with `CI=true` has no such excuse: there the tests stay in, and fail for want of a broker.
 */
import { filesOf, noticeOf } from '../not-run.js';
import { type KafkaAvailability, kafkaAvailability } from './availability.js';

/** Tests that need a broker, any broker. */
const brokerTests = {
  folder: 'test/conformance',
  name: /^kafka-.*\.test\.ts$/,
  glob: 'test/conformance/kafka-*.test.ts',
};
/** Tests that need Java besides: the Java client to compare with, or brokers of their own to kill. */
const javaTests = {
  folder: 'test/integration/kafka',
  name: /\.test\.ts$/,
  glob: 'test/integration/kafka/**/*.test.ts',
};

export interface KafkaProject {
  /** Files of the level `kafka`, to run; empty: there is nothing that can run. */
  readonly include: readonly string[];
  /** Files that other levels must leave alone. */
  readonly all: readonly string[];
  /** What to say at the end of the run, or nothing. */
  readonly notice: string | undefined;
}

/** Decides it for this machine. */
export async function kafkaProject(): Promise<KafkaProject> {
  const all = [brokerTests.glob, javaTests.glob];
  const available = await kafkaAvailability();
  const broker = available.java || available.given !== undefined;
  if (process.env.CI === 'true' || (broker && available.java)) return { include: all, all, notice: undefined };
  const left = broker ? [javaTests] : [brokerTests, javaTests];
  return { include: broker ? [brokerTests.glob] : [], all, notice: noticeFor(available, left) };
}

function noticeFor({ given, missing }: KafkaAvailability, left: ReadonlyArray<typeof brokerTests>): string {
  const files = left.flatMap(({ folder, name }) => filesOf(folder, name));
  const how =
    given === undefined ? ', or set KAFKA_BROKERS=host:port (docker compose up -d --wait starts a broker)' : '';
  return noticeOf('KAFKA', `${missing}${how}`, files);
}
