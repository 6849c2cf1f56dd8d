/** The numbers that `simulate` is given, checked before anything runs. */
import { checkObject } from './check-names.js';
import { invalid } from './invalid-option.js';
import type { Amount, Seeds } from './simulation-options.js';

/** Seeds of one call; more are a programme of its own. */
const MAX_SEEDS = 100_000;
const ANY_SEED: Bounds = { least: 0, most: Number.MAX_SAFE_INTEGER };

/** Both ends inclusive. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING */
export function checkWhole(name: string, value: unknown, { least, most }: Bounds): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const upTo = most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`;
  throw invalid(name, value, `a whole number from ${least} ${upTo}`);
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING */
export function checkAmount(name: string, value: Amount, bounds: Bounds): readonly [number, number] {
  if (typeof value !== 'number' && !(Array.isArray(value) && value.length === 2))
    throw invalid(name, value, 'a number, or the least and the most');
  const [from, to] = typeof value === 'number' ? [value, value] : value;
  checkWhole(name, from, bounds);
  checkWhole(name, to, bounds);
  if (from > to) throw invalid(name, value, 'the smaller number first');
  return [from, to];
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING if there is none, or one that is no whole number */
export function checkSeeds(seeds: Seeds): readonly number[] {
  if (isList(seeds)) {
    if (seeds.length === 0) throw invalid('seeds', seeds, 'one seed at least');
    if (seeds.length > MAX_SEEDS) throw invalid('seeds', seeds.length, `at most ${MAX_SEEDS} at a time`);
    return [...new Set(seeds.map((seed) => checkWhole('seeds', seed, ANY_SEED)))];
  }
  if (typeof seeds !== 'number' && (typeof seeds !== 'object' || seeds === null))
    throw invalid('seeds', seeds, 'how many, a list of them, or { from, count }');
  if (typeof seeds === 'object') checkObject('seeds', seeds, ['from', 'count']);
  const { from, count } = typeof seeds === 'number' ? { from: 1, count: seeds } : seeds;
  checkWhole(typeof seeds === 'number' ? 'seeds' : 'seeds.count', count, { least: 1, most: MAX_SEEDS });
  checkWhole('seeds.from', from, { least: 0, most: Number.MAX_SAFE_INTEGER - count + 1 });
  return Array.from({ length: count }, (_, index) => from + index);
}

function isList(seeds: Seeds): seeds is readonly number[] {
  return Array.isArray(seeds);
}
