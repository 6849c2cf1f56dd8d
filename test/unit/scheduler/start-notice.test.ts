import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../lib/leases/records.js';
import { offset } from '../../../lib/model/offset.js';
import { type SettingsInput, SNAPSHOTS_OFF } from '../../../lib/model/settings.js';
import { startNotice } from '../../../lib/scheduler/start-notice.js';
import { defineApp } from '../../../lib/topology/app.js';
import { countingTopology } from '../../support/task-world.js';

const plan = (settingsDigest: string, number = 1): Plan => ({
  ...{ number, createdAtMs: 0, reason: 'test', assignor: 'steady', assignment: {}, dead: [], partitions: {} },
  settingsDigest,
});

const changelogs = new Map([
  ['app-counts-changelog/0', { startOffset: offset(10), endOffset: offset(110) }],
  ['app-counts-changelog/1', { startOffset: offset(0), endOffset: offset(50) }],
] as const);

function noticeOf(settings: SettingsInput, before: Plan | null, written: Plan | null) {
  const app = defineApp({ applicationId: 'app', topology: countingTopology(), settings });
  return startNotice({ app, plan: before, changelogs: changelogs as never }, written);
}

const WITHOUT_COPIES: SettingsInput = { numStandbyReplicas: 0, snapshotMinRecords: SNAPSHOTS_OFF };

describe('the notice that state has no copy', () => {
  it('says how much there is to read, with the first plan', () => {
    expect(noticeOf(WITHOUT_COPIES, null, plan('a'))).toMatchObject({
      changelogRecords: 150,
      estimatedBytes: 15_000,
    });
  });

  it('comes again with the first plan of other settings, and with no other plan', () => {
    expect(noticeOf(WITHOUT_COPIES, plan('a'), plan('b', 2))).not.toBeNull();
    expect(noticeOf(WITHOUT_COPIES, plan('a'), plan('a', 2))).toBeNull();
    expect(noticeOf(WITHOUT_COPIES, plan('a'), null)).toBeNull();
  });

  it('does not come where there are standbys or snapshots', () => {
    expect(noticeOf({ ...WITHOUT_COPIES, numStandbyReplicas: 1 }, null, plan('a'))).toBeNull();
    expect(noticeOf({ numStandbyReplicas: 0 }, null, plan('a'))).toBeNull();
  });
});
