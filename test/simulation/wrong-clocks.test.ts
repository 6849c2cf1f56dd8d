/** Wall clocks that are wrong by half a minute keep nobody from working: only an expiry compares two of them (trap 39). */
import { expect, it } from 'vitest';
import { countsOf, exactCounts, runScene, SCENE_SIZE } from '../support/simulation/fault-scene.js';

/** Environments are numbered as they come: the scheduler, then the functions of the two members. */
const ENVIRONMENTS = [
  ['the scheduler’s', 0],
  ['a member’s', 1],
  ['another member’s', 2],
] as const;

it.each(ENVIRONMENTS.flatMap((one) => [30_000, -30_000].map((ms) => [...one, ms] as const)))(
  'members start at once though %s clock (environment %i) is wrong by %i ms from its start on (trap 39)',
  async (_, environment, ms) => {
    const run = await runScene([{ kind: 'clock-skew', environment, ms, jumpAfterMs: 0 }], { doorbells: false });

    const claims = run.entries('member-claimed').filter(({ atMs }) => atMs < SCENE_SIZE.sessionTimeoutMs);
    expect(run.fault('clock-skew').fields.ms).toBe(ms);
    expect(new Set(claims.map(({ fields }) => fields.memberId)).size).toBe(SCENE_SIZE.members);
    expect(run.violations).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  },
);
