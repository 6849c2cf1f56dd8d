/**
 * Seeded chance in named streams. What one part draws does not move what another part sees: a scenario from which one fault was
 * taken away meets the others as before.
 */
export interface Chance {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number in [0, end). */
  below(end: number): number;
  /** A whole number in [from, to], both inclusive. */
  between(from: number, to: number): number;
  /** True with this probability, 0 to 1. */
  happens(probability: number): boolean;
  /** One of a list that is not empty. */
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
  /** `[0-9a-f]{16}` */
  id(): string;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const MULBERRY_STEP = 0x6d2b79f5;

/** The same sequence for the same seed and name (mulberry32). */
export function createChance(seed: number, name: string): Chance {
  const next = mulberry32(hash(`${seed}/${name}`));
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    between: (from, to) => from + below(to - from + 1),
    happens: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[below(list.length)] as T;
    },
    id: () => Array.from({ length: 16 }, () => below(16).toString(16)).join(''),
  };
}

/** Uniform in [0, 1): the same sequence for the same seed, of which the lowest 32 bits count. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + MULBERRY_STEP) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function hash(text: string): number {
  let value = FNV_OFFSET;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), FNV_PRIME) >>> 0;
  return value;
}
