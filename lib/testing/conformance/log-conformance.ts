/**
 * What every adapter of the log port has to keep: L1–L7 of lib/log/log.ts, one by one, and the traps that readers of
 * transactional logs have fallen into.
 *
 * A suite run creates topics under names of its own, so that it can run again on a broker that keeps them.
 */
import { compactionConformance } from './log/compaction.js';
import { deletionConformance } from './log/deletion.js';
import { fencingConformance } from './log/fencing.js';
import { fetchingConformance } from './log/fetching.js';
import { groupOffsetsConformance } from './log/group-offsets.js';
import { recordsConformance } from './log/records.js';
import { LogScenes } from './log/scene.js';
import type { LogConformanceTarget } from './log/target.js';
import { topicsConformance } from './log/topics.js';
import { transactionsConformance } from './log/transactions.js';
import { visibilityConformance } from './log/visibility.js';
import type { TestRunner } from './test-runner.js';

export type { LogConformanceTarget } from './log/target.js';

/** Declares the suite's tests with the runner's functions. */
export function describeLogConformance(target: LogConformanceTarget, runner: TestRunner): void {
  const scenes = new LogScenes(target);
  runner.describe(`log port: ${target.name}`, () => {
    recordsConformance(scenes, runner);
    visibilityConformance(scenes, runner);
    transactionsConformance(scenes, runner);
    fencingConformance(scenes, runner);
    groupOffsetsConformance(scenes, runner);
    fetchingConformance(scenes, runner);
    topicsConformance(scenes, runner);
    deletionConformance(scenes, runner);
    if (target.compact !== undefined) compactionConformance(scenes, runner);
  });
}
