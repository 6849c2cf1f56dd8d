/** An application that copies records to a topic that does not take the large ones, on any log. */
import { createJsonLinesLogger } from '../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp, long, type SettingsInput, StreamsBuilder, string } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import type { Log } from '../../lib/log/log.js';

const text = { key: string(), value: string() };
const QUICK = { commitIntervalMs: 20, heartbeatIntervalMs: 200, sessionTimeoutMs: 2_000, tickIntervalMs: 200 };

export interface CopyOptions {
  readonly applicationId: string;
  /** Absent: the embedded log. */
  readonly log?: Log;
  /** `max.message.bytes` of the topic of outputs when it is made. */
  readonly maxMessageBytes: number;
  readonly settings?: SettingsInput;
  readonly values: readonly string[];
  /** Called when the first of the values was copied, before the others are written. */
  readonly afterFirst?: (outTopic: string) => Promise<void>;
}

/** What is there once all values were processed. */
export interface Copied {
  readonly out: readonly string[];
  readonly dead: readonly string[];
  /** What was counted beside the copying: each value once, whether or not it could be copied. */
  readonly counted: unknown;
}

/** Writes values, each with the key `k`, and copies them; large ones go to the dead-letter topic. */
export async function copyRecords(options: CopyOptions): Promise<Copied> {
  const { applicationId, log, maxMessageBytes, settings = {}, values, afterFirst } = options;
  const topic = (name: string, config = {}) => ({ name: `${applicationId}-${name}`, partitions: 1, config });
  const [input, out, dead] = [
    topic('in'),
    topic('out', { 'max.message.bytes': String(maxMessageBytes) }),
    topic('dead'),
  ];
  const builder = new StreamsBuilder();
  const records = builder.stream(input.name, text);
  records.to(out.name);
  records.groupByKey().count({ store: 'counts' });
  const streams = await LocalStreams.start({
    app: defineApp({
      applicationId,
      topology: builder.build(),
      settings: { ...QUICK, productionExceptionHandler: 'continue', deadLetterTopic: dead.name, ...settings },
    }),
    topics: [input, out, dead],
    ...(log === undefined ? {} : { log }),
    host: createNodeHost({ logger: createJsonLinesLogger({ level: 'silent' }) }),
  });
  const copy = async (some: readonly string[]) => {
    await streams.append(
      input.name,
      text,
      some.map((value) => ({ key: 'k', value })),
    );
    await streams.untilCaughtUp(AbortSignal.timeout(20_000));
  };
  try {
    await copy(values.slice(0, 1));
    await afterFirst?.(out.name);
    await copy(values.slice(1));
    const valuesOf = async (name: string) => (await streams.read(name, text)).map(({ value }) => `${value}`);
    // Not by a query: that answers what is marked as committed, and a broker marks a little later than it answers.
    const counts = await streams.read(`${applicationId}-counts-changelog`, { key: string(), value: long() });
    const counted = counts.at(-1)?.value;
    return { out: await valuesOf(out.name), dead: await valuesOf(dead.name), counted };
  } finally {
    await streams.close();
  }
}
