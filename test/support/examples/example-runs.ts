import { enrichmentRun } from './enrichment-run.js';
import type { ExampleRun } from './example-run.js';
import { fraudRun } from './fraud-run.js';
import { ordersRun } from './orders-run.js';
import { sessionsRun } from './sessions-run.js';
import { windowedSumsRun } from './windowed-sums-run.js';
import { wordCountRun } from './word-count-run.js';

/** A run of each example that is an application to be shown. */
export const exampleRuns: readonly ExampleRun[] = [
  wordCountRun(),
  ordersRun(),
  windowedSumsRun(),
  sessionsRun(),
  enrichmentRun(),
  fraudRun(),
];
