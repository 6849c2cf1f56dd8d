/** Middle and ends of some figures, to two decimals. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spread(figures: readonly number[]): Spread {
  return { median: median(figures), min: rounded(Math.min(...figures)), max: rounded(Math.max(...figures)) };
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)] ?? Number.NaN;
  const high = sorted[Math.ceil(middle)] ?? Number.NaN;
  return rounded((low + high) / 2);
}

const rounded = (figure: number) => Math.round(figure * 100) / 100;
