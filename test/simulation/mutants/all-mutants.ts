import type { Mutant } from './mutant.js';

export const MUTANTS: readonly Mutant[] = [];
