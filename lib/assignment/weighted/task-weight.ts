/**
 * What a task weighs: how much it costs to run beside the others, from what was measured of it. Pure; who measures smooths, too,
 * with what was before.
 *
 *   G1  an average task weighs 1; all weights together are as many as tasks
 *   G2  a weight is within `LEAST_WEIGHT` and `MOST_WEIGHT`: one hot minute neither empties a member nor makes a task free
 *   G3  a goal of which nothing was measured says nothing: the others decide
 *
 * KCL 3 balances by the CPU of workers and the throughput of shards; Kafka Streams counts tasks.
 */

/** What was measured of one task in some time. Rates are per second. */
export interface TaskMeasurement {
  /** Time that its processing took, in milliseconds per second. */
  readonly cpuMsPerSecond: number;
  /** Bytes that it read. */
  readonly bytesPerSecond: number;
  /** Records that it read. */
  readonly recordsPerSecond: number;
  /** Records of its inputs that wait. */
  readonly lagRecords: number;
}

export const LEAST_WEIGHT = 0.1;
export const MOST_WEIGHT = 50;
/** How much a new measurement counts beside all before it. */
export const SMOOTHING = 0.3;

/** How much each goal counts. CPU is what a member has least of; what waits is work that comes. */
const SHARES: Readonly<Record<keyof TaskMeasurement, number>> = {
  cpuMsPerSecond: 0.6,
  bytesPerSecond: 0.2,
  recordsPerSecond: 0.1,
  lagRecords: 0.1,
};

const GOALS = Object.keys(SHARES) as readonly (keyof TaskMeasurement)[];

/** A measurement and what was known before it (null: nothing), as an exponential moving average. */
export function smoothed(before: TaskMeasurement | null, now: TaskMeasurement): TaskMeasurement {
  if (before === null) return now;
  const mix = (goal: keyof TaskMeasurement): number => before[goal] + SMOOTHING * (now[goal] - before[goal]);
  return {
    cpuMsPerSecond: mix('cpuMsPerSecond'),
    bytesPerSecond: mix('bytesPerSecond'),
    recordsPerSecond: mix('recordsPerSecond'),
    lagRecords: mix('lagRecords'),
  };
}

/**
 * The weights of tasks that were measured, `AssignableTask.weight`. Tasks of which nothing is known weigh 1.
 *
 * @returns by the same keys; all 1 if no work was measured at all
 */
export function weightsOf<K>(measurements: ReadonlyMap<K, TaskMeasurement>): ReadonlyMap<K, number> {
  const all = [...measurements.values()];
  const averages = GOALS.map((goal) => ({
    goal,
    average: all.reduce((sum, of) => sum + clean(of[goal]), 0) / all.length,
  }));
  const known = averages.filter(({ average }) => average > 0);
  const share = known.reduce((sum, { goal }) => sum + SHARES[goal], 0);
  const weightOf = (of: TaskMeasurement): number =>
    known.reduce((sum, { goal, average }) => sum + ((clean(of[goal]) / average) * SHARES[goal]) / share, 0);
  return new Map([...measurements].map(([key, of]) => [key, share === 0 ? 1 : bounded(weightOf(of))]));
}

/** G2, for weights that come from elsewhere as well. */
export function bounded(weight: number): number {
  return Number.isFinite(weight) ? Math.min(MOST_WEIGHT, Math.max(LEAST_WEIGHT, weight)) : 1;
}

function clean(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}
