import { describe, expect, it } from 'vitest';
import { createMetricsRegistry } from '../../../lib/host/metrics-registry.js';

describe('a registry of metrics', () => {
  it('sums counters and keeps the last value of gauges, apart by name and tags', () => {
    const metrics = createMetricsRegistry();

    metrics.count('records-processed', 2, { taskId: '0_1' });
    metrics.count('records-processed', 3, { taskId: '0_1' });
    metrics.count('records-processed', 1, { taskId: '0_2' });
    metrics.gauge('lag-records', 9);
    metrics.gauge('lag-records', 4);

    expect(metrics.snapshot()).toEqual([
      { name: 'lag-records', kind: 'gauge', tags: {}, value: 4 },
      { name: 'records-processed', kind: 'counter', tags: { taskId: '0_1' }, value: 5 },
      { name: 'records-processed', kind: 'counter', tags: { taskId: '0_2' }, value: 1 },
    ]);
  });

  it('takes tags in any order as the same series', () => {
    const metrics = createMetricsRegistry();

    metrics.count('n', 1, { a: '1', b: '2' });
    metrics.count('n', 1, { b: '2', a: '1' });

    expect(metrics.snapshot().map((one) => one.value)).toEqual([2]);
  });

  it('answers values as they were at that moment', () => {
    const metrics = createMetricsRegistry();
    metrics.count('n', 1);

    const before = metrics.snapshot();
    metrics.count('n', 1);

    expect(before[0]?.value).toBe(1);
  });

  it('keeps a bounded number of series and counts what it drops', () => {
    const metrics = createMetricsRegistry(2);

    for (const id of ['a', 'b', 'c', 'd', 'a']) metrics.count('n', 1, { id });

    expect(metrics.snapshot().map((one) => [one.name, one.tags.id, one.value])).toEqual([
      ['n', 'a', 2],
      ['n', 'b', 1],
      ['metrics-dropped', undefined, 2],
    ]);
  });
});
