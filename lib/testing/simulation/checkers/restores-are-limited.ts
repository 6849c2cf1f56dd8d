/**
 * No more tasks than `maxConcurrentRestores` are read back at the same moment in one member, the copies that it keeps included. A task whose
 * stores the process has is no restore, nor is a copy that only follows: from where its changelog ended when it was begun.
 *
 * Of all members together nothing can be said at every moment: the place of one that is declared dead is free, though it may stand still and
 * go on. What query and standby functions read is no member's.
 */
import type { TimelineEntry } from '../timeline.js';
import type { Checker } from './checker.js';
import { TASK_ENDS } from './only-movers-pause.js';

/** Events with which stores begin to be read; `memory`: the process had them. */
const STARTS: ReadonlySet<string> = new Set(['restore-started', 'copy-started', 'copy-goes-on']);
/** Events with which a store is read no more. */
const STORE_ENDS: ReadonlySet<string> = new Set([
  'restore-finished',
  'restore-failed',
  'copy-caught-up',
  'copy-ended',
  'copy-lost',
  'copy-failed',
  'copy-refused',
]);
/** Events with which nothing of a task is read any more: it has ended or begins anew, or its copies have given way. */
const ALL_ENDS: ReadonlySet<string> = new Set([...TASK_ENDS, 'task-recovering', 'copy-waits']);

export const restoresAreLimited: Checker = {
  name: 'restores-are-limited',
  watch({ cloud, wrong }) {
    const limit = cloud.app.settings.maxConcurrentRestores;
    if (limit === 0) return {};
    /** By process that is a member: what is being read, as `restore` or `copy`, task and store. */
    const reading = new Map<string, Map<string, string>>();
    cloud.timeline.listen((entry) => {
      const { who, event, fields } = entry;
      if (event === 'member-claimed') reading.set(who, new Map());
      else if (event === 'member-ended') reading.delete(who);
      const here = reading.get(who);
      if (here === undefined) return; // a query or a standby function, which is no member
      if (ALL_ENDS.has(event)) forget(here, entry);
      else if (STORE_ENDS.has(event)) here.delete(keyOf(entry));
      if (!STARTS.has(event) || fields.mode === 'memory') return;
      here.set(keyOf(entry), String(fields.taskId));
      const tasks = [...new Set(here.values())];
      if (tasks.length > limit) wrong(`${who} reads back ${tasks.sort().join(', ')} at once, though ${limit} may be`);
    });
    return {};
  },
};

/** `restore-…` or `copy-…`, with task and store: a task and a copy of it are told apart. */
function keyOf({ event, fields }: TimelineEntry): string {
  return `${event.startsWith('copy-') ? 'copy' : 'restore'} ${fields.taskId} ${fields.store}`;
}

function forget(here: Map<string, string>, { event, fields }: TimelineEntry): void {
  const kind = event.startsWith('copy-') ? 'copy ' : 'restore ';
  for (const [key, taskId] of here) if (key.startsWith(kind) && taskId === fields.taskId) here.delete(key);
}
