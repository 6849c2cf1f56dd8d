import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, and ends at once without an error when the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
