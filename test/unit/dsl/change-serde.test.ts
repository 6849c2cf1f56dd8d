import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, changeSerde } from '../../../lib/dsl/change.js';
import { Cell } from '../../../lib/serde/cell.js';
import { string } from '../../../lib/serde/string-serde.js';

const serde = changeSerde(string());
const change = (now: string | null, was: string | null): Change<string> => ({
  newCell: Cell.of(now),
  oldCell: Cell.of(was),
});
const values = ({ newCell, oldCell }: Change<string>) => [newCell.value, oldCell.value];
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe("updates have Kafka Streams' bytes", () => {
  it.each([
    [change('n', null), '6e01'],
    [change(null, 'o'), '6f00'],
    [change('new', 'old'), `06${hex(Buffer.from('newold'))}02`],
    [change('', ''), '0002'],
  ])('case %#', (of, bytes) => {
    expect(hex(serde.serialize(of))).toBe(bytes);
    expect(values(serde.deserialize(Buffer.from(bytes, 'hex')))).toEqual(values(of));
  });

  it('writes the length of a long new value as a zig-zag varint', () => {
    const bytes = serde.serialize(change('n'.repeat(64), 'o'));

    expect(hex(bytes.subarray(0, 2))).toBe('8001');
  });

  it('reads the variants that say whether the update is the latest', () => {
    expect(values(serde.deserialize(Buffer.from('6f0103', 'hex')))).toEqual([null, 'o']);
    expect(values(serde.deserialize(Buffer.from('6e0104', 'hex')))).toEqual(['n', null]);
    expect(values(serde.deserialize(Buffer.from('026e6f0105', 'hex')))).toEqual(['n', 'o']);
  });

  it.each(['', '06', '0005', '0a6e6f02', '8080808080800202'])('refuses bytes that are none: %s', (bytes) => {
    expect(() => serde.deserialize(Buffer.from(bytes, 'hex'))).toThrow(RangeError);
  });

  it('refuses an update of nothing to nothing', () => {
    expect(() => serde.serialize(change(null, null))).toThrow(TypeError);
  });

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.option(fc.string({ maxLength: 300 })), fc.option(fc.string()), (now, was) => {
        fc.pre(now !== null || was !== null);
        expect(values(serde.deserialize(serde.serialize(change(now, was))))).toEqual([now, was]);
      }),
    );
  });
});
