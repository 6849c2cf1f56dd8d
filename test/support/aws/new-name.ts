import { newName } from '../kafka/log-kit.js';
import type { AwsTarget } from './target.js';

/** A name that nobody has used, by which the run finds again what it has made (leftovers.ts). */
export function newNameAt({ run }: AwsTarget, what: string): string {
  return newName(`${run}-${what}`);
}
