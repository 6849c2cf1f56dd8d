import type { VirtualTime } from '../../../lib/testing/simulation/virtual-time.js';

/** Between two looks. */
const LOOK_MS = 50;

/** Lets virtual time pass until something is so. @returns how long that took, in milliseconds; at most `timeoutMs` */
export async function waitVirtually(
  time: VirtualTime,
  isSo: () => Promise<boolean>,
  timeoutMs: number,
): Promise<number> {
  const startMs = time.nowMs;
  while (time.nowMs - startMs < timeoutMs && !(await isSo())) await time.clock.sleep(LOOK_MS);
  return Math.min(time.nowMs - startMs, timeoutMs);
}
