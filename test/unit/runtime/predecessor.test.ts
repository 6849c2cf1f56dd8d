import { describe, expect, it } from 'vitest';
import { Predecessor, RELEASE_PATIENCE_MS, warmUpPatienceMs } from '../../../lib/runtime/predecessor.js';

const settings = { sessionTimeoutMs: 6_000 };
const patienceMs = warmUpPatienceMs(settings);

/** A predecessor, and a clock to put forward. */
function scene(drains: boolean) {
  let nowMs = 1_000;
  const predecessor = new Predecessor({ monotonic: () => nowMs }, settings, drains);
  return {
    predecessor,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('what a successor waits for', () => {
  it('is nothing where nobody hands over', () => {
    const { predecessor } = scene(false);

    expect(predecessor.isWarmingUp).toBe(false);
    expect(predecessor.isFinishing).toBe(false);
  });

  it('is its own copies first, then for a moment the release', () => {
    const { predecessor, pass } = scene(true);
    const before = [predecessor.isWarmingUp, predecessor.isFinishing];
    pass(patienceMs - 1);
    predecessor.ready();

    expect(before).toEqual([true, true]);
    expect([predecessor.isWarmingUp, predecessor.isFinishing]).toEqual([false, true]);
    pass(RELEASE_PATIENCE_MS);
    expect(predecessor.isFinishing).toBe(false);
  });

  it('ends although the copies are never ready', () => {
    const { predecessor, pass } = scene(true);

    pass(patienceMs);

    expect([predecessor.isWarmingUp, predecessor.isFinishing]).toEqual([false, true]);
    pass(RELEASE_PATIENCE_MS);
    expect(predecessor.isFinishing).toBe(false);
  });

  it('counts from the first time that all was ready', () => {
    const { predecessor, pass } = scene(true);
    predecessor.ready();
    pass(RELEASE_PATIENCE_MS);
    predecessor.ready();

    expect(predecessor.isFinishing).toBe(false);
  });
});
