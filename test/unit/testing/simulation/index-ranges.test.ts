import { expect, it } from 'vitest';
import { formatIndexRanges, parseIndexRanges } from '../../../../lib/testing/simulation/index-ranges.js';

it.each([
  ['', []],
  ['3', [3]],
  ['0-2,5', [0, 1, 2, 5]],
  ['0,2,4-5', [0, 2, 4, 5]],
])('the list %s is read as it is written', (text, indices) => {
  expect(parseIndexRanges(text, 6)).toEqual(indices);
  expect(formatIndexRanges(indices)).toBe(text);
});

it.each(['x', '1-', '5-3', '-1', '1.5', '6'])('%s is refused where there are 6', (text) => {
  expect(() => parseIndexRanges(text, 6)).toThrow(RangeError);
});
