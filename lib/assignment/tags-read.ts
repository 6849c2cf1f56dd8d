/** Which of the members' tags an assignor places by. Pure. */
import { BUILT_IN_ASSIGNORS } from './assignors.js';
import type { AssignmentSettings, TaskAssignor } from './task-assignor.js';

/** The tag with which a member states its zone, by the name that the brokers have for it. */
export const ZONE_TAG = 'zone';

/**
 * Names of the tags that make a difference to an assignor's answer under these settings; null: any may, for it is a user's own. Of the built-in
 * ones they are few: each incarnation of a function may run in another zone, and where nobody asks for zones that is no reason for a plan.
 */
export function tagsRead(assignor: TaskAssignor, settings: AssignmentSettings): ReadonlySet<string> | null {
  if (!BUILT_IN_ASSIGNORS.includes(assignor)) return null;
  const { rackAwareAssignmentTags, rackAwareAssignmentStrategy, standbyKind, numStandbyReplicas } = settings;
  const hasStandbys = standbyKind === 'hot' && numStandbyReplicas > 0;
  return new Set([
    ...(hasStandbys ? rackAwareAssignmentTags : []),
    ...(rackAwareAssignmentStrategy === 'none' ? [] : [ZONE_TAG]),
  ]);
}
