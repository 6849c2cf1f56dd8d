import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import type { RestoreReport } from '../../../lib/leases/records.js';
import { AbortedError, UnavailableError } from '../../../lib/model/errors.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { RestorePlaces } from '../../../lib/runtime/restore-places.js';
import { mayClaim, mayRestore, mustGiveWay } from '../../../lib/runtime/restore-queue.js';
import { createChance } from '../../../lib/testing/simulation/chance.js';
import { VirtualTime } from '../../../lib/testing/simulation/virtual-time.js';
import { listeningLogger } from '../../support/listening-logger.js';

const report = (partition: number, state: RestoreReport['state'], leftBytes = 0): RestoreReport => ({
  taskId: taskId(0, partition),
  state,
  leftBytes,
});

const copy = (partition: number, state: RestoreReport['state'], leftBytes = 0): RestoreReport => ({
  ...report(partition, state, leftBytes),
  copy: true,
});

const idsOf = (reports: readonly RestoreReport[]) =>
  reports.map(({ taskId, copy }) => (copy === true ? `copy of ${taskId}` : taskId));

describe('the line of tasks that are to restore', () => {
  it('gives a free place to the one with the least left to read, then to the lower id', () => {
    const mine = [report(0, 'waiting', 900), report(1, 'waiting', 5), report(2, 'waiting', 5)];

    expect(idsOf(mayClaim({ mine, others: [], limit: 1 }))).toEqual(['0_1']);
    expect(idsOf(mayClaim({ mine, others: [report(3, 'waiting', 1)], limit: 1 }))).toEqual([]);
    expect(idsOf(mayClaim({ mine, others: [report(3, 'waiting', 1)], limit: 2 }))).toEqual(['0_1']);
  });

  it('passes over those that are reported and have not asked for a place', () => {
    const others = [report(3, 'starting'), report(4, 'starting')];

    expect(idsOf(mayClaim({ mine: [report(0, 'waiting', 900)], others, limit: 1 }))).toEqual(['0_0']);
    expect(idsOf(mayRestore({ mine: [report(0, 'claiming', 900)], others, limit: 1 }))).toEqual(['0_0']);
  });

  it('gives none while as many restore or claim as may', () => {
    const others = [report(3, 'restoring'), report(4, 'claiming')];

    expect(idsOf(mayClaim({ mine: [report(0, 'waiting')], others, limit: 2 }))).toEqual([]);
    expect(idsOf(mayRestore({ mine: [report(0, 'claiming')], others, limit: 2 }))).toEqual([]);
  });

  it('has tasks before copies, whatever is left to read', () => {
    const mine = [copy(0, 'waiting', 1), report(0, 'waiting', 900), copy(1, 'waiting', 0)];

    expect(idsOf(mayClaim({ mine, others: [], limit: 2 }))).toEqual(['0_0', 'copy of 0_1']);
    expect(mayClaim({ mine: [copy(0, 'waiting')], others: [report(3, 'waiting', 900)], limit: 1 })).toEqual([]);
  });

  it('has as many copies give way as tasks wait beyond the places that are free, those with the most left first', () => {
    const mine = [copy(0, 'restoring', 10), copy(1, 'restoring', 30)];
    const others = [copy(2, 'restoring', 20), report(3, 'waiting', 5)];

    expect(idsOf(mustGiveWay({ mine, others, limit: 3 }))).toEqual(['copy of 0_1']);
    expect(mustGiveWay({ mine, others, limit: 4 })).toEqual([]);
    expect(idsOf(mustGiveWay({ mine, others: [...others, report(4, 'waiting', 5)], limit: 3 }))).toEqual([
      'copy of 0_1',
    ]);
    expect(mustGiveWay({ mine, others: [copy(2, 'restoring'), copy(3, 'waiting')], limit: 3 })).toEqual([]);
  });

  it('lets a claim pass where there is still room', () => {
    const mine = [report(0, 'claiming', 8), report(1, 'claiming', 7), report(2, 'restoring')];

    expect(idsOf(mayRestore({ mine, others: [report(3, 'restoring')], limit: 3 }))).toEqual(['0_1']);
  });
});

/** Members that see each other's reports as they stand in a table: each report and each read takes a moment. */
function members(count: number, limit: number, seed = 1) {
  const time = new VirtualTime();
  const chance = createChance(seed, 'places');
  const table = new Map<number, readonly RestoreReport[]>();
  const slow = () => time.clock.sleep(1 + chance.below(400));
  const random = { ...createNodeHost().random, next: () => chance.next() };
  const all = Array.from({ length: count }, (_, index) => {
    const places: RestorePlaces = new RestorePlaces({
      clock: time.clock,
      random,
      logger: listeningLogger([]),
      limit,
      async reported() {
        await slow();
        table.set(index, places.report());
        await slow();
      },
      async readOthers() {
        await slow();
        const seen = [...table].filter(([other]) => other !== index).flatMap(([, reports]) => reports);
        await slow();
        return seen;
      },
      changed: () => {
        void slow().then(() => table.set(index, places.report()));
      },
    });
    return places;
  });
  return { time, chance, all };
}

const never = () => new AbortController().signal;

describe('places in the line', () => {
  it('are had at once where there is no limit, with nothing read or written', async () => {
    const { all } = members(1, 0);
    const [places] = all;

    await places?.enter({ taskId: taskId(0, 0), leftBytes: 0, signal: never(), waits: () => expect.unreachable() });

    expect(places?.report()).toEqual([report(0, 'restoring')]);
  });

  it('are never more than the limit over all members, and everyone gets one, whatever the members see when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ count: fc.integer({ min: 1, max: 5 }), tasks: fc.integer({ min: 1, max: 5 }) }),
        fc.record({ limit: fc.integer({ min: 1, max: 4 }), seed: fc.nat() }),
        async ({ count, tasks }, { limit, seed }) => {
          const { time, chance, all } = members(count, limit, seed);
          let restoring = 0;
          let most = 0;
          const restore = async (places: RestorePlaces, id: TaskId) => {
            await time.clock.sleep(chance.below(2_000));
            await places.enter({ taskId: id, leftBytes: chance.below(100), signal: never(), waits: () => {} });
            restoring += 1;
            most = Math.max(most, restoring);
            await time.clock.sleep(chance.below(3_000));
            restoring -= 1;
            places.leave({ taskId: id });
          };
          const done = Promise.all(
            all.flatMap((places, member) =>
              Array.from({ length: tasks }, (_, index) => restore(places, taskId(member, index))),
            ),
          );
          await time.run(done);
          expect(most).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are given up by a task that is asked to stop while it waits', async () => {
    const { time, all } = members(1, 1);
    const [places] = all;
    const stop = new AbortController();
    const ask = { leftBytes: 0, waits: () => {} };
    const outcome = (async () => {
      await places?.enter({ ...ask, taskId: taskId(0, 0), signal: never() });
      const second = places?.enter({ ...ask, taskId: taskId(0, 1), signal: stop.signal });
      stop.abort('draining');
      await second;
    })();
    await expect(time.run(outcome)).rejects.toThrow(AbortedError);

    expect(places?.report()).toEqual([report(0, 'restoring')]);
  });

  it('are asked for again after the tables were away', async () => {
    const time = new VirtualTime();
    let failures = 3;
    const places = new RestorePlaces({
      clock: time.clock,
      random: createNodeHost().random,
      logger: listeningLogger([]),
      limit: 1,
      async reported() {
        failures -= 1;
        if (failures >= 0) throw new UnavailableError('throttled');
      },
      readOthers: async () => [],
      changed: () => {},
    });

    await time.run(places.enter({ taskId: taskId(0, 0), leftBytes: 0, signal: never(), waits: () => {} }));

    expect(places.report()).toEqual([report(0, 'restoring')]);
  });
});
