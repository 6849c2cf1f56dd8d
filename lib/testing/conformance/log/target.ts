import type { Log } from '../../../log/log.js';

/** An adapter of the log port, and what its suite has to know of it. */
export interface LogConformanceTarget {
  /** What the suite is called, e.g. `memory`. */
  readonly name: string;
  /** Opens the log; each test opens it and closes it. Topics of earlier tests may still be there. */
  createLog(): Promise<Log>;
  readonly supports: {
    /** Topics get another id when they are deleted and created again (KIP-516). */
    readonly topicIds: boolean;
    /** A transaction is aborted, and its producer fenced, when its time-out has passed; some brokers look only every 10 s. */
    readonly promptTransactionTimeout: boolean;
    /** `retention.ms` is obeyed as soon as its time has passed. */
    readonly promptRetention: boolean;
  };
  /** Moves the log's clock on. Absent: the suite waits in real time. */
  advanceMs?(ms: number): Promise<void>;
  /** Compacts a topic now. Absent: the tests of compaction are not run. */
  compact?(log: Log, topic: string): Promise<void>;
  /** How long reads wait for what was just written, in milliseconds; 0 by default. A remote log wants some hundred. */
  readonly pollMs?: number;
}
