/**
 * kafkajs's words, as events of our logger.
 *
 * That a connection fails is no error here: whoever used it tries again or throws. It is said once a minute for each broker and
 * cause, in one line: a broker that is away would fill the log otherwise. Connections that we end ourselves are no news.
 */
import kafkajs, { type LogEntry, type logCreator } from 'kafkajs';
import type { Clock, Logger } from '../../../host/host.js';
import { OUR_OWN_ENDS } from './sockets.js';

const { logLevel } = kafkajs;

/** The same failure of the same broker is said again after this. */
const REPEAT_MS = 60_000;
/** Failures that are remembered; then all are forgotten, and said again. */
const MOST_REMEMBERED = 200;

export function kafkajsLogCreator(logger: Logger, clock: Pick<Clock, 'monotonic'>): logCreator {
  const saidAtMs = new Map<string, number>();

  const isNews = (failure: string): boolean => {
    const nowMs = clock.monotonic();
    const lastMs = saidAtMs.get(failure);
    if (lastMs !== undefined && nowMs - lastMs < REPEAT_MS) return false;
    if (saidAtMs.size >= MOST_REMEMBERED) saidAtMs.clear();
    saidAtMs.set(failure, nowMs);
    return true;
  };

  return () =>
    ({ namespace, level, log }: LogEntry) => {
      const { message, timestamp: _, logger: __, stack: ___, ...fields } = log;
      const { broker } = fields;
      const isOurs = OUR_OWN_ENDS.some((end) => message.includes(end));
      if (level === logLevel.ERROR && !isOurs && isNews(`${broker} ${message}`))
        logger.warn('kafka-connection-failed', { broker, message });
      else logger.debug('kafkajs', { ...fields, namespace, message });
    };
}
