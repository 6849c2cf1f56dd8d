import kafkajs, { type LogEntry, type logCreator } from 'kafkajs';
import type { Logger } from '../../../host/host.js';

const { logLevel } = kafkajs;

/** kafkajs's words, as events of our logger. A connection that breaks is no error here: whoever used it decides that. */
export function kafkajsLogCreator(logger: Logger): logCreator {
  return () =>
    ({ namespace, level, log }: LogEntry) => {
      const { message, timestamp: _, ...fields } = log;
      const line = { ...fields, namespace, message };
      if (level === logLevel.ERROR) logger.warn('kafkajs', line);
      else logger.debug('kafkajs', line);
    };
}
