/** Says once for each deployment's settings that state has no copy at all: where each move of a task reads its whole changelog. Pure. */
import type { Plan } from '../leases/records.js';
import { SNAPSHOTS_OFF } from '../model/settings.js';
import type { ApplicationState } from './state.js';

/** Bytes of a changelog record, where nothing tells: that of a short key with a number. */
const ASSUMED_RECORD_BYTES = 100;

export interface StartNotice {
  /** In all changelogs now. */
  readonly changelogRecords: number;
  /** What they come to, roughly. */
  readonly estimatedBytes: number;
  readonly message: string;
}

/** @param written the plan that this tick has written; null: none */
export function startNotice(
  { app, plan, changelogs }: Pick<ApplicationState, 'app' | 'plan' | 'changelogs'>,
  written: Plan | null,
): StartNotice | null {
  const { numStandbyReplicas, snapshotMinRecords } = app.settings;
  const isFirst = written !== null && (plan === null || plan.settingsDigest !== written.settingsDigest);
  const hasCopies = numStandbyReplicas > 0 || snapshotMinRecords < SNAPSHOTS_OFF;
  if (!isFirst || hasCopies || app.topology.changelogs.size === 0) return null;
  let changelogRecords = 0;
  for (const { startOffset, endOffset } of changelogs?.values() ?? [])
    changelogRecords += Math.max(0, endOffset - startOffset);
  return {
    changelogRecords,
    estimatedBytes: changelogRecords * ASSUMED_RECORD_BYTES,
    message:
      'numStandbyReplicas is 0 and snapshots are off: a task that moves or fails over reads its whole changelog before it runs again',
  };
}
