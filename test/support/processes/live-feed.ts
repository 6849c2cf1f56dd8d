import type { Log } from '../../../lib/log/log.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { defaultPartition } from '../../../lib/topology/default-partitioner.js';
import { sleep } from '../wait-for.js';

/** Records of one append of a load. */
const CHUNK_RECORDS = 5_000;
/** Longest pause between two looks at what is due. */
const LOOK_MS = 10;
/** First letters of the keys of live records: what a load has written before is not among them. */
export const LIVE = 'live-';

export interface LiveFeedOptions {
  readonly log: Pick<Log, 'append'>;
  readonly topic: string;
  readonly partitions: number;
  /** Records a second to each partition. */
  readonly ratePerPartition: number;
  /** Live keys of each partition; default 20. */
  readonly keysPerPartition?: number;
}

/**
 * Writes records at an even rate to every partition, each under a key that the default partitioner sends there, with the wall clock
 * as timestamp: whoever watches the output knows for each record when it went in.
 */
export class LiveFeed {
  /** How many records each key has had so far. */
  readonly sent = new Map<string, number>();
  private readonly options: LiveFeedOptions;
  private readonly keys: readonly (readonly string[])[];
  private isEnding = false;
  private feeding: Promise<void> | null = null;

  constructor(options: LiveFeedOptions) {
    this.options = options;
    this.keys = keysByPartition(LIVE, options.partitions, options.keysPerPartition ?? 20);
  }

  /** Writes `count` other keys once each, as state to restore. @returns how many went in */
  async load(count: number, valueBytes: number): Promise<number> {
    const { log, topic, partitions } = this.options;
    const value = Buffer.alloc(valueBytes, 'x');
    const builders = Array.from({ length: partitions }, () => new RecordSetBuilder());
    for (let index = 0; index < count; index += 1) {
      const key = Buffer.from(`state-${index}`);
      builders[defaultPartition(key, null, partitions)]?.append(key, value, Date.now());
      if (index % CHUNK_RECORDS < CHUNK_RECORDS - 1 && index < count - 1) continue;
      await Promise.all(
        builders
          .splice(0, partitions, ...builders.map(() => new RecordSetBuilder()))
          .map(async (builder, partition) => {
            const records = builder.build();
            if (records.size > 0) await log.append({ topic, partition }, records);
          }),
      );
    }
    return count;
  }

  /** Begins to write, until {@link stop}. */
  start(): void {
    this.feeding ??= this.run();
    this.feeding.catch(() => undefined); // whoever stops it hears of it
  }

  /** Ends with every record in the log. @throws what writing threw */
  async stop(): Promise<void> {
    this.isEnding = true;
    await this.feeding;
  }

  private async run(): Promise<void> {
    const { partitions, ratePerPartition } = this.options;
    const startedMs = performance.now();
    let written = 0;
    while (!this.isEnding) {
      const due = Math.floor(((performance.now() - startedMs) * ratePerPartition) / 1_000);
      const [from, to] = [written, due];
      written = due;
      if (to > from)
        await Promise.all(Array.from({ length: partitions }, (_, partition) => this.write(partition, from, to)));
      await sleep(LOOK_MS);
    }
  }

  private async write(partition: number, from: number, to: number): Promise<void> {
    const { log, topic } = this.options;
    const builder = new RecordSetBuilder();
    const keys = this.keys[partition] ?? [];
    const nowMs = Date.now();
    for (let index = from; index < to; index += 1) {
      const key = keys[index % keys.length] ?? LIVE;
      builder.append(Buffer.from(key), Buffer.from(String(index)), nowMs);
      this.sent.set(key, (this.sent.get(key) ?? 0) + 1);
    }
    await log.append({ topic, partition }, builder.build());
  }
}

function keysByPartition(prefix: string, partitions: number, perPartition: number): readonly (readonly string[])[] {
  const keys = Array.from({ length: partitions }, (): string[] => []);
  const isFull = () => keys.every((some) => some.length === perPartition);
  for (let index = 0; !isFull(); index += 1) {
    const key = `${prefix}${index}`;
    const some = keys[defaultPartition(Buffer.from(key), null, partitions)];
    if (some !== undefined && some.length < perPartition) some.push(key);
  }
  return keys;
}
