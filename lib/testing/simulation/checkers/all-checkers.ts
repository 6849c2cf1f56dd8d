/** Every checker there is: what the product's own runs are watched by. */
import type { Checker } from './checker.js';

export const ALL_CHECKERS: readonly Checker[] = [];
