/**
 * Metrics through Powertools in CloudWatch's embedded metric format: lines of the log that CloudWatch counts, without any call.
 *
 * Values are gathered and written together: once a minute while an invocation lasts, and at its end. The only dimension is
 * `service`, the application: each further one would be paid for per value. Tags (task, store, reason …) stand beside the values in
 * the line, where Logs Insights finds them; CloudWatch adds up the counters of all tasks, and gives the extremes of gauges.
 */
import { MetricUnit, Metrics as Powertools } from '@aws-lambda-powertools/metrics';
import type { Clock, Logger, Metrics, MetricTags } from '../host.js';

const NAMESPACE = 'Millrace';
/** A member lives for minutes: its counts must not wait until it ends. */
const FLUSH_INTERVAL_MS = 60_000;
/** Series gathered before they are written early. */
const MAX_SERIES = 1_000;

export interface PowertoolsMetricsOptions {
  readonly applicationId: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Hears of metrics that could not be written; they are lost, and nothing else is. */
  readonly logger: Logger;
}

/** Metrics that are told of each invocation's end. */
export interface PowertoolsMetrics extends Metrics {
  /** Writes what has been gathered. */
  flush(): void;
}

interface Series {
  readonly name: string;
  readonly tags: MetricTags;
  value: number;
}

/** Makes the metrics of one execution environment. */
export function createPowertoolsMetrics(options: PowertoolsMetricsOptions): PowertoolsMetrics {
  const { applicationId, clock, logger } = options;
  const powertools = new Powertools({ namespace: NAMESPACE, serviceName: applicationId });
  let gathered = new Map<string, Series>();
  let flushedAtMs = clock.monotonic();

  const flush = () => {
    const groups = groupByTags(gathered);
    gathered = new Map();
    flushedAtMs = clock.monotonic();
    for (const group of groups) write(powertools, group, logger);
  };
  const put = (name: string, tags: MetricTags, next: (before: number) => number) => {
    const id = JSON.stringify([name, ...Object.entries(tags).flat()]);
    const series = gathered.get(id) ?? { name, tags, value: 0 };
    series.value = next(series.value);
    gathered.set(id, series);
    if (gathered.size >= MAX_SERIES || clock.monotonic() - flushedAtMs >= FLUSH_INTERVAL_MS) flush();
  };
  return {
    count: (name, value, tags = {}) => put(name, tags, (before) => before + value),
    gauge: (name, value, tags = {}) => put(name, tags, () => value),
    flush,
  };
}

function groupByTags(gathered: ReadonlyMap<string, Series>): readonly Series[][] {
  const groups = new Map<string, Series[]>();
  for (const series of gathered.values()) {
    const id = JSON.stringify(Object.entries(series.tags));
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [series]);
    else group.push(series);
  }
  return [...groups.values()];
}

/** One line: values that share their tags. */
function write(powertools: Powertools, group: readonly Series[], logger: Logger): void {
  try {
    for (const [tag, value] of Object.entries(group[0]?.tags ?? {})) powertools.addMetadata(tag, value);
    for (const { name, value } of group) powertools.addMetric(name, unitOf(name), value);
    powertools.publishStoredMetrics();
  } catch (cause) {
    powertools.clearMetrics();
    powertools.clearMetadata();
    logger.warn('metrics-not-written', { names: group.map(({ name }) => name), cause: String(cause) });
  }
}

/** The unit is the last word of a name. */
function unitOf(name: string): (typeof MetricUnit)[keyof typeof MetricUnit] {
  switch (name.slice(name.lastIndexOf('-') + 1)) {
    case 'bytes':
      return MetricUnit.Bytes;
    case 'ms':
      return MetricUnit.Milliseconds;
    case 'percent':
      return MetricUnit.Percent;
    default:
      return MetricUnit.Count;
  }
}
