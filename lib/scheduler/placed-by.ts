/**
 * By which settings and tags a placement is made, kept in its plan as texts by name: a plan made by others is to be made anew
 * (features F5: standbys are added and taken away while everything runs). Pure.
 */
import { tagsRead } from '../assignment/tags-read.js';
import type { AssignmentSettings, TaskAssignor } from '../assignment/task-assignor.js';
import { placementTags } from '../leases/placement-tags.js';
import type { MemberId, PlacedBy, Plan } from '../leases/records.js';
import type { Settings } from '../model/settings.js';
import { CAPACITY_TAG } from './capacity.js';
import type { Membership } from './membership.js';
import type { ApplicationState } from './state.js';

/** What assignors see of the settings. */
export function placementSettings(settings: Settings): AssignmentSettings {
  return {
    numStandbyReplicas: settings.numStandbyReplicas,
    standbyKind: settings.standbyKind,
    acceptableRecoveryLag: settings.acceptableRecoveryLag,
    maxWarmupReplicas: settings.maxWarmupReplicas,
    rackAwareAssignmentTags: settings.rackAwareAssignmentTags,
    rackAwareAssignmentStrategy: settings.rackAwareAssignmentStrategy,
    rackAwareAssignmentTrafficCost: settings.rackAwareAssignmentTrafficCost,
    rackAwareAssignmentNonOverlapCost: settings.rackAwareAssignmentNonOverlapCost,
  };
}

/** What a placement made now is made by: only of members that count is there anything to know, and only tags that the assignor reads. */
export function placedByNow(
  { app: { settings }, assignor }: Pick<ApplicationState, 'app' | 'assignor'>,
  { counted, members }: Pick<Membership, 'counted' | 'members'>,
): PlacedBy {
  const placement = placementSettings(settings);
  const all = { ...placement, tasksPerMember: settings.tasksPerMember };
  const read = tagsRead(assignor, placement);
  const isRead = ([name]: [string, string]): boolean => read === null || read.has(name) || name === CAPACITY_TAG;
  const tagged = members
    .filter(({ memberId }) => counted.includes(memberId))
    .map(({ memberId, tags }) => ({
      memberId,
      tags: Object.fromEntries(Object.entries(placementTags(tags)).filter(isRead)),
    }))
    .filter(({ tags }) => Object.keys(tags).length > 0);
  return {
    settings: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, JSON.stringify(value)])),
    tags: Object.fromEntries(tagged.map(({ memberId, tags }) => [memberId, textOfTags(tags)])),
  };
}

/**
 * What is other than it was when the newest plan was made, in words. Nothing of a plan of an older version, which does not say; nor of
 * members that it has not counted, nor of those that do not run now; nor of tags where other settings or another assignor may read others.
 */
export function otherwisePlaced(
  plan: Plan,
  now: PlacedBy,
  { counted, members }: Pick<Membership, 'counted' | 'members'>,
  assignor: Pick<TaskAssignor, 'name'>,
): readonly string[] {
  const before = plan.placedBy;
  if (before === undefined) return [];
  const settings = Object.entries(now.settings)
    .filter(([name, value]) => before.settings[name] !== undefined && before.settings[name] !== value)
    .map(([name, value]) => `${name} ${value}, before ${before.settings[name]}`);
  if (settings.length > 0 || plan.assignor !== assignor.name) return settings;
  const running = members
    .filter(({ memberId, status }) => status === 'claimed' && counted.includes(memberId))
    .map(({ memberId }) => memberId);
  const countedBefore = new Set<MemberId>(plan.placedOver ?? (Object.keys(plan.assignment) as MemberId[]));
  const tags = running
    .filter((id) => countedBefore.has(id) && (before.tags[id] ?? NO_TAGS) !== (now.tags[id] ?? NO_TAGS))
    .map((id) => `${id} has other tags`);
  return tags;
}

const NO_TAGS = '';

function textOfTags(tags: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)));
}
