import type { CommittedTime } from '../processor/engine-context.js';
import type { ProcessorMetadata } from './processor-metadata.js';

/** The times that operators of a task have come to, by name: what of them survives a restart beside the stores. */
export class OperatorTimes {
  private readonly restored: ProcessorMetadata;
  private readonly times = new Map<string, OperatorTime>();

  constructor(restored: ProcessorMetadata) {
    this.restored = restored;
  }

  /** The time of that name; whoever asks again gets the same one. */
  open(name: string): CommittedTime {
    const open = this.times.get(name);
    if (open !== undefined) return open;
    const time = new OperatorTime(Number(this.restored.get(name) ?? -1n));
    this.times.set(name, time);
    return time;
  }

  get names(): readonly string[] {
    return [...this.times.keys()];
  }

  /** What to commit of it now. */
  get metadata(): ProcessorMetadata {
    const metadata = new Map<string, bigint>();
    for (const [name, { ms }] of this.times) if (ms >= 0) metadata.set(name, BigInt(ms));
    return metadata;
  }
}

class OperatorTime implements CommittedTime {
  ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  raise(ms: number): void {
    if (ms > this.ms) this.ms = ms;
  }
}
