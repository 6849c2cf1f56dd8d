/**
 * Three members, twelve stateful tasks, one hot standby each: a fourth joins, one leaves, one is lost, all get new code. Counting goes on
 * meanwhile. In virtual time, so that minutes take moments and each run is the same.
 */
import { defineApp } from '../../lib/index.js';
import { LocalStreams } from '../../lib/local/index.js';
import { inVirtualTime } from '../../lib/testing/index.js';
import { Observer, type Step } from './observer.js';
import pageViews from './page-views.js';
import { Visitors } from './visitors.js';

const TASKS = 12;
const SETTINGS = {
  members: 3,
  numStandbyReplicas: 1,
  standbyKind: 'hot',
  acceptableRecoveryLag: 200,
  maxWarmupReplicas: 2,
  heartbeatIntervalMs: 1_000,
  sessionTimeoutMs: 10_000,
  tickIntervalMs: 1_000,
  idleTimeoutMs: 0,
} as const;
/** No plan for so long: all is in its place. */
const QUIET_MS = 3_000;

/** For copies to be caught up before a member is taken away. */
const PATIENCE_MS = 30_000;

/** Runs it. @param print gets line by line what happens */
export function rebalances(print: (line: string) => void): Promise<readonly Step[]> {
  return inVirtualTime(async (host) => {
    const { clock } = host;
    const streams = await LocalStreams.start({
      app: defineApp({ ...pageViews, settings: SETTINGS }),
      topics: ['views', 'views-per-page'].map((name) => ({ name, partitions: TASKS })),
      host,
    });
    const visitors = new Visitors(streams, (ms) => clock.sleep(ms));
    const observer = new Observer({ streams, clock, print, partitions: TASKS });
    await visitors.seeAll();
    const busy = Promise.all([observer.look(), visitors.keepComing()]);
    const steps: Step[] = [];
    const step = async (title: string, act: () => Promise<unknown>) => {
      steps.push(await observer.step(title, act, QUIET_MS));
    };
    await step('A, B and C', async () => {});
    await step('D joins', () => streams.setMembers(4));
    await step('B is taken away', () => streams.drain('member-2', { warmForMs: PATIENCE_MS }));
    await step('A is lost', async () => streams.crash('member-1'));
    await step('all get new code, one after the other', async () => {
      for (const { id } of (await streams.state()).members) {
        await streams.restart(id);
        await clock.sleep(QUIET_MS);
      }
    });
    visitors.leave();
    observer.end();
    await busy;
    await streams.untilCaughtUp();
    const { right, pages } = await visitors.countedRight();
    print(`\n${right} of ${pages} pages are counted right.`);
    await streams.close();
    return steps;
  });
}
