import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPowertoolsMetrics } from '../../../lib/host/powertools/powertools-metrics.js';
import { captureLines } from '../../support/captured-lines.js';
import { createTestHost } from '../../support/test-host.js';

afterEach(() => {
  vi.restoreAllMocks();
});

function world() {
  const host = createTestHost();
  const { clock, logger } = host;
  return {
    host,
    lines: captureLines(),
    metrics: createPowertoolsMetrics({ applicationId: 'word-count', clock, logger }),
  };
}

const definitions = (line: Record<string, unknown> | undefined) =>
  (line?._aws as { readonly CloudWatchMetrics: readonly Record<string, unknown>[] } | undefined)?.CloudWatchMetrics;

describe('metrics in the embedded format', () => {
  it('add up counters and keep the last of a gauge, one line for each set of tags', () => {
    const { metrics, lines } = world();
    metrics.count('records-processed', 3, { task: '0_0' });
    metrics.count('records-processed', 4, { task: '0_0' });
    metrics.count('records-processed', 1, { task: '0_1' });
    metrics.gauge('state-bytes', 10, { task: '0_0' });
    metrics.gauge('state-bytes', 7, { task: '0_0' });
    expect(lines).toEqual([]);

    metrics.flush();

    expect(lines).toMatchObject([
      { service: 'word-count', task: '0_0', 'records-processed': 7, 'state-bytes': 7 },
      { service: 'word-count', task: '0_1', 'records-processed': 1 },
    ]);
    expect(lines[1]).not.toHaveProperty('state-bytes');
  });

  it('are counted by CloudWatch under the application alone, with the unit that their name says', () => {
    const { metrics, lines } = world();
    metrics.gauge('state-bytes', 10, { task: '0_0' });
    metrics.gauge('commit-ms', 4, { task: '0_0' });
    metrics.count('plans-written', 1, { task: '0_0' });

    metrics.flush();

    expect(definitions(lines[0])).toEqual([
      {
        Namespace: 'Millrace',
        Dimensions: [['service']],
        Metrics: [
          { Name: 'state-bytes', Unit: 'Bytes' },
          { Name: 'commit-ms', Unit: 'Milliseconds' },
          { Name: 'plans-written', Unit: 'Count' },
        ],
      },
    ]);
  });

  it('are written once a minute while an invocation lasts, each value once', async () => {
    const { metrics, lines, host } = world();
    metrics.count('records-processed', 1);
    await host.advance(59_999);
    metrics.count('records-processed', 1);
    expect(lines).toEqual([]);

    await host.advance(1);
    metrics.count('records-processed', 1);
    metrics.count('records-processed', 5);
    metrics.flush();
    metrics.flush();

    expect(lines.map((line) => line['records-processed'])).toEqual([3, 5]);
  });

  it('that are endlessly many are written early instead of kept', () => {
    const { metrics, lines } = world();

    for (let series = 0; series < 1_000; series += 1) metrics.count('restores', 1, { task: `0_${series}` });

    expect(lines).toHaveLength(1_000);
  });

  it('that can not be written are named in the log, and those beside them are written', () => {
    const { metrics, lines, host } = world();
    metrics.count('restores', 1, { restores: 'a tag of the same name' });
    metrics.count('restores', 2);

    metrics.flush();

    expect(host.lines.map(({ event, fields }) => [event, fields.names])).toEqual([
      ['metrics-not-written', ['restores']],
    ]);
    expect(lines.map((line) => line.restores)).toEqual([2]);
  });
});
