import { describe, expect, it } from 'vitest';
import { MalformedResponse } from '../../../../lib/log/kafka/protocol/malformed-response.js';
import { ProtocolReader } from '../../../../lib/log/kafka/protocol/protocol-reader.js';
import { ProtocolWriter } from '../../../../lib/log/kafka/protocol/protocol-writer.js';

const write = (fill: (writer: ProtocolWriter) => void): ProtocolReader => {
  const writer = new ProtocolWriter();
  fill(writer);
  return new ProtocolReader(Buffer.from(writer.toBuffer()));
};

describe('primitives of the protocol', () => {
  it('are read as they were written', () => {
    const reader = write((writer) => {
      writer.int8(-1).int16(-2).int32(-3).int64(Number.MAX_SAFE_INTEGER).int64(-1).boolean(true);
      writer.string('héllo').string(null).compactString('wörld').compactString(null).compactString('');
      writer.bytes(Buffer.from([1, 2, 3])).noTags();
      writer.array([7, 8], (item) => writer.int32(item)).compactArray(['a'], (item) => writer.compactString(item));
      writer
        .compactArray(null, () => undefined)
        .unsignedVarint(300)
        .zeroUuid();
    });

    expect([reader.int8(), reader.int16(), reader.int32(), reader.int64(), reader.int64(), reader.boolean()]).toEqual([
      -1,
      -2,
      -3,
      Number.MAX_SAFE_INTEGER,
      -1,
      true,
    ]);
    expect([reader.string(), reader.nullableString()]).toEqual(['héllo', null]);
    expect([reader.compactString(), reader.compactNullableString(), reader.compactString()]).toEqual([
      'wörld',
      null,
      '',
    ]);
    expect([...reader.bytes()]).toEqual([1, 2, 3]);
    reader.skipTags();
    expect(reader.array(() => reader.int32())).toEqual([7, 8]);
    expect(reader.compactArray(() => reader.compactString())).toEqual(['a']);
    expect(reader.compactArray(() => reader.int8())).toEqual([]);
    expect([reader.unsignedVarint(), reader.uuid(), reader.remaining]).toEqual([300, 'AAAAAAAAAAAAAAAAAAAAAA', 0]);
  });

  it('survive a buffer that has to grow at every one of them', () => {
    const text = 'x'.repeat(250);

    const reader = write((writer) => {
      for (let size = 0; size < 400; size += 1)
        writer
          .string(text.slice(0, size % 251))
          .int64(size)
          .int8(1)
          .compactString(text);
    });

    for (let size = 0; size < 400; size += 1)
      expect([reader.string().length, reader.int64(), reader.int8(), reader.compactString()]).toEqual([
        size % 251,
        size,
        1,
        text,
      ]);
    expect(reader.remaining).toBe(0);
  });

  it('with tagged fields that nobody knows are passed over', () => {
    const reader = new ProtocolReader(Buffer.from([2, 0, 2, 9, 9, 5, 0, 42]));

    reader.skipTags();

    expect(reader.int8()).toBe(42);
  });

  it.each<[string, number[], (reader: ProtocolReader) => unknown]>([
    ['an integer beyond the end', [0, 0, 0], (reader) => reader.int32()],
    ['a text longer than what is left', [0, 9, 65], (reader) => reader.string()],
    ['a text that may not be null', [255, 255], (reader) => reader.string()],
    ['a compact text that may not be null', [0], (reader) => reader.compactString()],
    ['bytes longer than what is left', [127, 255, 255, 255, 1], (reader) => reader.bytes()],
    ['an array of two billion elements', [127, 255, 255, 255, 1], (reader) => reader.array(() => reader.int8())],
    [
      'a compact array of two billion elements',
      [255, 255, 255, 255, 7],
      (reader) => reader.compactArray(() => reader.int8()),
    ],
    ['a varint without end', [255, 255, 255, 255, 255, 255], (reader) => reader.unsignedVarint()],
    ['more tagged fields than bytes', [200, 1, 0], (reader) => reader.skipTags()],
    ['a tagged field longer than what is left', [1, 0, 99], (reader) => reader.skipTags()],
    [
      'a number above 2^53, which JavaScript does not hold exactly (trap 23)',
      [0, 32, 0, 0, 0, 0, 0, 1],
      (reader) => reader.int64(),
    ],
    ['half a uuid', [1, 2, 3, 4, 5, 6, 7, 8], (reader) => reader.uuid()],
  ])('refuse %s', (_, bytes, read) => {
    expect(() => read(new ProtocolReader(Buffer.from(bytes)))).toThrow(MalformedResponse);
  });
});
