import type { LogFields, Logger } from '../../lib/host/host.js';

export interface LoggedEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
}

/** A logger that keeps every line, of every level, in `events`. */
export function listeningLogger(events: LoggedEvent[], base: LogFields = {}): Logger {
  const hearing = (level: LoggedEvent['level']) => (event: string, fields?: LogFields) => {
    events.push({ level, event, fields: { ...base, ...fields } });
  };
  return {
    debug: hearing('debug'),
    info: hearing('info'),
    warn: hearing('warn'),
    error: hearing('error'),
    child: (fields) => listeningLogger(events, { ...base, ...fields }),
  };
}
