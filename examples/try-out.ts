/**
 * Tries an application out: all of it in this process, on the embedded log unless another one is given. The input is in the log
 * before the first member runs; the output is read when all of it has been processed.
 */
import { defineApp, type SettingsInput, type StreamsApp } from '../lib/index.js';
import { LocalStreams, type LocalStreamsOptions, type Log } from '../lib/local/index.js';

const PARTITIONS = 4;
const MEMBERS = 2;
const PATIENCE_MS = 120_000;
/** The records of the examples have times of their own: they are not to be deleted for being old. */
const KEPT_FOR_EVER = { 'retention.ms': '-1' };
/** One process needs no patience: members join within a blink, and stay while there is no work. */
const QUICK = { heartbeatIntervalMs: 200, sessionTimeoutMs: 10_000, tickIntervalMs: 200, idleTimeoutMs: 0 };

export interface TryOutOptions<T> {
  /** Topics that the application reads and writes by name: they are created. */
  readonly topics: readonly string[];
  readonly input: (streams: Pick<LocalStreams, 'append'>) => Promise<void>;
  readonly output: (streams: Pick<LocalStreams, 'read' | 'state'>) => Promise<T>;
  /** Settings over those of the application. */
  readonly settings?: SettingsInput;
  /** Default: the embedded log, in memory. */
  readonly log?: Log;
  /** Assignors of one's own, and the tags by which they tell members apart. */
  readonly assignors?: LocalStreamsOptions['assignors'];
  readonly tagsOf?: LocalStreamsOptions['tagsOf'];
}

/** @returns what `output` has read */
export async function tryOut<T>(app: StreamsApp, options: TryOutOptions<T>): Promise<T> {
  const { topics, input, output, settings, log, assignors, tagsOf } = options;
  const streams = await LocalStreams.start({
    app: defineApp({ ...app, settings: { ...app.settings, ...QUICK, members: MEMBERS, ...settings } }),
    topics: topics.map((name) => ({ name, partitions: PARTITIONS, config: KEPT_FOR_EVER })),
    beforeMembers: input,
    ...(log === undefined ? {} : { log }),
    ...(assignors === undefined ? {} : { assignors }),
    ...(tagsOf === undefined ? {} : { tagsOf }),
  });
  try {
    await streams.untilCaughtUp(AbortSignal.timeout(PATIENCE_MS));
    return await output(streams);
  } finally {
    await streams.close();
  }
}
