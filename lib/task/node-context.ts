/**
 * What one node may ask of its task, and the bookkeeping of what it forwards.
 *
 * Invariants
 *   N1  records that a node forwards without waiting reach its children one after the other
 *   N2  the node is done with a record only when its children are, whether or not it waited for them, and whether or not it failed
 *   N3  on the synchronous path a forward is a call of the child, with no promise made
 *   N4  a node forwards while a call of it runs, and at no other time: what would come later would go with another commit than its record
 */

import { type Awaitable, isPromise } from '../model/awaitable.js';
import type { ByteKey } from '../model/byte-key.js';
import { type Duration, durationMs } from '../model/duration.js';
import { InvalidSettingError, ProcessingError, TopologyError, UnconnectedStoreError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { CommittedMark, CommittedTime, EngineContext, HeldRecord, Sleep } from '../processor/engine-context.js';
import type { Cancellable, PunctuationType, Punctuator, RecordMetadata } from '../processor/processor-context.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { StateStore } from '../state/state-store.js';
import type { StoreContext } from '../topology/store-spec.js';
import { forBranch } from './branch-headers.js';
import type { FailurePolicy } from './failure-policy.js';
import { deliverToAll, type Receiver } from './node.js';
import type { RefusedRecords } from './refused-records.js';
import type { TaskScope } from './task-scope.js';

/** What the task gives each of its nodes. */
export interface TaskServices {
  readonly scope: TaskScope;
  readonly failures: FailurePolicy;
  readonly cacheMaxBytes: number;
  /** Bytes of a record that a sink may write; 0: no limit. */
  readonly maxRequestSize: number;
  /** What the log has found too large. */
  readonly refused: RefusedRecords;
  /** Opens a store for one node; its writes take the timestamp that the clock answers. */
  openStore(name: string, clock: StoreContext): StateStore;
  /** Names of all stores of the topology. */
  readonly storeNames: readonly string[];
  /** A global store to read, for any node; null if there is none of that name. */
  openGlobalStore(name: string): StateStore | null;
  schedule(type: PunctuationType, intervalMs: number, call: Punctuator): Cancellable;
  onFlush(flush: () => Awaitable<void>): void;
  onRecord(call: (key: ByteKey | null) => Awaitable<void>): void;
  onRecordDone(call: () => Awaitable<void>): void;
  holdRecord(): HeldRecord;
  readonly sleep: Sleep | null;
  committedTime(name: string): CommittedTime;
  committedMark(name: string): CommittedMark;
}

const CLOCKS: readonly string[] = ['streamTime', 'wallClockTime'] satisfies readonly PunctuationType[];

export class NodeContext implements EngineContext<unknown, unknown> {
  readonly nodeName: string;
  readonly applicationId: string;
  readonly taskId: TaskId;
  readonly cacheMaxBytes: number;
  /** Timestamp of the record or punctuation that the node is at. */
  timestampMs = 0;
  private readonly services: TaskServices;
  private readonly scope: TaskScope;
  private readonly storeNames: readonly string[];
  private readonly stores = new Map<string, StateStore>();
  private children: readonly Receiver[] = [];
  /** The child, if there is one only. */
  private only: Receiver | null = null;
  /** The last forward that is not finished (N1). */
  private tail: Promise<void> | null = null;
  private failure: { readonly thrown: unknown } | null = null;
  /** Calls of the node that have begun and not ended. */
  private callsRunning = 0;

  constructor(nodeName: string, storeNames: readonly string[], services: TaskServices) {
    this.nodeName = nodeName;
    this.storeNames = storeNames;
    this.services = services;
    this.scope = services.scope;
    this.applicationId = services.scope.applicationId;
    this.taskId = services.scope.taskId;
    this.cacheMaxBytes = services.cacheMaxBytes;
  }

  /** Binds the node to its children, once, before the first record. */
  bind(children: readonly Receiver[]): void {
    this.children = children;
    this.only = children.length === 1 ? (children[0] ?? null) : null;
  }

  /** A call of the node begins; {@link leave} ends it, when all is finished that was forwarded in it. */
  enter(): void {
    this.callsRunning += 1;
    this.scope.callsRunning += 1;
  }

  leave(): void {
    this.callsRunning -= 1;
    this.scope.callsRunning -= 1;
  }

  forward(record: StreamRecord<unknown, unknown>, childName?: string): Awaitable<void> {
    if (this.callsRunning === 0) throw this.forwardedLate();
    if (this.tail === null && this.only !== null && childName === undefined) {
      const result = this.only.process(record);
      return isPromise(result) ? this.keep(result) : undefined;
    }
    if (childName !== undefined) return this.forwardTo(this.child(childName), record);
    const receivers = this.children;
    if (this.tail !== null) return this.keep(this.tail.then(() => deliverToAll(receivers, record)));
    const result = deliverToAll(receivers, record);
    return isPromise(result) ? this.keep(result) : undefined;
  }

  /** To one child of several: its siblings may get the record too. */
  private forwardTo(child: Receiver, record: StreamRecord<unknown, unknown>): Awaitable<void> {
    const own = this.children.length > 1 ? forBranch(record) : record;
    if (this.tail !== null) return this.keep(this.tail.then(() => child.process(own)));
    const result = child.process(own);
    return isPromise(result) ? this.keep(result) : undefined;
  }

  forwardFrom(origin: RecordMetadata | null, record: StreamRecord<unknown, unknown>): Awaitable<void> {
    const back = this.scope.lookFrom(origin, record);
    let result: Awaitable<void>;
    try {
      result = this.forward(record);
    } catch (thrown) {
      back();
      throw thrown;
    }
    if (isPromise(result)) return result.finally(back);
    back();
  }

  /** Whether something that was forwarded is not finished, or failed unseen. */
  get isPending(): boolean {
    return this.tail !== null || this.failure !== null;
  }

  /** Waits until everything forwarded is finished (N2); throws what went wrong in it. */
  async settled(): Promise<void> {
    while (this.tail !== null) await this.tail;
    if (this.failure !== null) throw this.failure.thrown;
  }

  getStateStore<S extends StateStore>(name: string): S {
    const open = this.stores.get(name);
    if (open !== undefined) return open as S;
    const store = this.storeNames.includes(name)
      ? this.services.openStore(name, {
          timestampMs: () => this.timestampMs,
          recordExpired: () => this.recordDropped('expired'),
        })
      : this.services.openGlobalStore(name);
    if (store === null) throw this.unreachable(name);
    this.stores.set(name, store);
    return store as S;
  }

  schedule(interval: Duration, type: PunctuationType, punctuator: Punctuator): Cancellable {
    if (!CLOCKS.includes(type)) {
      throw new InvalidSettingError(`processor ${this.nodeName}: '${String(type)}' is no clock of a punctuation`, {
        details: { node: this.nodeName, type },
        remedy: "Give 'streamTime' or 'wallClockTime'.",
      });
    }
    if (typeof punctuator !== 'function') {
      throw new InvalidSettingError(`processor ${this.nodeName}: a punctuation needs a function to call`, {
        details: { node: this.nodeName },
        remedy: 'Give a function of the time: schedule(interval, clock, (timestampMs) => …).',
      });
    }
    const intervalMs = durationMs(interval, 'interval');
    if (intervalMs < 1) {
      throw new InvalidSettingError(`processor ${this.nodeName}: an interval of ${intervalMs} ms was given`, {
        details: { node: this.nodeName, intervalMs },
        remedy: 'Give a punctuation an interval of at least 1 ms.',
      });
    }
    return this.services.schedule(type, intervalMs, punctuator);
  }

  onFlush(flush: () => Awaitable<void>): void {
    this.services.onFlush(flush);
  }

  holdRecord(): HeldRecord {
    return this.services.holdRecord();
  }

  get sleep(): Sleep | null {
    return this.services.sleep;
  }

  onRecord(call: (key: ByteKey | null) => Awaitable<void>): void {
    this.services.onRecord(call);
  }

  onRecordDone(call: () => Awaitable<void>): void {
    this.services.onRecordDone(call);
  }

  committedTime(name: string): CommittedTime {
    return this.services.committedTime(name);
  }

  committedMark(name: string): CommittedMark {
    return this.services.committedMark(name);
  }

  currentStreamTimeMs(): number {
    return this.scope.streamTimeMs;
  }

  currentSystemTimeMs(): number {
    return this.scope.wallClockMs;
  }

  recordMetadata(): RecordMetadata | undefined {
    return this.scope.metadata;
  }

  recordDropped(reason: 'null-key' | 'null-value' | 'late' | 'superseded' | 'expired'): void {
    if (reason === 'late' || reason === 'expired') this.services.failures.late(this.nodeName, reason);
    else this.scope.recordDropped(reason);
  }

  private unreachable(store: string): UnconnectedStoreError {
    const { storeNames } = this.services;
    const details = { node: this.nodeName, store, connected: this.storeNames, stores: storeNames };
    if (storeNames.includes(store)) {
      return new UnconnectedStoreError(`processor ${this.nodeName} has no access to state store ${store}`, { details });
    }
    const known = storeNames.length === 0 ? 'none' : storeNames.map((name) => `'${name}'`).join(', ');
    return new UnconnectedStoreError(
      `processor ${this.nodeName} asks for state store '${store}', and the topology has none of that name; it has ${known}`,
      { details, remedy: 'Correct the name, or add the store and connect it to the processor that asks for it.' },
    );
  }

  private forwardedLate(): ProcessingError {
    return new ProcessingError(`node ${this.nodeName} forwards a record after the call that began it has ended`, {
      details: { node: this.nodeName, taskId: this.taskId },
      remedy: 'Return, or await, every promise that a processor or punctuator begins: its record is not done before.',
    });
  }

  private child(name: string): Receiver {
    const child = this.children.find((candidate) => candidate.name === name);
    if (child === undefined) {
      throw new TopologyError(`node ${this.nodeName} has no child ${name}`, {
        details: { node: this.nodeName, child: name, children: this.children.map((candidate) => candidate.name) },
      });
    }
    return child;
  }

  private keep(forwarded: Promise<void>): Promise<void> {
    this.tail = forwarded;
    forwarded.then(
      () => this.release(forwarded),
      (thrown: unknown) => {
        this.failure ??= { thrown };
        this.release(forwarded);
      },
    );
    return forwarded;
  }

  private release(forwarded: Promise<void>): void {
    if (this.tail === forwarded) this.tail = null;
  }
}
