/**
 * An application that sleeps, in virtual time, with its real functions: one doorbell wakes whatever has work, though the minute
 * of the schedule never comes.
 */
import { describe, expect, it } from 'vitest';
import type { Invoker } from '../../lib/invoke/invoker.js';
import { UnavailableError } from '../../lib/model/errors.js';
import { VirtualTime } from '../../lib/testing/simulation/virtual-time.js';
import { createFunctionsWorld, PARTITIONS } from '../support/functions-world.js';
import { waitVirtually } from '../support/simulation/wait-virtually.js';
import { differences, readCounts } from '../support/word-count-reader.js';

const SECOND_MS = 1_000;
/** What deployed functions may take; and the settings that they have unless somebody sets them. */
const TIMEOUTS_MS = { task: 840 * SECOND_MS, scheduler: 75 * SECOND_MS, standby: 300 * SECOND_MS };
const SETTINGS = {
  MILLRACE_SETTING_MEMBERS: '3',
  MILLRACE_SETTING_HEARTBEAT_INTERVAL_MS: '3s',
  MILLRACE_SETTING_SESSION_TIMEOUT_MS: '45s',
  MILLRACE_SETTING_TICK_INTERVAL_MS: '1s',
  MILLRACE_SETTING_COMMIT_INTERVAL_MS: '100ms',
  MILLRACE_SETTING_IDLE_TIMEOUT_MS: '10s',
};
/** A doorbell's member claims, restores and commits; a tick; the next member does the same. */
const SOON_MS = 5 * SECOND_MS;
const MINUTE_MS = 60 * SECOND_MS;
/** Enough of them to come to every partition downstream. */
const WORDS = 'down the mill race the water runs and the wheel turns'.split(' ');

class SleepingWordCount {
  readonly time: VirtualTime;
  readonly world: Awaited<ReturnType<typeof createFunctionsWorld>>;
  private readonly fed = new Map<string, number>();

  private constructor(time: VirtualTime, world: SleepingWordCount['world']) {
    this.time = time;
    this.world = world;
  }

  /** Has counted something, by the schedule's doing, and fallen asleep. */
  static async create(time: VirtualTime, invokerOf?: (invoker: Invoker) => Invoker): Promise<SleepingWordCount> {
    const options = { clock: time.clock, timeoutsMs: TIMEOUTS_MS, ...(invokerOf && { invokerOf }) };
    const app = new SleepingWordCount(time, await createFunctionsWorld(SETTINGS, options));
    await app.feed(...Array.from({ length: PARTITIONS }, () => WORDS));
    await app.schedule();
    await app.world.invoker.idle();
    await time.clock.sleep(10 * SECOND_MS);
    expect(await app.wrong()).toEqual([]);
    expect(await app.incarnations()).toEqual({ 'member-1': 1, 'member-2': 1, 'member-3': 1 });
    return app;
  }

  /** Writes the words of a line to each of the first partitions. */
  async feed(...lines: readonly (readonly string[])[]): Promise<void> {
    for (const word of lines.flat()) this.fed.set(word, (this.fed.get(word) ?? 0) + 1);
    await this.world.writeLines(...lines.map((words) => words.join(' ')));
  }

  /** What Kafka's event source mapping does. */
  async ring(...partitions: readonly number[]): Promise<void> {
    await this.world.invoker.invoke('task', {
      type: 'doorbell',
      applicationId: this.world.app.applicationId,
      expiresAtMs: this.time.clock.now() + MINUTE_MS,
      partitions: partitions.map((partition) => ({ topic: 'lines', partition, toOffset: null })),
    });
  }

  /** The schedule's minute. */
  async schedule(): Promise<void> {
    await this.world.handlers.scheduler({ source: 'aws.events' }, this.world.context(TIMEOUTS_MS.scheduler));
  }

  async wrong(): Promise<readonly string[]> {
    return differences(await readCounts(this.world.ports.log, 'counts', PARTITIONS), this.fed);
  }

  /** How long it takes until all that was fed is counted; at most as long as given. */
  untilCounted(timeoutMs: number): Promise<number> {
    return waitVirtually(this.time, async () => (await this.wrong()).length === 0, timeoutMs);
  }

  async incarnations(): Promise<Readonly<Record<string, number>>> {
    const members = await this.world.ports.leases.listMembers();
    expect(members.map(({ status }) => status)).not.toContain('dead');
    return Object.fromEntries(members.map(({ memberId, incarnation }) => [memberId, incarnation]));
  }

  get rings(): number {
    return this.world.lines.filter(({ event }) => event === 'scheduler-rung').length;
  }

  /** Waits until every function has ended: the schedulers with the last member. */
  async fallAsleep(): Promise<void> {
    await this.world.invoker.idle();
    const members = await this.world.ports.leases.listMembers();
    expect(members.map(({ status }) => status)).toEqual(['free', 'free', 'free']);
    expect(this.world.failures).toEqual([]);
  }
}

const asleep = (
  program: (app: SleepingWordCount) => Promise<void>,
  invokerOf?: (invoker: Invoker) => Invoker,
): Promise<void> => {
  const time = new VirtualTime();
  return time.run(
    (async () => {
      const app = await SleepingWordCount.create(time, invokerOf);
      await program(app);
      await app.world.close();
    })(),
  );
};

/** Loses what is sent to the scheduler: refused, or accepted and never delivered. */
const losing =
  (isRefused: boolean) =>
  (invoker: Invoker): Invoker => ({
    async invoke(target, payload) {
      if (target !== 'scheduler') return invoker.invoke(target, payload);
      if (isRefused) throw new UnavailableError('no concurrency left');
    },
  });

describe('a doorbell in an application that sleeps', () => {
  it('has every word counted exactly within seconds, in whatever slots sleep downstream; then all sleep again', () =>
    asleep(async (app) => {
      await app.feed(WORDS);
      await app.ring(0);

      expect(await app.untilCounted(SOON_MS)).toBeLessThan(SOON_MS);
      expect(app.rings).toBe(1);
      const woken = Object.values(await app.incarnations()).filter((incarnation) => incarnation === 2);
      expect(woken.length).toBeGreaterThan(1);
      await app.fallAsleep();
      expect(app.time.nowMs).toBeLessThan(2 * MINUTE_MS);
    }));

  it('about partitions of two slots has both run', () =>
    asleep(async (app) => {
      const plan = await app.world.ports.leases.readPlan();
      const slotsOf = ['0_0', '0_1'].map((task) =>
        Object.entries(plan?.assignment ?? {}).find(([, { active }]) => active.some((id) => id === task)),
      );
      const [one = '', other = ''] = slotsOf.map((entry) => entry?.[0]);
      expect(one).not.toBe(other);

      await app.feed(WORDS, WORDS);
      await app.ring(0, 1);

      expect(await app.untilCounted(SOON_MS)).toBeLessThan(SOON_MS);
      expect(await app.incarnations()).toMatchObject({ [one]: 2, [other]: 2 });
      await app.fallAsleep();
    }));

  it('that comes twice at once is answered as one is, by a scheduler each at most', () =>
    asleep(async (app) => {
      await app.feed(WORDS, WORDS);
      await Promise.all([app.ring(0), app.ring(1), app.ring(0)]);

      expect(await app.untilCounted(SOON_MS)).toBeLessThan(SOON_MS);
      expect(app.rings).toBeGreaterThanOrEqual(1);
      expect(app.rings).toBeLessThanOrEqual(2);
      await app.fallAsleep();
    }));

  it.each([
    ['refused', true],
    ['lost', false],
  ])('whose call to the scheduler is %s leaves the rest to the next minute', (_, isRefused) =>
    asleep(async (app) => {
      await app.feed(WORDS);
      await app.ring(0);
      await app.fallAsleep();
      expect(await app.wrong()).not.toEqual([]);

      await app.schedule();
      await app.fallAsleep();

      expect(await app.wrong()).toEqual([]);
      expect(app.world.lines.some(({ event }) => event === 'scheduler-not-rung')).toBe(isRefused);
    }, losing(isRefused)),
  );
});
