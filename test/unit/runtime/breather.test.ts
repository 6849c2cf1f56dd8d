import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../lib/host/host.js';
import { Breather } from '../../../lib/runtime/breather.js';

/** A clock on which each turn takes as long as it is told. */
function clockOf(turnMs: number) {
  const at = { nowMs: 0, turns: 0, breaths: [] as number[] };
  const clock: Clock = {
    now: () => at.nowMs,
    monotonic: () => at.nowMs,
    async sleep() {
      at.breaths.push(at.turns);
    },
  };
  return { clock, at, pass: () => (at.nowMs += turnMs) };
}

async function breathsIn(turns: number, turnMs: number): Promise<readonly number[]> {
  const { clock, at, pass } = clockOf(turnMs);
  const breather = new Breather(clock);
  for (at.turns = 1; at.turns <= turns; at.turns += 1) {
    pass();
    await breather.turn();
  }
  return at.breaths;
}

describe('a task that always finds work lets the others of its process have their turn (feature B11)', () => {
  it.each([
    ['every 15 ms, whatever number of turns that is', 45, 1, [15, 30, 45]],
    ['after each turn that is longer', 3, 40, [1, 2, 3]],
    ['every 64 turns, where the clock stands still', 130, 0, [64, 128]],
  ])('%s', async (_, turns, turnMs, expected) => {
    expect(await breathsIn(turns, turnMs)).toEqual(expected);
  });
});
