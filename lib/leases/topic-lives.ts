/**
 * Which life of a topic a task's offsets and state are of: a topic that is deleted and created again has its name and another
 * id (KIP-516). Pure; docs/decisions/0014-topics-have-an-identity.md says why.
 */
import type { RecordedOffset, TopicIds } from './records.js';

export interface TopicLives {
  /** As the lease has them; absent: nothing is known of before. */
  readonly recorded: TopicIds | undefined;
  /** As they are now. */
  readonly current: TopicIds;
}

/** Whether the lease names another life of a topic than the one that has its name now. */
export function isOtherLife({ recorded, current }: TopicLives, topic: string): boolean {
  const before = recorded?.[topic];
  return before !== undefined && before !== current[topic];
}

/**
 * Whether an input goes on from an offset that the task itself has committed, so that what is below it was processed.
 *
 * Tasks commit a metadata text, people and their tools (`kafka-consumer-groups --reset-offsets`) none: an offset without one
 * is where somebody wants the task to go on. Below 0 there is nothing.
 */
export function isTasksOwn({ nextOffset, metadata }: Pick<RecordedOffset, 'nextOffset' | 'metadata'>): boolean {
  return nextOffset > 0 && metadata !== '';
}

/** Whether the two name the same topics with the same ids. */
export function areSameTopicIds(a: TopicIds | undefined, b: TopicIds): boolean {
  if (a === undefined) return false;
  const names = Object.keys(b);
  return Object.keys(a).length === names.length && names.every((name) => a[name] === b[name]);
}
