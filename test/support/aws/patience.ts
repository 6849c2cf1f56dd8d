/** Waiting for what is seen over HTTP; longer on AWS (target.ts). */
import { sleep, waitFor } from '../wait-for.js';
import { chooseTarget } from './target.js';

const COUNTED_MS = 90_000;
/** Between two looks over HTTP. */
export const LOOK_MS = 100;

/** A bound as it is where the tests run. */
export function patiently(ms: number): number {
  return ms * chooseTarget(process.env).patience;
}

/** Looks again and again until there is something. @throws {Error} naming what it waited for */
export function until<T>(what: string, look: () => Promise<T | undefined | false>, timeoutMs = COUNTED_MS): Promise<T> {
  return waitFor(
    what,
    async () => {
      const found = await look();
      if (found === undefined || found === false) await sleep(LOOK_MS);
      return found;
    },
    patiently(timeoutMs),
  );
}
