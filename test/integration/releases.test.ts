/** A lease is released by who holds it, however long the tables were away: nobody else may, as long as that member runs. */
import { describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../lib/leases/lease-store.js';
import { UnavailableError } from '../../lib/model/errors.js';
import { taskId } from '../../lib/model/task-id.js';
import type { StopReason } from '../../lib/runtime/stop.js';
import { countingTopology, createTaskWorld, feedWords, startTask, type TaskWorld } from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const TASK = taskId(0, 0);

/** Tables that take no release until they are told to. */
function withoutReleases(leases: LeaseStore): { readonly leases: LeaseStore; allow(): void } {
  let isAway = true;
  const releaseLease: LeaseStore['releaseLease'] = async (release) => {
    if (isAway) throw new UnavailableError('the table is throttled');
    return leases.releaseLease(release);
  };
  return {
    leases: { ...leases, releaseLease },
    allow: () => {
      isAway = false;
    },
  };
}

const refusals = ({ events }: TaskWorld) => events.filter(({ event }) => event === 'release-failed').length;

/** A task that has failed for good while its lease can not be released. */
async function failing() {
  const onWord = () => {
    throw new Error('no word is good');
  };
  const world = await createTaskWorld({ topology: countingTopology(onWord) });
  const { leases, allow } = withoutReleases(world.ports.leases);
  await feedWords(world, ['word']);
  const task = await startTask(world, { ports: { ...world.ports, leases } });
  await waitFor('releases that failed', async () => refusals(world) > 3);
  const owner = async () => (await world.ports.leases.readLease(TASK))?.owner;
  return { task, allow, owner };
}

describe('a task that fails while the tables are away', () => {
  it.each([null, 'revoked'] as const)('is released once they are back (asked to stop: %s)', async (reason) => {
    const { task, allow, owner } = await failing();
    if (reason !== null) task.stop.request(reason);

    allow();

    expect((await task.outcome).ended).toBe('failed');
    expect(await owner()).toBe(null);
  });

  it.each<[StopReason, string]>([
    ['draining', 'failed'],
    ['lost', 'left'],
  ])('keeps nobody waiting at the end of its member (%s)', async (reason, ended) => {
    const { task, owner } = await failing();

    task.stop.request('revoked');
    task.stop.request(reason);

    expect((await task.outcome).ended).toBe(ended);
    expect(await owner()).toEqual(task.owner);
  });

  it('is given up by a process that dies', async () => {
    const { task } = await failing();

    task.crash();

    expect((await task.outcome).ended).toBe('failed');
  });
});
