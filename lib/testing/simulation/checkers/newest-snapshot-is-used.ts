/**
 * Who restores a store begins with the newest snapshot that it was shown, unless it says why not: an older one costs a longer
 * tail, and one day what its tail can not bring (docs/design.md §7).
 */

import { greatest } from '../../../model/lists.js';
import { parseManifestName, storePrefix } from '../../../snapshots/snapshot-names.js';
import type { ObjectEntry } from '../../../snapshots/snapshot-store.js';
import type { Effect } from '../simulated-ports.js';
import type { Checker } from './checker.js';

/** Before the manifests of one life of a changelog: application, task, store, topic id. */
const MANIFESTS = /^(?:[^/]+\/){4}$/;
/** Reasons against the store that the process had kept; the others are against snapshots. */
const OF_MEMORY = /^memory: /;

export const newestSnapshotIsUsed: Checker = {
  name: 'newest-snapshot-is-used',
  watch({ cloud, wrong }) {
    const { applicationId } = cloud.app;
    /** By process and store: where the newest snapshot stood in the last listing. */
    const shown = new Map<string, number>();
    const listed = (effect: Effect) => {
      if (!effect.ok) return;
      const prefix = String(effect.args[0]);
      if (!MANIFESTS.test(prefix)) return;
      const offsets = (effect.answer as readonly ObjectEntry[]).flatMap(
        ({ name }) => parseManifestName(prefix, name)?.nextOffset ?? [],
      );
      shown.set(`${effect.process.name} ${prefix.split('/').slice(0, 3).join('/')}/`, greatest(0, offsets));
    };
    cloud.listen(listed, ['list']);
    cloud.timeline.listen(({ who, event, fields }) => {
      if (event !== 'restore-started' || fields.mode === 'memory') return;
      const { taskId, store, fromOffset, toOffset, refused } = fields as unknown as RestoreStarted;
      const newest = shown.get(`${who} ${storePrefix({ applicationId, taskId, store })}`) ?? 0;
      if (refused.some((reason) => !OF_MEMORY.test(reason)) || fromOffset >= Math.min(newest, toOffset)) return;
      wrong(`${who} restores ${store} of ${taskId} from ${fromOffset}, though it was shown a snapshot at ${newest}`);
    });
    return {};
  },
};

type RestoreStarted = Parameters<typeof storePrefix>[0] & {
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly refused: readonly string[];
};
