/**
 * Feeds the lines of files into a topic, exactly once, and goes on as the files grow.
 *
 * Each transaction holds lines and, in a compacted topic, how far into each file they reach: after a crash the feed continues
 * where its last committed transaction ended. It keeps at most a bounded number of lines ahead of the application and trims
 * what the application has committed, so that a text of any size passes through bounded memory.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { relative } from 'node:path';
import {
  type Log,
  offset,
  RecordSetBuilder,
  type TopicSpec,
  type TransactionalProducer,
  topicPartitionKey,
} from '../../lib/local/index.js';
import { pause } from './pause.js';

const CHUNK_BYTES = 256 * 1024;
const MAX_LINES_AHEAD = 50_000;
const POLL_MS = 200;
const NEWLINE = 0x0a;
const SPACE = 0x20;
/** A longer line becomes several records, cut at spaces: the topic does not take records of any size. */
const MAX_LINE_BYTES = 256 * 1024;

/** What the feed has done so far. */
export interface FeedProgress {
  readonly files: readonly { readonly name: string; readonly bytesRead: number }[];
  readonly linesRead: number;
  /** Whether every file was read to its present end. */
  readonly atEnd: boolean;
}

export interface FileFeedOptions {
  readonly log: Log;
  /** Absolute paths: positions are kept by them, so that a file is the same wherever the feed is started. */
  readonly files: readonly string[];
  readonly topic: string;
  readonly partitions: number;
  /** Whose committed offsets say what has been consumed. */
  readonly consumerGroup: string;
  /** Whether a last line without newline counts now (`--once`) or may still grow. */
  readonly takeUnfinishedLine: boolean;
  readonly warn: (message: string) => void;
}

/** Topic that holds the position in each file, by the file's path. */
export const POSITIONS_TOPIC = 'wordcount-file-positions';
export const positionsTopic: TopicSpec = {
  name: POSITIONS_TOPIC,
  partitions: 1,
  config: { 'cleanup.policy': 'compact' },
};

export class FileFeed {
  private readonly positions = new Map<string, number>();
  private readonly builders: RecordSetBuilder[];
  private readonly options: FileFeedOptions;
  private linesRead = 0;
  private atEnd = false;
  private nextPartition = 0;

  constructor(options: FileFeedOptions) {
    this.options = options;
    this.builders = Array.from({ length: options.partitions }, () => new RecordSetBuilder());
  }

  get progress(): FeedProgress {
    const files = this.options.files.map((path) => ({
      name: shortName(path),
      bytesRead: this.positions.get(path) ?? 0,
    }));
    return { files, linesRead: this.linesRead, atEnd: this.atEnd };
  }

  /** Feeds until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const producer = await this.options.log.initProducer({
      transactionalId: 'wordcount-file-feed',
      transactionTimeoutMs: 60_000,
    });
    await this.readPositions();
    while (!signal.aborted) {
      let moved = false;
      for (const file of this.options.files) {
        if (signal.aborted) break;
        await this.waitForRoom(signal);
        moved = (await this.feedChunk(producer, file)) || moved;
      }
      this.atEnd = !moved;
      if (!moved) await pause(POLL_MS, signal);
    }
    await producer.close();
  }

  private async readPositions(): Promise<void> {
    const at = { topic: POSITIONS_TOPIC, partition: 0 };
    const end = (await this.options.log.listOffsets([at], 'lastStable')).get(topicPartitionKey(at)) ?? offset(0);
    let next = (await this.options.log.listOffsets([at], 'earliest')).get(topicPartitionKey(at)) ?? offset(0);
    while (next < end) {
      const [result] = await this.options.log.fetch([{ ...at, fromOffset: next }], {
        isolation: 'readCommitted',
        maxWaitMs: 0,
        maxBytes: CHUNK_BYTES,
      });
      if (result === undefined) break;
      for (const { key, value } of result.records) {
        if (key !== null && value !== null)
          this.positions.set(Buffer.from(key).toString(), Number(Buffer.from(value).toString()));
      }
      next = result.nextOffset;
    }
  }

  /** Feeds the next complete lines of a file. @returns whether there were any */
  private async feedChunk(producer: TransactionalProducer, file: string): Promise<boolean> {
    const from = this.positions.get(file) ?? 0;
    const chunk = await this.readLines(file, from);
    if (chunk === null) return false;
    const lines = this.collect(chunk);
    const to = from + chunk.length;
    for (const [partition, builder] of this.builders.entries()) {
      if (builder.size > 0) await producer.send({ topic: this.options.topic, partition }, builder.build());
    }
    const position = new RecordSetBuilder();
    position.append(Buffer.from(file), Buffer.from(String(to)), Date.now());
    await producer.send({ topic: POSITIONS_TOPIC, partition: 0 }, position.build());
    await producer.commit();
    this.positions.set(file, to);
    this.linesRead += lines;
    return true;
  }

  /** Complete lines from `from` on, at most a chunk or one longer line; null if there are none yet. */
  private async readLines(file: string, from: number): Promise<Buffer | null> {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size < from) {
        this.options.warn(`${file} has become shorter: it is read from its start again`);
        this.positions.set(file, 0);
        return null;
      }
      for (let wanted = CHUNK_BYTES; size > from; wanted *= 2) {
        const bytes = await readUpTo(handle, from, Math.min(wanted, size - from));
        const end = bytes.lastIndexOf(NEWLINE) + 1;
        if (end > 0) return bytes.subarray(0, end);
        if (bytes.length === size - from) return this.options.takeUnfinishedLine ? bytes : null;
      }
      return null;
    } finally {
      await handle.close();
    }
  }

  private collect(chunk: Buffer): number {
    const now = Date.now();
    let lines = 0;
    for (let start = 0; start < chunk.length; lines += 1) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline;
      for (const piece of piecesOf(chunk.subarray(start, end))) {
        const builder = this.builders[this.nextPartition] as RecordSetBuilder;
        builder.append(null, piece, now);
        this.nextPartition = (this.nextPartition + 1) % this.builders.length;
      }
      start = end + 1;
    }
    return lines;
  }

  /** Waits while the application is far behind, and trims what it has committed. */
  private async waitForRoom(signal: AbortSignal): Promise<void> {
    const { log, topic, partitions, consumerGroup } = this.options;
    const inputs = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
    while (!signal.aborted) {
      const ends = await log.listOffsets(inputs, 'lastStable');
      const starts = await log.listOffsets(inputs, 'earliest');
      const committed = await log.committedOffsets(consumerGroup, inputs);
      let ahead = 0;
      const trim = new Map();
      for (const input of inputs) {
        const key = topicPartitionKey(input);
        const done = committed.get(key)?.nextOffset ?? starts.get(key) ?? offset(0);
        ahead += (ends.get(key) ?? done) - done;
        trim.set(key, done);
      }
      await log.deleteRecords(trim);
      if (ahead <= MAX_LINES_AHEAD) return;
      await pause(5, signal);
    }
  }
}

function* piecesOf(line: Buffer): Generator<Buffer> {
  let rest = line;
  while (rest.length > MAX_LINE_BYTES) {
    const before = rest.lastIndexOf(SPACE, MAX_LINE_BYTES);
    const end = before > 0 ? before : rest.indexOf(SPACE, MAX_LINE_BYTES);
    if (end < 0) break;
    yield rest.subarray(0, end);
    rest = rest.subarray(end);
  }
  yield rest;
}

/** The path from the working folder, or the whole of it where that leads upwards. */
function shortName(path: string): string {
  const name = relative(process.cwd(), path);
  return name.startsWith('..') ? path : name;
}

async function readUpTo(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}
