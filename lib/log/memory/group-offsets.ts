/**
 * Committed offsets of consumer groups. No group here has members, so each partition's offset expires by itself, the
 * retention after its own last commit (KIP-211).
 *
 * Invariants
 *   G1  an offset of an open transaction is pending: it is not answered, and who asks for its partition waits
 *   G2  of two commits the one that was sent later wins, even if the transaction of the earlier one ends after it (as in
 *       Kafka, whose offsets topic orders them)
 */
import { InvalidOffsetError, RecordTooLargeError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import { parseTopicPartitionKey, type TopicPartitionKey } from '../../model/topic-partition.js';
import type { CommittedOffset, OffsetsToCommit } from '../log.js';
import { Waiters } from './waiters.js';

/** Kafka: `offset.metadata.max.bytes`. */
export const MAX_METADATA_BYTES = 4096;

interface StoredOffset extends CommittedOffset {
  readonly sequence: number;
  readonly committedAtMs: number;
}

class Group {
  readonly committed = new Map<TopicPartitionKey, StoredOffset>();
  /** By producer id. */
  readonly pending = new Map<number, Map<TopicPartitionKey, StoredOffset>>();
}

/** An offset as a checkpoint keeps it. */
export interface KeptOffset extends CommittedOffset {
  readonly groupId: string;
  readonly key: TopicPartitionKey;
  readonly committedAtMs: number;
  /** Null: committed. Else the producer whose open transaction commits it. */
  readonly producerId: number | null;
}

/**
 * Checks offsets that somebody wants to commit.
 *
 * @throws {InvalidOffsetError} STREAMS_INVALID_OFFSET · {RecordTooLargeError} STREAMS_RECORD_TOO_LARGE for metadata
 */
export function checkOffsets(offsets: OffsetsToCommit): void {
  for (const [key, { nextOffset, metadata }] of offsets) {
    if (!Number.isSafeInteger(nextOffset) || nextOffset < 0)
      throw new InvalidOffsetError(`${key}: ${nextOffset} is no offset`, { details: { key, nextOffset } });
    const metadataBytes = Buffer.byteLength(metadata);
    if (metadataBytes > MAX_METADATA_BYTES)
      throw new RecordTooLargeError(`${key}: the metadata of an offset has ${metadataBytes} bytes`, {
        details: { key, metadataBytes, maxBytes: MAX_METADATA_BYTES },
        remedy: `Keep the metadata of a committed offset within ${MAX_METADATA_BYTES} bytes.`,
      });
  }
}

export class GroupOffsets {
  /** Woken when pending offsets are decided. */
  readonly waiters = new Waiters();
  private readonly retentionMs: number;
  private readonly groups = new Map<string, Group>();
  private sequence = 0;

  constructor(retentionMs: number) {
    this.retentionMs = retentionMs;
  }

  /** Stores offsets: at once, or as pending in the transaction of a producer. */
  commit(groupId: string, offsets: OffsetsToCommit, producerId: number | null, nowMs: number): void {
    const group = this.groupOf(groupId);
    const target = producerId === null ? group.committed : pendingOf(group, producerId);
    for (const [key, { nextOffset, metadata }] of offsets) {
      this.sequence += 1;
      target.set(key, { nextOffset, metadata, sequence: this.sequence, committedAtMs: nowMs });
    }
  }

  /** Decides what a producer's transaction left pending in a group (G2). */
  resolve(groupId: string, producerId: number, outcome: 'commit' | 'abort', nowMs: number): void {
    const group = this.groupOf(groupId);
    const pending = group.pending.get(producerId);
    if (pending === undefined) return;
    group.pending.delete(producerId);
    if (outcome === 'commit') {
      for (const [key, offset] of pending) {
        if ((group.committed.get(key)?.sequence ?? 0) < offset.sequence)
          group.committed.set(key, { ...offset, committedAtMs: nowMs });
      }
    }
    this.waiters.wakeAll();
  }

  /** Whether an open transaction commits one of these (G1). */
  isPending(groupId: string, keys: readonly TopicPartitionKey[]): boolean {
    const group = this.groups.get(groupId);
    if (group === undefined) return false;
    for (const pending of group.pending.values()) if (keys.some((key) => pending.has(key))) return true;
    return false;
  }

  /** The committed offset, unless there is none or it expired. */
  committed(groupId: string, key: TopicPartitionKey, nowMs: number): CommittedOffset | undefined {
    const group = this.groups.get(groupId);
    const stored = group?.committed.get(key);
    if (group === undefined || stored === undefined) return undefined;
    if (nowMs - stored.committedAtMs >= this.retentionMs) {
      group.committed.delete(key);
      return undefined;
    }
    return { nextOffset: stored.nextOffset as Offset, metadata: stored.metadata };
  }

  /** Committed offsets of these partitions were deleted; pending ones stay, and so does who waits for them. */
  forget(groupId: string, keys: readonly TopicPartitionKey[]): void {
    for (const key of keys) this.groups.get(groupId)?.committed.delete(key);
  }

  /** A topic was deleted: its offsets go with it, as in Kafka. */
  forgetTopic(topic: string): void {
    for (const group of this.groups.values()) {
      for (const offsets of [group.committed, ...group.pending.values()]) {
        for (const key of [...offsets.keys()]) if (parseTopicPartitionKey(key).topic === topic) offsets.delete(key);
      }
    }
    this.waiters.wakeAll();
  }

  /** All offsets in the order of their commits, for a checkpoint. */
  all(): readonly KeptOffset[] {
    const kept: (KeptOffset & { readonly sequence: number })[] = [];
    for (const [groupId, group] of this.groups) {
      for (const [key, offset] of group.committed) kept.push({ ...offset, groupId, key, producerId: null });
      for (const [producerId, pending] of group.pending)
        for (const [key, offset] of pending) kept.push({ ...offset, groupId, key, producerId });
    }
    return kept.sort((a, b) => a.sequence - b.sequence);
  }

  private groupOf(groupId: string): Group {
    let group = this.groups.get(groupId);
    if (group === undefined) {
      group = new Group();
      this.groups.set(groupId, group);
    }
    return group;
  }
}

function pendingOf(group: Group, producerId: number): Map<TopicPartitionKey, StoredOffset> {
  let pending = group.pending.get(producerId);
  if (pending === undefined) {
    pending = new Map();
    group.pending.set(producerId, pending);
  }
  return pending;
}
