import { gzipSync } from 'node:zlib';
import lz4js from 'lz4js';
import snappyjs from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { createRecordCodecs } from '../../../../lib/log/kafka/records/codecs.js';
import { xxhash32 } from '../../../../lib/log/kafka/records/xxhash32.js';
import { createZstdCodec } from '../../../../lib/log/kafka/records/zstd.js';
import { CorruptRecordError, RecordTooLargeError } from '../../../../lib/model/errors.js';
import { recordedBatch } from '../../../support/record-batches/recorded-batches.js';

const codecs = createRecordCodecs();
const LIMIT = 1_000_000;
const words = Buffer.from('the quick brown fox jumps over the lazy dog, and the lazy dog sleeps on; '.repeat(40));

function codec(name: 'gzip' | 'snappy' | 'lz4' | 'zstd') {
  const found = codecs.byName(name);
  if (found === undefined) throw new Error(`no codec ${name}`);
  return found;
}

/** The compressed records of a batch that Kafka wrote. */
const payload = (name: string) => recordedBatch(name).bytes.subarray(61);
/** A Zstandard frame in script, as on a Node without it. */
const zstdInScript = createZstdCodec({});

describe('the codecs of record batches', () => {
  it('have the numbers and names that Kafka gave them', () => {
    expect([1, 2, 3, 4].map((id) => codecs.byId(id)?.name)).toEqual(['gzip', 'snappy', 'lz4', 'zstd']);
    expect([0, 5, 6, 7].map((id) => codecs.byId(id))).toEqual([undefined, undefined, undefined, undefined]);
    expect(codecs.byName('none')).toBeUndefined();
  });

  it.each(['gzip', 'snappy', 'lz4', 'zstd'] as const)(
    'decompress what Kafka compressed, and stop at a bound: %s',
    (name) => {
      const plain = payload('noneRuns');

      expect(codec(name).decompress(payload(`${name}Runs`), plain.length)).toEqual(plain);
      expect(() => codec(name).decompress(payload(`${name}Runs`), plain.length - 1)).toThrow(RecordTooLargeError);
    },
  );

  it.each(['gzip', 'snappy', 'lz4', 'zstd'] as const)('refuse bytes that are cut off anywhere: %s', (name) => {
    const whole = payload(`${name}Runs`);
    const plain = payload('noneRuns');

    for (let length = 0; length < whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      let out: Buffer | undefined;
      try {
        out = codec(name).decompress(cut, LIMIT);
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptRecordError);
      }
      // A stream of whole blocks is whole; that records are missing is found when they are counted.
      if (out !== undefined) expect(plain.subarray(0, out.length).equals(out)).toBe(true);
    }
  });
});

describe('gzip', () => {
  it('is bounded although it was made to explode', () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));

    expect(() => codec('gzip').decompress(bomb, LIMIT)).toThrow(RecordTooLargeError);
  });
});

describe('snappy', () => {
  it('is read as one raw block too, as other clients write it', () => {
    expect(codec('snappy').decompress(Buffer.from(snappyjs.compress(words)), LIMIT)).toEqual(words);
  });

  it('is read over streams that were joined', () => {
    const stream = codec('snappy').compress?.(words) ?? Buffer.alloc(0);

    expect(codec('snappy').decompress(Buffer.concat([stream, stream]), LIMIT)).toEqual(Buffer.concat([words, words]));
  });

  it('is written so that another implementation reads it, in blocks with their lengths', () => {
    const stream = codec('snappy').compress?.(words) ?? Buffer.alloc(0);

    expect(stream.length).toBeLessThan(words.length / 4);
    expect(stream.readInt32BE(16)).toBe(stream.length - 20);
    expect(Buffer.from(snappyjs.uncompress(stream.subarray(20)))).toEqual(words);
  });

  it.each([
    ['a length that is never reached', [100, 0, 65]],
    ['a length that takes memory', [0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['a length without end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['more bytes than the length', [1, 4, 65, 66]],
    ['a literal beyond the input', [5, 0x10, 65]],
    ['the length of a literal cut off', [5, 0xf0]],
    ['a copy from before the beginning', [8, 0, 65, 0x0d, 9]],
    ['a copy from nowhere', [8, 0, 65, 0x0d, 0]],
    ['a copy cut off', [8, 0, 65, 0x0e, 1]],
  ])('refuses %s', (_, bytes) => {
    expect(() => codec('snappy').decompress(Buffer.from(bytes), 10_000_000)).toThrow(
      bytes.length === 5 && bytes[0] === 0xff ? RecordTooLargeError : CorruptRecordError,
    );
  });
});

describe('lz4', () => {
  it('is written so that another implementation reads it', () => {
    const frame = codec('lz4').compress?.(words) ?? Buffer.alloc(0);

    expect(frame.length).toBeLessThan(words.length / 4);
    expect(Buffer.from(lz4js.decompress(frame))).toEqual(words);
  });

  it('is written in independent blocks, since Kafka refuses others', () => {
    const plain = Buffer.alloc(200_000, 'abc');
    const frame = codec('lz4').compress?.(plain) ?? Buffer.alloc(0);

    expect((frame[4] as number) & 0x20).toBe(0x20);
    expect(codec('lz4').decompress(frame, LIMIT).equals(plain)).toBe(true);
  });

  it('is read with dependent blocks, as another implementation writes it', () => {
    expect(codec('lz4').decompress(Buffer.from(lz4js.compress(words)), LIMIT)).toEqual(words);
  });

  it('is checked by all the checksums that a frame has', () => {
    const frame = checksummedLz4Frame(words.subarray(0, 20));

    expect(codec('lz4').decompress(frame, LIMIT)).toEqual(words.subarray(0, 20));
    for (let at = 4; at < frame.length; at += 1) {
      const changed = Buffer.from(frame);
      changed[at] = (changed[at] as number) ^ 0x10;
      expect(() => codec('lz4').decompress(changed, LIMIT)).toThrow(CorruptRecordError);
    }
  });

  it('has checksums with the published values of xxHash', () => {
    const hash = (text: string) => xxhash32(Buffer.from(text), 0, text.length);

    expect(hash('')).toBe(0x02cc5d05);
    expect(hash('a')).toBe(0x550d7456);
    expect(hash('abc')).toBe(0x32d153ff);
    expect(hash('Nobody inspects the spammish repetition')).toBe(0xe2293b2f);
  });
});

describe('zstd in script', () => {
  it('is read, although it can not be written', () => {
    expect(zstdInScript.decompress(payload('zstdRuns'), LIMIT)).toEqual(payload('noneRuns'));
    expect(zstdInScript.decompress(payload('zstdRandom'), LIMIT)).toEqual(payload('noneRandom'));
    expect(zstdInScript.compress).toBeUndefined();
  });

  it('is read over several frames, and frames to skip between them', () => {
    const one = zstdFrame({ blocks: [rawBlock('ab', true)] });
    const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const other = zstdFrame({ blocks: [runBlock('c', 4, false), rawBlock('d', true)] });

    expect(zstdInScript.decompress(Buffer.concat([one, skipped, other]), LIMIT).toString()).toBe('abccccd');
  });

  it('takes no memory for what a header only announces', () => {
    const huge = zstdFrame({ windowDescriptor: 17 << 3, blocks: [rawBlock('ab', true)] });

    const before = process.memoryUsage().arrayBuffers;
    expect(zstdInScript.decompress(huge, LIMIT).toString()).toBe('ab');

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  });

  it('is bounded although it was made to explode', () => {
    const blocks = Array.from({ length: 1_000 }, (_, index) => runBlock('x', 131_072, index === 999));

    expect(() => zstdInScript.decompress(zstdFrame({ windowDescriptor: 0x40, blocks }), LIMIT)).toThrow(
      RecordTooLargeError,
    );
  });

  it.each([
    ['no frame', Buffer.alloc(20)],
    ['a dictionary', zstdFrame({ flags: 1, blocks: [rawBlock('ab', true)] })],
    ['a block of no kind', zstdFrame({ blocks: [Buffer.from([0x07, 0, 0])] })],
    ['a block larger than the window', zstdFrame({ blocks: [runBlock('x', 2_000, true)] })],
    ['a window of 256 MB', zstdFrame({ windowDescriptor: 18 << 3, blocks: [rawBlock('ab', true)] })],
    ['no last block', zstdFrame({ blocks: [rawBlock('ab', false)] })],
    ['a frame to skip that is cut off', Buffer.from([0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, 1])],
  ])('refuses %s', (_, bytes) => {
    expect(() => zstdInScript.decompress(bytes, LIMIT)).toThrow(CorruptRecordError);
  });
});

interface ZstdFrame {
  readonly flags?: number;
  /** The default is the smallest window, 1 KB. */
  readonly windowDescriptor?: number;
  readonly blocks: readonly Buffer[];
}

function zstdFrame({ flags = 0, windowDescriptor = 0, blocks }: ZstdFrame): Buffer {
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, flags, windowDescriptor]), ...blocks]);
}

function rawBlock(text: string, isLast: boolean): Buffer {
  return Buffer.concat([zstdBlockHeader(0, text.length, isLast), Buffer.from(text)]);
}

function runBlock(text: string, length: number, isLast: boolean): Buffer {
  return Buffer.concat([zstdBlockHeader(1, length, isLast), Buffer.from(text)]);
}

function zstdBlockHeader(kind: number, size: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (kind << 1) | (isLast ? 1 : 0), 0, 3);
  return header;
}

/** One stored block with its checksum, the content's size and the content's checksum. */
function checksummedLz4Frame(content: Buffer): Buffer {
  const header = Buffer.alloc(15);
  header.writeUInt32LE(0x184d2204, 0);
  header[4] = 0x40 | 0x20 | 0x10 | 0x08 | 0x04;
  header[5] = 4 << 4;
  header.writeBigUInt64LE(BigInt(content.length), 6);
  header[14] = (xxhash32(header, 4, 14) >>> 8) & 0xff;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(0x80000000 + content.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(xxhash32(content, 0, content.length));
  return Buffer.concat([header.subarray(0, 15), size, content, checksum, Buffer.alloc(4), checksum]);
}
