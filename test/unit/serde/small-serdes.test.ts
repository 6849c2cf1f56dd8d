import { describe, expect, it } from 'vitest';
import { boolean, float, nothing, short, uuid } from '../../../lib/index.js';

describe('serdes of small values', () => {
  it('refuse to write what they are not for', () => {
    expect(() => boolean().serialize(1 as never)).toThrow('a boolean is wanted');
    expect(() => short().serialize(0x8000)).toThrow('no whole number of 16 bits');
    expect(() => short().serialize(0.5)).toThrow('no whole number of 16 bits');
    expect(() => float().serialize('1' as never)).toThrow('a number is wanted');
    expect(() => float().serialize(1e39)).toThrow('too large for 32 bits');
    expect(() => uuid().serialize('not one')).toThrow('a UUID is wanted');
    expect(() => nothing().serialize('x' as never)).toThrow('nothing is wanted');
  });

  it('refuse to read what they have not written', () => {
    expect(() => boolean().deserialize(Uint8Array.of(2))).toThrow('neither 0 nor 1');
    expect(() => boolean().deserialize(Uint8Array.of())).toThrow('1 bytes are wanted');
    expect(() => short().deserialize(Uint8Array.of(1))).toThrow('2 bytes are wanted');
    expect(() => float().deserialize(Uint8Array.of(1))).toThrow('4 bytes are wanted');
    expect(() => uuid().deserialize(Buffer.from('1-2'))).toThrow('a UUID is wanted');
    expect(() => nothing().deserialize(Uint8Array.of())).toThrow('nothing is wanted, not 0 bytes');
  });

  it('round a float to its 32 bits', () => {
    expect(float().deserialize(float().serialize(0.1))).toBe(Math.fround(0.1));
  });

  it('write a UUID in lower case, however it came', () => {
    const text = '0A0B0C0D-1111-2222-3333-444455556666';

    expect(Buffer.from(uuid().serialize(text)).toString()).toBe(text.toLowerCase());
    expect(uuid().deserialize(Buffer.from(text))).toBe(text.toLowerCase());
  });
});
