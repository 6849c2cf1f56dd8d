/** Lambda's event source mapping for Kafka, as far as a doorbell goes: new records become events of the task function. */
import type { Cloud } from './cloud.js';

/** Records that come within this time make one event. Lambda: `MaximumBatchingWindowInSeconds`. */
const BATCHING_WINDOW_MS = 500;

interface NewRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export class EventSourceMapping {
  private readonly cloud: Cloud;
  private readonly batch = new Map<string, NewRecord>();

  constructor(cloud: Cloud) {
    this.cloud = cloud;
  }

  /** A record was appended. */
  note(record: NewRecord): void {
    if (this.batch.size === 0) this.cloud.inBackground(this.deliver());
    this.batch.set(`${record.topic}-${record.partition}`, record);
  }

  private async deliver(): Promise<void> {
    await this.cloud.until(this.cloud.time.nowMs + BATCHING_WINDOW_MS);
    const records = Object.fromEntries([...this.batch].map(([name, record]) => [name, [record]]));
    this.batch.clear();
    this.cloud.platform.accept('task', { eventSource: 'aws:kafka', records });
  }
}
