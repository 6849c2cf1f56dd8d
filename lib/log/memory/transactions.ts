/**
 * The transaction coordinator: producer ids and epochs by transactional id, and the life of each transaction.
 *
 * ```
 *                first send               commit                  markers written
 *     ┌───────┐ ───────────▶ ┌─────────┐ ─────────▶ prepareCommit ───────────────▶ completeCommit ─┐
 *     │ empty │              │ ongoing │                                                           │
 *     └───────┘ ◀─────┐      └─────────┘ ─────────▶ prepareAbort ────────────────▶ completeAbort ──┤
 *                     │           ▲   abort, a newer initialisation, time-out                      │
 *                     │           └───────────────────── first send ───────────────────────────────┤
 *                     └──────────────────────────────── initialisation ────────────────────────────┘
 * ```
 * Kafka: `TransactionState`, without `PrepareEpochFence` and `Dead`: here the decision and its markers are one step that
 * nothing can interrupt, so that `prepare…` is never seen from outside.
 *
 * Invariants
 *   T1  only the newest (producerId, epoch) of a transactional id may add to a transaction or end it
 *   T2  partitions and groups are remembered exactly while `ongoing`; when it ends each of them gets the one outcome
 */
import { InternalError, ProducerFencedError } from '../../model/errors.js';
import type { GroupOffsets } from './group-offsets.js';
import type { PartitionLog } from './partition-log.js';

export type TransactionStatus =
  | 'empty'
  | 'ongoing'
  | 'prepareCommit'
  | 'prepareAbort'
  | 'completeCommit'
  | 'completeAbort';

export type TransactionOutcome = 'commit' | 'abort';

/** Which state may follow which. */
export const TRANSITIONS: Readonly<Record<TransactionStatus, readonly TransactionStatus[]>> = {
  empty: ['empty', 'ongoing'],
  ongoing: ['ongoing', 'prepareCommit', 'prepareAbort'],
  prepareCommit: ['completeCommit'],
  prepareAbort: ['completeAbort'],
  completeCommit: ['empty', 'ongoing'],
  completeAbort: ['empty', 'ongoing'],
};

/** Epochs are 16 bits in Kafka; the producer id changes before they run out. */
const MAX_EPOCH = 32_766;

export interface ProducerIdentity {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly epoch: number;
}

export interface InitialisedProducer extends ProducerIdentity {
  readonly timeoutMs: number;
}

class TransactionState {
  readonly transactionalId: string;
  producerId: number;
  epoch: number;
  timeoutMs: number;
  status: TransactionStatus = 'empty';
  startedAtMs = 0;
  readonly partitions = new Set<PartitionLog>();
  readonly groups = new Set<string>();

  constructor({ transactionalId, producerId, epoch, timeoutMs }: InitialisedProducer) {
    this.transactionalId = transactionalId;
    this.producerId = producerId;
    this.epoch = epoch;
    this.timeoutMs = timeoutMs;
  }

  get expiresAtMs(): number {
    return this.startedAtMs + this.timeoutMs;
  }

  move(to: TransactionStatus): void {
    if (!TRANSITIONS[this.status].includes(to))
      throw new InternalError(`a transaction can't go from ${this.status} to ${to}`, {
        details: { transactionalId: this.transactionalId },
      });
    this.status = to;
  }
}

export class Transactions {
  private readonly groupOffsets: GroupOffsets;
  private readonly byId = new Map<string, TransactionState>();
  private readonly ongoing = new Set<TransactionState>();
  private nextProducerId = 0;

  constructor(groupOffsets: GroupOffsets) {
    this.groupOffsets = groupOffsets;
  }

  /** The identity that the next initialisation of this transactional id gets. */
  nextIdentity(transactionalId: string): ProducerIdentity {
    const known = this.byId.get(transactionalId);
    if (known === undefined || known.epoch >= MAX_EPOCH)
      return { transactionalId, producerId: this.nextProducerId, epoch: 0 };
    return { transactionalId, producerId: known.producerId, epoch: known.epoch + 1 };
  }

  /** Makes this identity the newest of its transactional id; its transaction, if any, was ended before. */
  initialise(producer: InitialisedProducer): void {
    this.nextProducerId = Math.max(this.nextProducerId, producer.producerId + 1);
    const known = this.byId.get(producer.transactionalId);
    if (known === undefined) {
      this.byId.set(producer.transactionalId, new TransactionState(producer));
      return;
    }
    known.move('empty');
    known.producerId = producer.producerId;
    known.epoch = producer.epoch;
    known.timeoutMs = producer.timeoutMs;
  }

  /** @throws {ProducerFencedError} STREAMS_PRODUCER_FENCED unless this is the newest producer of its transactional id (T1) */
  checkNewest({ transactionalId, producerId, epoch }: ProducerIdentity): void {
    const known = this.byId.get(transactionalId);
    if (known !== undefined && known.producerId === producerId && known.epoch === epoch) return;
    throw new ProducerFencedError(`a newer producer of '${transactionalId}' exists, or its transaction timed out`, {
      details: { transactionalId, producerId, epoch, newestProducerId: known?.producerId, newestEpoch: known?.epoch },
    });
  }

  isOngoing(transactionalId: string): boolean {
    return this.byId.get(transactionalId)?.status === 'ongoing';
  }

  /** Adds a partition to the transaction, which begins with it if none is ongoing. */
  addPartition(transactionalId: string, partition: PartitionLog, nowMs: number): void {
    this.begun(transactionalId, nowMs).partitions.add(partition);
  }

  /** Adds a group to the transaction, which begins with it if none is ongoing. */
  addGroup(transactionalId: string, groupId: string, nowMs: number): void {
    this.begun(transactionalId, nowMs).groups.add(groupId);
  }

  /** Ends the ongoing transaction everywhere at once (T2): markers, then the groups' offsets. */
  end(transactionalId: string, outcome: TransactionOutcome, epochAfter: number, nowMs: number): void {
    const state = this.known(transactionalId);
    state.move(outcome === 'commit' ? 'prepareCommit' : 'prepareAbort');
    for (const partition of state.partitions) partition.endTransaction(state.producerId, outcome, nowMs);
    for (const groupId of state.groups) this.groupOffsets.resolve(groupId, state.producerId, outcome, nowMs);
    state.partitions.clear();
    state.groups.clear();
    this.ongoing.delete(state);
    state.epoch = epochAfter;
    state.move(outcome === 'commit' ? 'completeCommit' : 'completeAbort');
  }

  /** Transactions that are open for longer than their time-out. */
  expired(nowMs: number): readonly ProducerIdentity[] {
    const due: ProducerIdentity[] = [];
    for (const state of this.ongoing) {
      if (state.expiresAtMs <= nowMs) due.push(identityOf(state));
    }
    return due;
  }

  /** When the next transaction times out; infinity if none is open. */
  nextExpiryMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const state of this.ongoing) next = Math.min(next, state.expiresAtMs);
    return next;
  }

  producerIdOf(transactionalId: string): number {
    return this.known(transactionalId).producerId;
  }

  /** All producers as they are, for a checkpoint. */
  *all(): Generator<InitialisedProducer> {
    for (const state of this.byId.values()) yield { ...identityOf(state), timeoutMs: state.timeoutMs };
  }

  private begun(transactionalId: string, nowMs: number): TransactionState {
    const state = this.known(transactionalId);
    if (state.status !== 'ongoing') {
      state.move('ongoing');
      state.startedAtMs = nowMs;
      this.ongoing.add(state);
    }
    // A checkpoint tells of a transaction partition by partition; its time counts from the earliest of them.
    state.startedAtMs = Math.min(state.startedAtMs, nowMs);
    return state;
  }

  private known(transactionalId: string): TransactionState {
    const state = this.byId.get(transactionalId);
    if (state === undefined)
      throw new InternalError(`'${transactionalId}' was never initialised`, { details: { transactionalId } });
    return state;
  }
}

function identityOf({ transactionalId, producerId, epoch }: TransactionState): ProducerIdentity {
  return { transactionalId, producerId, epoch };
}
