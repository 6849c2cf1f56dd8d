import type { LogFields, Logger } from '../../lib/host/host.js';

export interface LoggedEvent {
  readonly event: string;
  readonly fields: LogFields;
}

/** A logger that keeps every line, of every level, in `events`. */
export function listeningLogger(events: LoggedEvent[], base: LogFields = {}): Logger {
  const hear = (event: string, fields?: LogFields) => {
    events.push({ event, fields: { ...base, ...fields } });
  };
  return {
    debug: hear,
    info: hear,
    warn: hear,
    error: hear,
    child: (fields) => listeningLogger(events, { ...base, ...fields }),
  };
}
