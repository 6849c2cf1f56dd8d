import type { LocalStreams } from '../../lib/local/index.js';
import type { CountsView } from './counts-view.js';
import type { FileFeed } from './file-feed.js';
import { pause } from './pause.js';

const REPORT_MS = 5_000;
const SAMPLE_MS = 1_000;

/** Figures of a run: for the page, and as lines in the terminal. */
export class Progress {
  private readonly streams: LocalStreams;
  private readonly feed: FileFeed;
  private readonly view: CountsView;
  private readonly startedAt = performance.now();
  private recordsPerSecond = 0;
  private peakMemoryBytes = 0;
  private finishedAt: number | undefined;

  constructor(streams: LocalStreams, feed: FileFeed, view: CountsView) {
    this.streams = streams;
    this.feed = feed;
    this.view = view;
  }

  /** What the page shows. */
  async state(topWords: number, membersLimit: number) {
    const { members, plan, stateBytes, membersWanted } = await this.streams.state();
    return {
      counts: this.view.top(topWords),
      totalWords: this.view.totalWords,
      distinctWords: this.view.distinctWords,
      feed: this.feed.progress,
      caughtUp: this.feed.progress.atEnd && (await this.isCounted()),
      recordsPerSecond: Math.round(this.recordsPerSecond),
      memoryBytes: process.memoryUsage.rss(),
      stateBytes,
      membersWanted,
      membersLimit,
      members,
      plan,
    };
  }

  /** Waits until every line that the feed has read is counted and the counts have been read. @returns false if ended before */
  async counted(signal: AbortSignal, checkMs: number): Promise<boolean> {
    while (!signal.aborted) {
      if (this.feed.progress.atEnd && (await this.isCounted())) {
        this.finishedAt = performance.now();
        return true;
      }
      await pause(checkMs, signal);
    }
    return false;
  }

  /** Samples the rate and prints a line every few seconds while there is work. */
  async run(signal: AbortSignal, say: (line: string) => void): Promise<void> {
    let last = { at: performance.now(), records: 0 };
    let reported = { at: performance.now(), words: 0 };
    while (!signal.aborted) {
      await pause(SAMPLE_MS, signal);
      const now = performance.now();
      const records = this.streams.recordsProcessed;
      this.recordsPerSecond = ((records - last.records) / (now - last.at)) * 1_000;
      this.peakMemoryBytes = Math.max(this.peakMemoryBytes, process.memoryUsage.rss());
      last = { at: now, records };
      if (now - reported.at >= REPORT_MS && this.view.totalWords !== reported.words) {
        say(
          `${this.view.totalWords.toLocaleString('en')} words counted, ${Math.round(this.recordsPerSecond).toLocaleString('en')} records/s`,
        );
        reported = { at: now, words: this.view.totalWords };
      }
    }
  }

  /** The figures of the whole run, for the end of `--once`. */
  async summary(): Promise<string> {
    const seconds = ((this.finishedAt ?? performance.now()) - this.startedAt) / 1_000;
    const records = this.streams.recordsProcessed;
    const { stateBytes } = await this.streams.state();
    const memory = Math.max(this.peakMemoryBytes, process.memoryUsage.rss());
    return [
      `${this.feed.progress.linesRead.toLocaleString('en')} lines, ${this.view.totalWords.toLocaleString('en')} words, ${this.view.distinctWords.toLocaleString('en')} different`,
      `${Math.round(records / seconds).toLocaleString('en')} records/s over ${seconds.toFixed(1)} s (${records.toLocaleString('en')} records through two sub-topologies)`,
      `state ${megabytes(stateBytes)}, memory at most ${megabytes(memory)}`,
    ].join('\n');
  }

  private async isCounted(): Promise<boolean> {
    return (await this.streams.isCaughtUp()) && (await this.view.atEnd());
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
