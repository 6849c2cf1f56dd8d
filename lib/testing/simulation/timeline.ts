/** All that happened in a run, in order: what is printed of a failed one, and what two runs of one seed must have in common. */
import type { Digest, LogFields, Logger } from '../../host/host.js';
import { SimulationFailedError } from '../../model/errors.js';

export interface TimelineEntry {
  /** Virtual milliseconds since the run began. */
  readonly atMs: number;
  /** `task#3`, `world`, `fault`, `checker`. */
  readonly who: string;
  /** In kebab-case, as log lines have it. */
  readonly event: string;
  readonly fields: LogFields;
  /** The error that it tells of, where there is one; no part of its line. */
  readonly thrown?: unknown;
}

export type TimelineListener = (entry: TimelineEntry) => void;

/** Entries kept of one run; more means that something runs in circles. */
const MAX_ENTRIES = 1_000_000;

export class Timeline {
  private readonly kept: TimelineEntry[] = [];
  private readonly listeners: TimelineListener[] = [];
  private readonly nowMs: () => number;

  /** @param nowMs virtual milliseconds since the run began */
  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  get entries(): readonly TimelineEntry[] {
    return this.kept;
  }

  listen(listener: TimelineListener): void {
    this.listeners.push(listener);
  }

  /** @throws {SimulationFailedError} STREAMS_SIMULATION_FAILED when a run that does not end has filled it */
  add(who: string, event: string, fields: LogFields = {}, thrown?: unknown): void {
    if (this.kept.length >= MAX_ENTRIES)
      throw new SimulationFailedError(
        `${MAX_ENTRIES} entries of its timeline by ${this.nowMs()} ms: the run goes in circles`,
      );
    const entry = { atMs: this.nowMs(), who, event, fields, ...(thrown === undefined ? {} : { thrown }) };
    this.kept.push(entry);
    for (const listener of this.listeners) listener(entry);
  }

  /** A logger whose lines become entries of `who`. */
  logger(who: string, base: LogFields = {}): Logger {
    const hear = (event: string, fields?: LogFields) => this.add(who, event, { ...base, ...fields });
    const error: Logger['error'] = (event, fields, thrown) => this.add(who, event, { ...base, ...fields }, thrown);
    return {
      debug: hear,
      info: hear,
      warn: hear,
      error,
      child: (fields) => this.logger(who, { ...base, ...fields }),
    };
  }

  /** One line for each entry. */
  lines(): readonly string[] {
    return timelineLines(this.kept);
  }

  /** The same for runs that took the same course. */
  digest(digest: Digest): string {
    return digest.sha256(Buffer.from(this.lines().join('\n')));
  }
}

/** One line for each entry: virtual milliseconds, who, what, and its fields as JSON. */
export function timelineLines(entries: readonly TimelineEntry[]): readonly string[] {
  return entries.map(
    ({ atMs, who, event, fields }) => `${atMs.toFixed(3).padStart(12)} ${who} ${event} ${json(fields)}`,
  );
}

function json(fields: LogFields): string {
  return JSON.stringify(fields, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
