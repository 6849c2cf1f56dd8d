import type { MemberRestores } from './member-restores.js';
import type { RuntimePorts } from './ports.js';
import type { TaskRun } from './task-run.js';

/** What of a run the restore needs: the test driver restores as an engine does, without lease and producer. */
export type RestoringRun = Pick<TaskRun, 'app' | 'logger' | 'kept' | 'task' | 'stop' | 'unlogged'> & {
  /** Where restored records are counted, and what stores began with; absent: nowhere. */
  readonly status?: Pick<TaskRun['status'], 'restoredRecords' | 'restoredFrom'>;
  readonly ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'>;
  /** What it shares with the other restores of its member. Absent: it is alone. */
  readonly restores?: MemberRestores | undefined;
  /** Who restores, for the names of what is kept of an interrupted restore. Absent: nothing is kept for others. */
  readonly restorer?: string | undefined;
};
