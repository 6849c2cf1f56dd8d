import type { LogFields, Logger } from '../host/host.js';

/** What happened, as the log line says it: an event name in kebab-case and its fields. */
export interface RuntimeEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
}

/** Sees every event that is logged, as it is logged. */
export type EventListener = (event: RuntimeEvent) => void;

/** A logger that also tells a listener; the logger itself if there is none. */
export function observedLogger(logger: Logger, listener: EventListener | undefined): Logger {
  return listener === undefined ? logger : observed(logger, listener, {});
}

function observed(logger: Logger, listener: EventListener, base: LogFields): Logger {
  const at = (level: 'debug' | 'info' | 'warn') => (event: string, fields?: LogFields) => {
    logger[level](event, fields);
    listener({ level, event, fields: { ...base, ...fields } });
  };
  const error: Logger['error'] = (event, fields, thrown) => {
    logger.error(event, fields, thrown);
    listener({ level: 'error', event, fields: { ...base, ...fields } });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error,
    child: (fields) => observed(logger.child(fields), listener, { ...base, ...fields }),
  };
}
