/**
 * One JSON object a line: `{"at":"2026-01-31T12:00:00.000Z","level":"info","event":"restore-started","taskId":"0_3"}`.
 *
 * A line is never lost to its content: an error is written with its code and causes, a bigint as text, a value that refuses
 * to be written is named as such. `at`, `level` and `event` cannot be overwritten by fields.
 */

import { StreamsError } from '../../model/errors.js';
import { originalStack } from '../../model/original-error.js';
import { messageOf } from '../../model/thrown.js';
import type { LogFields, Logger } from '../host.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where lines go; any writable stream of Node is one. */
export interface LineSink {
  write(line: string): unknown;
}

export interface JsonLinesLoggerOptions {
  /** The least level that is written. Default `info`. */
  readonly level?: LogLevel;
  /** Default: the standard error stream. */
  readonly sink?: LineSink;
  /** Wall clock in milliseconds; default the system's. */
  readonly now?: () => number;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** Causes of an error that are followed. */
const MAX_CAUSES = 8;

/** Makes a logger that writes JSON lines. */
export function createJsonLinesLogger(options: JsonLinesLoggerOptions = {}): Logger {
  const { level = 'info', sink = process.stderr, now = Date.now } = options;
  return loggerWith({}, RANK[level], (line) => sink.write(line), now);
}

function loggerWith(base: LogFields, least: number, write: (line: string) => unknown, now: () => number): Logger {
  const at = (level: Exclude<LogLevel, 'silent'>) => (event: string, fields?: LogFields, thrown?: unknown) => {
    if (RANK[level] >= least) write(`${lineOf({ ...base, ...fields, ...stackOf(thrown) }, level, event, now())}\n`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerWith({ ...base, ...fields }, least, write, now),
  };
}

/** Of what was thrown first: where user code threw, say, and not where we noticed. */
function stackOf(thrown: unknown): LogFields {
  const stack = originalStack(thrown);
  return stack === undefined ? {} : { stack };
}

function lineOf(fields: LogFields, level: string, event: string, nowMs: number): string {
  const head = { at: new Date(nowMs).toISOString(), level, event };
  try {
    return JSON.stringify({ ...head, ...fields, ...head }, plain);
  } catch (cause) {
    return JSON.stringify({ ...head, unwritable: messageOf(cause), fields: Object.keys(fields) });
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return describeError(value, MAX_CAUSES);
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return value;
}

function describeError(error: Error, causesLeft: number): Record<string, unknown> {
  const ours = error instanceof StreamsError ? { code: error.code, kind: error.kind, details: error.details } : {};
  const cause =
    error.cause instanceof Error && causesLeft > 0 ? describeError(error.cause, causesLeft - 1) : error.cause;
  return {
    name: error.name,
    message: error.message,
    ...ours,
    stack: error.stack,
    ...(cause === undefined ? {} : { cause }),
  };
}
