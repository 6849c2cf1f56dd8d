import { describe, expect, it } from 'vitest';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { Lease, LeaseEpoch } from '../../../lib/leases/records.js';
import { UnavailableError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import { COMMIT_PATIENCE_MS, StartRecords } from '../../../lib/runtime/start-records.js';
import { TaskStatus } from '../../../lib/runtime/task-status.js';
import { createTestHost } from '../../support/test-host.js';

const T = taskId(0, 1);
const owner = { memberId: 'member-2', incarnation: 4 } as const;
const before = { memberId: 'member-1', incarnation: 2 } as const;
const { logger } = createTestHost();

const leaseOf = (of: typeof owner | typeof before | null, epoch = 7): Lease => {
  return { taskId: T, epoch: epoch as LeaseEpoch, owner: of, offsets: null };
};

/** Records over tables in memory, with one start begun at 1,000 of the monotonic clock. */
function begun(previous: Lease | null = leaseOf(before, 6)) {
  const table = createMemoryLeaseStore();
  const records = new StartRecords(owner, table, logger);
  const status = new TaskStatus(T, 1_000);
  records.begin({
    lease: leaseOf(owner),
    previous,
    planNumber: 3,
    takenAtMs: 50_000,
    takenMonotonicMs: 1_000,
    status,
  });
  return { table, records, status };
}

describe('the record of a start', () => {
  it('is written once, with the first commit, in milliseconds since the take', async () => {
    const { table, records, status } = begun();
    Object.assign(status.marks, { fencedMs: 1_020, restoredMs: 1_300 });
    status.restoredRecords = 42;

    records.turn(1_400);
    const early = await table.listStarts();
    status.marks.firstCommitMs = 1_450;
    records.turn(1_500);
    records.turn(1_600);
    await records.finish();

    expect(early).toEqual([]);
    expect(await table.listStarts()).toEqual([
      {
        taskId: T,
        leaseEpoch: 7,
        owner,
        from: before,
        releasedAtMs: null,
        planNumber: 3,
        takenAtMs: 50_000,
        fencedAfterMs: 20,
        restoredAfterMs: 300,
        restoredRecords: 42,
        firstCommitAfterMs: 450,
      },
    ]);
  });

  it('of a lease that was released says when, and names nobody that it was taken from', async () => {
    const { table, records } = begun({ ...leaseOf(null, 6), releasedAtMs: 49_900 });

    records.ended(T);
    await records.finish();

    expect(await table.listStarts()).toMatchObject([{ from: null, releasedAtMs: 49_900 }]);
  });

  it('of a task with nothing to commit is written without a commit once patience ends, and not before', async () => {
    const { table, records, status } = begun();
    status.marks.restoredMs = 1_300;

    records.turn(1_300 + COMMIT_PATIENCE_MS - 1);
    await records.finish();
    const early = await table.listStarts();
    records.turn(1_300 + COMMIT_PATIENCE_MS);
    await records.finish();

    expect(early).toEqual([]);
    expect(await table.listStarts()).toMatchObject([{ restoredAfterMs: 300, firstCommitAfterMs: null }]);
  });

  it('of a run that ended early has what there was', async () => {
    const { table, records, status } = begun();
    status.marks.fencedMs = 1_020;

    records.ended(T);
    await records.finish();

    expect(await table.listStarts()).toMatchObject([{ fencedAfterMs: 20, restoredAfterMs: null }]);
  });

  it('that the table does not take is logged, and hinders nobody', async () => {
    const lines: unknown[] = [];
    const warn = (event: string, fields?: object) => lines.push([event, fields]);
    const keepStart = () => Promise.reject(new UnavailableError('away'));
    const records = new StartRecords(owner, { keepStart }, { ...logger, warn });
    const status = new TaskStatus(T, 0);
    const clocks = { takenAtMs: 0, takenMonotonicMs: 0 };
    records.begin({ lease: leaseOf(owner), previous: null, planNumber: 0, ...clocks, status });

    records.ended(T);
    await records.finish();

    const told = { entry: 'start', starts: 1, code: 'STREAMS_UNAVAILABLE', message: 'away' };
    expect(lines).toEqual([['history-not-kept', told]]);
  });
});
