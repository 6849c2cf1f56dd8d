/** Mutations of real batches, and what the reader may make of them: the records of the reference reader, or a typed error. */
import { type ReadBatchesResult, readBatches } from '../../../lib/log/kafka/records/read-batches.js';
import { StreamsError } from '../../../lib/model/errors.js';
import { seededRandom } from '../text-of-words.js';
import { withChecksum } from './hand-made-batch.js';
import { readOptions } from './read-options.js';
import { plainRecords, recordedBatch } from './recorded-batches.js';
import { referenceRead } from './reference-reader.js';

export type FuzzedCodec = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
export const FUZZED_CODECS: readonly FuzzedCodec[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

export interface FuzzFigures {
  readonly read: number;
  readonly refused: number;
  /** Sampled after calls: what the heap and buffers outside it held, garbage included. */
  readonly peakHeapBytes: number;
  readonly slowestMs: number;
}

const SAMPLE_EVERY = 16;

/**
 * Reads so many mutated batches of a codec.
 *
 * @throws {Error} with the seed, the number and the bytes of the first mutation that was read wrong, or failed otherwise
 */
export async function fuzzBatches(codec: FuzzedCodec, mutations: number, seed: number): Promise<FuzzFigures> {
  const random = seededRandom(seed);
  const sources = [recordedBatch(`${codec}Runs`).bytes, recordedBatch(`${codec}Random`).bytes];
  let read = 0;
  let peakHeapBytes = 0;
  let slowestMs = 0;
  for (let number = 0; number < mutations; number += 1) {
    const source = sources[number % sources.length] as Buffer;
    const bytes = mutated(source, random);
    const startMs = performance.now();
    const outcome = attempt(bytes);
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    const problem = problemOf(bytes, codec, outcome);
    if (problem !== undefined)
      throw new Error(`${codec}, seed ${seed}, mutation ${number}: ${problem}\n${bytes.toString('base64')}`, {
        cause: outcome,
      });
    if (!(outcome instanceof Error)) read += 1;
    if (number % SAMPLE_EVERY === 0) {
      // node:zlib lets go of a failed stream only when the event loop turns.
      await new Promise(setImmediate);
      const { heapUsed, external } = process.memoryUsage();
      peakHeapBytes = Math.max(peakHeapBytes, heapUsed + external);
    }
  }
  return { read, refused: mutations - read, peakHeapBytes, slowestMs };
}

function attempt(bytes: Buffer): ReadBatchesResult | Error {
  try {
    return readBatches(bytes, readOptions());
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function problemOf(bytes: Buffer, codec: FuzzedCodec, outcome: ReadBatchesResult | Error): string | undefined {
  if (outcome instanceof Error) {
    if (!(outcome instanceof StreamsError) || outcome.kind === 'internal') return `failed with ${outcome}`;
    // Decompressors of others let more pass than ours; of plain records both readers must think the same.
    return codec === 'none' && !referenceRefuses(bytes) ? `refused with ${outcome}` : undefined;
  }
  try {
    const wanted = referenceRead(bytes);
    const isSame =
      wanted.nextOffset === outcome.nextOffset &&
      JSON.stringify(wanted.records) === JSON.stringify(plainRecords(outcome.records));
    return isSame ? undefined : 'read other records';
  } catch (error) {
    return `read what the reference refuses with ${error}`;
  }
}

function referenceRefuses(bytes: Buffer): boolean {
  try {
    referenceRead(bytes);
    return false;
  } catch {
    return true;
  }
}

const HEADER_BYTES = 61;
const ODD_BYTES = [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff];
const MAX_CHANGES = 3;
const MAX_MOVED_BYTES = 16;

/** One to three changes; mostly behind the header and with a checksum that is right again, so that decoders see them. */
function mutated(source: Buffer, random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  let bytes: Buffer = Buffer.from(source);
  const from = random() < 0.8 ? HEADER_BYTES : 0;
  for (let changes = 1 + below(MAX_CHANGES); changes > 0 && bytes.length > from; changes -= 1)
    bytes = changed(bytes, from + below(bytes.length - from), below);
  if (bytes.length < HEADER_BYTES) return bytes;
  if (random() < 0.9) {
    if (random() < 0.95) bytes.writeInt32BE(bytes.length - 12, 8);
    withChecksum(bytes);
  }
  return random() < 0.1 ? Buffer.concat([bytes, source.subarray(0, below(source.length))]) : bytes;
}

function changed(bytes: Buffer, at: number, below: (limit: number) => number): Buffer {
  const length = 1 + below(MAX_MOVED_BYTES);
  switch (below(6)) {
    case 0:
      bytes[at] = (bytes[at] as number) ^ (1 << below(8));
      return bytes;
    case 1:
      bytes[at] = ODD_BYTES[below(ODD_BYTES.length)] as number;
      return bytes;
    case 2:
      bytes[at] = below(256);
      return bytes;
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - length))]);
    default:
      return Buffer.from(bytes.subarray(0, at));
  }
}
