/**
 * The state of an embedded application, named and ordered as Kafka's `KafkaStreams.State`.
 *
 * ```
 *            ┌──────── CREATED
 *            │            │
 *            │            ▼
 *            ├─────── REBALANCING ────────┐
 *            │          ▲   │             │
 *            │          │   ▼             │
 *            ├──────── RUNNING ───────────┤
 *            ▼                            ▼
 *     PENDING_SHUTDOWN             PENDING_ERROR
 *            │                            │
 *            ▼                            ▼
 *       NOT_RUNNING                     ERROR
 * ```
 */

/**
 * - `CREATED`: topics are prepared, no member runs
 * - `REBALANCING`: tasks of the newest plan are still to be taken or restored
 * - `RUNNING`: each task runs at the member that it is granted to, or sleeps there until it has work
 * - `PENDING_SHUTDOWN`, `NOT_RUNNING`: `close` was called; all is over
 * - `PENDING_ERROR`, `ERROR`: the handler of uncaught exceptions has ended it (`shutdownClient`, `shutdownApplication`); members are ending, have ended
 */
export type StreamsState =
  | 'CREATED'
  | 'REBALANCING'
  | 'RUNNING'
  | 'PENDING_SHUTDOWN'
  | 'NOT_RUNNING'
  | 'PENDING_ERROR'
  | 'ERROR';

/** Told of each change. Kafka: `KafkaStreams.StateListener`. */
export type StateListener = (state: StreamsState, before: StreamsState) => void;

/** Kafka's, but that a state does not follow itself. */
const NEXT: Readonly<Record<StreamsState, readonly StreamsState[]>> = {
  CREATED: ['REBALANCING', 'PENDING_SHUTDOWN'],
  REBALANCING: ['RUNNING', 'PENDING_SHUTDOWN', 'PENDING_ERROR'],
  RUNNING: ['REBALANCING', 'PENDING_SHUTDOWN', 'PENDING_ERROR'],
  PENDING_SHUTDOWN: ['NOT_RUNNING'],
  NOT_RUNNING: [],
  PENDING_ERROR: ['ERROR'],
  ERROR: [],
};

export class StateMachine {
  private state: StreamsState = 'CREATED';
  private readonly listener: StateListener;

  /** @param listener must not throw */
  constructor(listener: StateListener) {
    this.listener = listener;
  }

  get current(): StreamsState {
    return this.state;
  }

  /** Goes to a state, if it may follow the one before. @returns whether it did */
  enter(next: StreamsState): boolean {
    const before = this.state;
    if (!NEXT[before].includes(next)) return false;
    this.state = next;
    this.listener(next, before);
    return true;
  }
}
