import { describe, expect, it } from 'vitest';
import {
  isTombstone,
  seenValue,
  shownValue,
  VALUES_ALONE,
  WHOLE_RECORDS,
} from '../../../../lib/testing/simulation/seen-value.js';

const headers = [{ key: 'h', value: Buffer.from('1') }];

describe('what is compared of a record', () => {
  it('is its value alone, unless more is asked for', () => {
    expect(seenValue('v', { timestampMs: 1, headers }, VALUES_ALONE)).toBe('v');
    expect(seenValue(null, { timestampMs: 1, headers }, VALUES_ALONE)).toBeNull();
  });

  it('tells timestamps apart, and headers, and a tombstone from a value', () => {
    const one = seenValue('v', { timestampMs: 1, headers }, WHOLE_RECORDS);

    for (const other of [
      seenValue('v', { timestampMs: 2, headers }, WHOLE_RECORDS),
      seenValue('v', { timestampMs: 1, headers: [] }, WHOLE_RECORDS),
      seenValue('v', { timestampMs: 1, headers: [{ key: 'h', value: null }] }, WHOLE_RECORDS),
      seenValue(null, { timestampMs: 1, headers }, WHOLE_RECORDS),
      seenValue('', { timestampMs: 1, headers }, WHOLE_RECORDS),
    ])
      expect(other).not.toBe(one);
    expect(seenValue(null, { timestampMs: 1, headers }, WHOLE_RECORDS)).not.toBe(
      seenValue('', { timestampMs: 1, headers }, WHOLE_RECORDS),
    );
  });

  it('is the same for other timestamps where only headers are asked for', () => {
    const parts = { timestamps: false, headers: true };

    expect(seenValue('v', { timestampMs: 1, headers }, parts)).toBe(seenValue('v', { timestampMs: 2, headers }, parts));
  });

  it('says that it is a tombstone, with whatever is compared beside it', () => {
    for (const parts of [VALUES_ALONE, WHOLE_RECORDS, { timestamps: false, headers: true }]) {
      expect(isTombstone(seenValue(null, { timestampMs: 1, headers }, parts))).toBe(true);
      for (const value of ['', 'null', 'v'])
        expect(isTombstone(seenValue(value, { timestampMs: 1, headers }, parts))).toBe(false);
    }
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'a tombstone'],
    ['v', "'v'"],
    ['\u0000\u0001', '0x0001'],
    [seenValue('v', { timestampMs: 7, headers }, WHOLE_RECORDS), "'v' at 7 with \"h\": '1'"],
    [seenValue('\u0001', { timestampMs: 7, headers: [] }, WHOLE_RECORDS), '0x01 at 7'],
    [seenValue(null, { timestampMs: 7, headers: [] }, WHOLE_RECORDS), 'a tombstone at 7'],
    [seenValue('v', { timestampMs: 7, headers: [] }, { timestamps: false, headers: true }), "'v'"],
  ])('%j is shown as %s', (seen, words) => {
    expect(shownValue(seen)).toBe(words);
  });
});
