import { expect, it } from 'vitest';
import { kindOfValue } from '../../../lib/model/kind-of-value.js';

it.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [[], 'an array'],
  [{}, 'an object'],
  ['', 'a string'],
  [() => 1, 'a function'],
])('the kind of %o is said as %s', (value, kind) => {
  expect(kindOfValue(value)).toBe(kind);
});
