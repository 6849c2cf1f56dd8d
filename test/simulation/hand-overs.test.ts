/** Tasks that change hands while somebody dies or stands still: no state in between lasts (trap 36 of docs/testing.md), and no clock decides. */
import { describe, expect, it } from 'vitest';
import { QUICK_SETTINGS } from '../../lib/testing/simulation/generate-scenario.js';
import { countsOf, exactCounts, runScene, SCENE_SIZE, type SceneRun } from '../support/simulation/fault-scene.js';

/** Members sleep by then: the third comes when they wake, and is given a task that another has just taken. */
const JOINS = { kind: 'member-added', atMs: 1_000, members: 1 };
const STEPS_MOST = 60;
const TEST_MS = 180_000;

/** Calls of the tables, in order: what a fault with `port: 'leases'` counts. */
const tableCalls = (run: SceneRun) => run.effects.filter(({ effect }) => effect.port === 'leases');

/** From the plan that moves a task to when the next owner has its lease: the numbers of the calls of the tables, and who the two are. */
async function handOver() {
  const run = await runScene([JOINS]);
  const plan = run.entries('plan-written').find(({ fields }) => String(fields.reason).includes('joined'));
  const [move] = (plan?.fields.moves ?? []) as readonly { readonly taskId: string }[];
  const after = (event: string) =>
    run.entries(event).find(({ atMs, fields }) => atMs > (plan?.atMs ?? 0) && fields.taskId === move?.taskId);
  const [released, taken] = [after('task-released'), after('task-taken')];
  const calls = tableCalls(run);
  const first = calls.findIndex(({ atMs }) => atMs >= (plan?.atMs ?? Number.POSITIVE_INFINITY));
  const last = calls.findLastIndex(({ atMs }) => atMs <= (taken?.atMs ?? 0));
  return { first, last, owners: [released?.who, taken?.who] };
}

describe('a hand-over', () => {
  it('comes to its end whoever dies at whichever step of it, and every word counts once (trap 36)', {
    timeout: TEST_MS,
  }, async () => {
    const { first, last, owners } = await handOver();
    expect(last - first).toBeGreaterThan(5);
    expect(last - first).toBeLessThan(STEPS_MOST);
    const died = new Set<unknown>();

    for (let call = first; call <= last; call += 1) {
      const run = await runScene([JOINS, { kind: 'crash', port: 'leases', call, before: call % 2 === 0 }]);

      const { fields } = run.fault('crash');
      died.add(fields.process);
      expect(run.violations, `${fields.process} dies at call ${call} of the tables`).toEqual([]);
      expect(await countsOf(run)).toEqual(exactCounts());
    }

    expect([...died]).toEqual(expect.arrayContaining(owners));
  });
});

describe('a member that stands still', () => {
  const FROZEN_MS = 4 * SCENE_SIZE.sessionTimeoutMs;
  const TICK_MS = Number(QUICK_SETTINGS.tickIntervalMs);
  /** Environments are numbered as they come: the scheduler, then the functions of the two members. */
  const SKEWED = [
    ['the scheduler’s', 0],
    ['another member’s', 1],
    ['its own', 2],
  ] as const;

  it.each(SKEWED.flatMap((one) => [30_000, -30_000].map((ms) => [...one, ms] as const)))(
    'is declared dead within the session time-out and a tick, and nobody else, though %s clock (environment %i) jumps by %i ms (trap 39)',
    async (_, environment, ms) => {
      const skew = { kind: 'clock-skew', environment, ms, jumpAfterMs: 800 };
      const calls = tableCalls(await runScene([skew]));
      const call = calls.findIndex(
        ({ atMs, effect }) => atMs > 1_000 && effect.process.name === 'task#2' && effect.method === 'heartbeat',
      );

      const run = await runScene([skew, { kind: 'freeze', port: 'leases', call, before: false, ms: FROZEN_MS }]);

      const frozen = run.fault('freeze');
      const deaths = run.entries('plan-written').filter(({ fields }) => String(fields.reason).includes('died'));
      expect(frozen.fields).toMatchObject({ process: 'task#2', method: 'heartbeat' });
      expect(deaths.map(({ fields }) => fields.reason)).toEqual([expect.stringMatching(/^member-2 died \(session/)]);
      const seenMs = (deaths[0]?.atMs ?? 0) - frozen.atMs;
      expect(seenMs).toBeGreaterThanOrEqual(SCENE_SIZE.sessionTimeoutMs);
      expect(seenMs).toBeLessThan(SCENE_SIZE.sessionTimeoutMs + 2 * TICK_MS); // the tick that sees it has to come, and to read
      expect(run.violations).toEqual([]);
      expect(await countsOf(run)).toEqual(exactCounts());
    },
  );
});
