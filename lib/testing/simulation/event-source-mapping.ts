/** Lambda's event source mapping for Kafka, as far as a doorbell goes: new records become events of the task function. */

/** Records that come within this time make one event. Lambda: `MaximumBatchingWindowInSeconds`. */
const BATCHING_WINDOW_MS = 500;

/** What it needs of the cloud. */
export interface EventSource {
  /** Resolves after so many virtual milliseconds, or when the cloud ends. */
  readonly after: (ms: number) => Promise<unknown>;
  readonly accept: (event: unknown) => void;
  readonly inBackground: (work: Promise<void>) => void;
}

interface NewRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export class EventSourceMapping {
  private readonly source: EventSource;
  private readonly batch = new Map<string, NewRecord>();

  constructor(source: EventSource) {
    this.source = source;
  }

  /** A record was appended. */
  note(record: NewRecord): void {
    if (this.batch.size === 0) this.source.inBackground(this.deliver());
    this.batch.set(`${record.topic}-${record.partition}`, record);
  }

  private async deliver(): Promise<void> {
    await this.source.after(BATCHING_WINDOW_MS);
    const records = Object.fromEntries([...this.batch].map(([name, record]) => [name, [record]]));
    this.batch.clear();
    this.source.accept({ eventSource: 'aws:kafka', records });
  }
}
