import type { Settings } from './settings.js';

/** The settings that say what becomes of records which can not go through. */
export const FAILURE_SETTINGS = {
  deserialization: 'deserializationExceptionHandler',
  processing: 'processingExceptionHandler',
  production: 'productionExceptionHandler',
  late: 'lateRecordHandler',
} as const satisfies Record<string, keyof Settings>;

/** All topics that may get dead letters, with the setting that names each, without repetition. */
export function deadLetterTopics(settings: Settings): ReadonlyMap<string, keyof Settings> {
  const topics = new Map<string, keyof Settings>();
  for (const name of Object.values(FAILURE_SETTINGS)) {
    const handler = settings[name];
    if (typeof handler === 'object' && !topics.has(handler.deadLetterTopic)) topics.set(handler.deadLetterTopic, name);
  }
  const { deadLetterTopic } = settings;
  if (deadLetterTopic !== '' && !topics.has(deadLetterTopic)) topics.set(deadLetterTopic, 'deadLetterTopic');
  return topics;
}
