import type { Digest } from '../../host/host.js';
import { UnavailableError } from '../../model/errors.js';
import { CheckpointPolicy, checkpointEvents } from './journal/checkpoint.js';
import { Journal, type JournalOptions } from './journal/journal.js';
import { type LogEvent, LogState, type StateOptions } from './log-state.js';

/** The state and its journal, if it has one: every event goes to both. */
export class EventLog {
  readonly state: LogState;
  private readonly journal: Journal | null;
  private readonly checkpoints = new CheckpointPolicy();
  private isClosed = false;

  private constructor(state: LogState, journal: Journal | null) {
    this.state = state;
    this.journal = journal;
  }

  /** @throws {InvalidFolderError} STREAMS_INVALID_FOLDER */
  static open(options: StateOptions, folder: Omit<JournalOptions, 'digest'> | null, digest: Digest): EventLog {
    const state = new LogState(options);
    const journal = folder === null ? null : Journal.open({ ...folder, digest }, (event) => state.apply(event));
    return new EventLog(state, journal);
  }

  /** @throws {UnavailableError} STREAMS_UNAVAILABLE if it was closed, or its journal failed: what it knows may not be on disk */
  checkOpen(): void {
    if (this.isClosed) throw new UnavailableError('the log is closed', { remedy: 'Open it again.' });
    this.journal?.checkWorks();
  }

  /** Makes an event true. It may get lost with the process until `settle` has returned. */
  record(event: LogEvent): void {
    this.journal?.write(event);
    this.state.apply(event);
  }

  /** Makes sure that what was recorded is kept; begins a new file if the old one says little for its size. */
  settle(): void {
    if (this.journal === null) return;
    this.journal.flush();
    if (this.checkpoints.isDue(this.journal.sizeBytes, this.state)) this.checkpoint();
  }

  /** Begins a new file of all that is known. */
  checkpoint(): void {
    if (this.journal === null) return;
    this.journal.checkpoint(checkpointEvents(this.state));
    this.checkpoints.written(this.journal.sizeBytes);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.journal?.close();
  }
}
