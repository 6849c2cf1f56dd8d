import { describe, expect, it } from 'vitest';
import { taskId } from '../../../lib/model/task-id.js';
import { LOADS_MOST, mostLoaded, SMOOTHED_OVER_MS, TaskMeter } from '../../../lib/runtime/task-meter.js';
import { TaskStatus } from '../../../lib/runtime/task-status.js';

const ID = taskId(0, 0);

describe('the load of a task', () => {
  it('is rates per second, and what waits', () => {
    const status = new TaskStatus(ID, 0);
    const meter = new TaskMeter(0);
    Object.assign(status, { recordsCommitted: 500, bytesRead: 4_000, busyMs: 250, lagRecords: 7 });

    expect(meter.read(status, 1_000)).toEqual({
      taskId: ID,
      lagRecords: 7,
      recordsPerSecond: 500,
      bytesPerSecond: 4_000,
      busyMsPerSecond: 250,
    });
  });

  it('comes to 63 % of a change after the time that it is smoothed over, and to none in the end', () => {
    const status = new TaskStatus(ID, 0);
    const meter = new TaskMeter(0);
    Object.assign(status, { recordsCommitted: 100, lagRecords: 0 });
    meter.read(status, 1_000);

    const later = meter.read(status, 1_000 + SMOOTHED_OVER_MS);

    expect(later?.recordsPerSecond).toBeCloseTo(36.8, 1);
    expect(meter.read(status, 1_000 + 20 * SMOOTHED_OVER_MS)).toBe(null);
  });

  it('is not silent while nobody knows what waits', () => {
    expect(new TaskMeter(0).read(new TaskStatus(ID, 0), 1_000)?.lagRecords).toBe(null);
  });

  it('is reported of those with most work, where there are too many', () => {
    const loads = Array.from({ length: LOADS_MOST + 1 }, (_, partition) => ({
      taskId: taskId(0, partition),
      lagRecords: partition,
      recordsPerSecond: 0,
      bytesPerSecond: 0,
      busyMsPerSecond: 0,
    }));

    expect(mostLoaded(loads)).toEqual(loads.slice(1));
  });
});
