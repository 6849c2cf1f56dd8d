import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { bytes } from '../../../lib/serde/bytes-serde.js';
import { json } from '../../../lib/serde/json-serde.js';
import { nullable } from '../../../lib/serde/nullable-serde.js';
import { double, int, long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';

const hex = (of: Uint8Array) => Buffer.from(of).toString('hex');
const unhex = (text: string) => Buffer.from(text, 'hex');

describe("numbers have Java's bytes", () => {
  it.each([
    [0, '0000000000000000'],
    [1, '0000000000000001'],
    [-1, 'ffffffffffffffff'],
    [4_294_967_296, '0000000100000000'],
    [-4_294_967_297, 'fffffffeffffffff'],
    [Number.MAX_SAFE_INTEGER, '001fffffffffffff'],
    [Number.MIN_SAFE_INTEGER, 'ffe0000000000001'],
  ])('long %d is %s', (value, text) => {
    expect(hex(long().serialize(value))).toBe(text);
    expect(long().deserialize(unhex(text))).toBe(value);
  });

  it('int is 4 bytes, big-endian', () => {
    expect(hex(int().serialize(-2))).toBe('fffffffe');
    expect(int().deserialize(unhex('7fffffff'))).toBe(2_147_483_647);
  });

  it('double is an IEEE 754 double, big-endian', () => {
    expect(hex(double().serialize(1.5))).toBe('3ff8000000000000');
    expect(double().deserialize(unhex('c000000000000000'))).toBe(-2);
  });

  it.each([[2 ** 53], [-(2 ** 53)], [0.5], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'refuses to write %d as a long',
    (value) => {
      expect(() => long().serialize(value)).toThrow(RangeError);
    },
  );

  it.each(['0020000000000000', 'ffe0000000000000', '7fffffffffffffff', '8000000000000000'])(
    'refuses to read %s, which no number can hold exactly',
    (text) => {
      expect(() => long().deserialize(unhex(text))).toThrow('2^53');
      expect(long().accepts?.(unhex(text), 0, 8)).toBe(false);
    },
  );

  it.each([[2_147_483_648], [-2_147_483_649], [1.5]])('refuses to write %d as an int', (value) => {
    expect(() => int().serialize(value)).toThrow(RangeError);
  });

  it('refuses numbers of another length', () => {
    expect(() => long().deserialize(unhex('00000001'))).toThrow('8 bytes');
    expect(() => int().deserialize(unhex('0000000000000001'))).toThrow('4 bytes');
    expect(() => double().deserialize(unhex(''))).toThrow('8 bytes');
  });
});

describe('text is lenient UTF-8', () => {
  it('reads malformed bytes as replacement characters, as Java does', () => {
    expect(string().deserialize(unhex('61ff62'))).toBe('a\ufffdb');
    expect(string().accepts?.(unhex('ff'), 0, 1)).toBe(true);
  });

  it('reads a range of a larger buffer', () => {
    expect(string().deserializeRange?.(Buffer.from('--grüße--', 'utf8'), 2, 9)).toBe('grüße');
  });

  it('refuses what is no text', () => {
    expect(() => string().serialize(7 as unknown as string)).toThrow(TypeError);
  });
});

describe('bytes are handed over as they are', () => {
  it('gives user code a copy, so that changing it changes no neighbour', () => {
    const buffer = Buffer.from('abc');

    const value = bytes().deserialize(buffer.subarray(1));
    value[0] = 0x7a;

    expect(buffer.toString()).toBe('abc');
    expect(hex(value)).toBe('7a63');
  });
});

describe('json', () => {
  const positive: StandardSchemaV1<unknown, number> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) =>
        typeof value === 'number' && value > 0
          ? { value: value * 2 }
          : { issues: [{ message: 'not positive', path: ['amount'] }] },
    },
  };

  it('reads and writes without a schema', () => {
    expect(json<{ a: number }>().deserialize(json().serialize({ a: 1 }))).toEqual({ a: 1 });
  });

  it("gives the schema's output", () => {
    expect(json(positive).deserialize(Buffer.from('21'))).toBe(42);
  });

  it('names the issues of what the schema refuses', () => {
    expect(() => json(positive).deserialize(Buffer.from('-1'))).toThrow('amount: not positive');
  });

  it('refuses a schema that validates asynchronously', () => {
    const later: StandardSchemaV1<unknown, number> = {
      '~standard': { version: 1, vendor: 'slow', validate: async () => ({ value: 1 }) },
    };

    expect(() => json(later).deserialize(Buffer.from('1'))).toThrow('slow schema validates asynchronously');
  });

  it('refuses what has no JSON, and bytes that are none', () => {
    expect(() => json<undefined>().serialize(undefined)).toThrow('has no JSON');
    expect(() => json().deserialize(Buffer.from('{'))).toThrow();
  });

  it('makes no promise that one schema reads what another wrote', () => {
    expect(json(positive).format).toBeUndefined();
    expect(json().format).toBe('json');
  });
});

it('nullable changes the type alone', () => {
  expect(nullable(long())).toBe(long());
});
