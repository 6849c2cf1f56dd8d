import { mulberry32 } from '../../lib/testing/simulation/chance.js';

/** Lines of words, the same for the same seed, with a few frequent words and many rare ones, as in real text. */
export interface TextOfWords {
  readonly lines: readonly string[];
  /** How often each word occurs. */
  readonly counts: ReadonlyMap<string, number>;
}

const VOCABULARY = 2_000;
const WORDS_MOST = 10;

export function textOfWords(lineCount: number, seed: number): TextOfWords {
  const random = seededRandom(seed);
  const counts = new Map<string, number>();
  const lines = Array.from({ length: lineCount }, () => {
    const words = Array.from({ length: 1 + Math.floor(random() * WORDS_MOST) }, () => {
      const word = `w${Math.floor(VOCABULARY * random() ** 3)}`;
      counts.set(word, (counts.get(word) ?? 0) + 1);
      return word;
    });
    return words.join(' ');
  });
  return { lines, counts };
}

/** Uniform in [0, 1), the same sequence for the same seed. */
export const seededRandom = mulberry32;
