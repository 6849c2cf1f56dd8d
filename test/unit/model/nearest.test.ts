import { describe, expect, it } from 'vitest';
import { nearestName, suggestion } from '../../../lib/model/nearest.js';

const known = ['seeds', 'members', 'commitIntervalMs'];

describe('the name that may have been meant', () => {
  it.each([
    ['sedes', 'seeds'],
    ['member', 'members'],
    ['commitInterval', 'commitIntervalMs'],
    ['COMMITINTERVALMS', 'commitIntervalMs'],
  ])('%s is taken for %s', (written, meant) => {
    expect(nearestName(written, known)).toBe(meant);
  });

  it('is none where nothing is near', () => {
    expect(nearestName('earthquake', known)).toBeNull();
    expect(suggestion('earthquake', known)).toBe('');
  });
});
