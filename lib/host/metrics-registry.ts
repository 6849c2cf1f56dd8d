/**
 * Metrics kept in memory until somebody reads them: the page of a local run, tests, a door that forwards them.
 *
 * It keeps sums and last values, no history. The number of series is bounded: a name or tag that takes endless values must
 * not fill the memory of a long run; what does not fit is counted under `metrics-dropped`.
 */
import type { Metrics, MetricTags } from './host.js';

/** Series kept; further ones are dropped. */
export const MAX_SERIES = 10_000;

/** One series as of the moment of reading. */
export interface MetricSample {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly tags: MetricTags;
  /** Sum of all additions of a counter, last value of a gauge. */
  readonly value: number;
}

/** Metrics that can be read back. */
export interface MetricsRegistry extends Metrics {
  /** All series, in order of their names and tags. */
  snapshot(): readonly MetricSample[];
}

interface Series {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly tags: MetricTags;
  value: number;
}

/** Makes an empty registry. */
export function createMetricsRegistry(maxSeries = MAX_SERIES): MetricsRegistry {
  const series = new Map<string, Series>();
  let dropped = 0;

  function find(kind: Series['kind'], name: string, tags: MetricTags): Series | null {
    const id = seriesId(kind, name, tags);
    const known = series.get(id);
    if (known !== undefined) return known;
    if (series.size >= maxSeries) {
      dropped += 1;
      return null;
    }
    const created: Series = { name, kind, tags: Object.freeze({ ...tags }), value: 0 };
    series.set(id, created);
    return created;
  }

  return {
    count(name, value, tags = {}) {
      const found = find('counter', name, tags);
      if (found !== null) found.value += value;
    },
    gauge(name, value, tags = {}) {
      const found = find('gauge', name, tags);
      if (found !== null) found.value = value;
    },
    snapshot() {
      const sorted = [...series].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => ({ ...one }));
      if (dropped > 0) sorted.push({ name: 'metrics-dropped', kind: 'counter', tags: {}, value: dropped });
      return sorted;
    },
  };
}

function seriesId(kind: string, name: string, tags: MetricTags): string {
  const pairs = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, kind, pairs]);
}
