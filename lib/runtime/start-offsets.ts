/**
 * Where a task's inputs begin.
 *
 * Invariants (docs/design.md §4)
 *   O1  a committed offset is where its input goes on, whatever else is known
 *   O2  the reset policy is for first starts only: a task that has worked takes a missing offset from its last clean release,
 *       if nobody held the lease since and the topic is the same, or stops with STREAMS_LOST_OFFSETS
 *   O3  an input that never held a record may start at 0 at any time: nothing can be skipped or repeated
 *   O4  what a first start chose is committed before the first record is processed: a crash can not choose twice
 */
import type { RecordedOffset, RecordedOffsets } from '../leases/records.js';
import type { CommittedOffset, Log } from '../log/log.js';
import { LostOffsetsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import { type StreamsApp, topicName } from '../topology/app.js';
import type { OffsetReset } from '../topology/node.js';

export interface StartOffsets {
  readonly offsets: ReadonlyMap<TopicPartitionKey, CommittedOffset>;
  /** Whether nothing says that the task has ever worked. */
  readonly isFirstStart: boolean;
  /** Whether some of them are not committed yet (O4). */
  readonly mustCommit: boolean;
}

export interface StartQuestion {
  readonly app: StreamsApp;
  readonly log: Log;
  readonly inputs: readonly TopicPartition[];
  /** Offsets of the lease's last clean release; null if there was none. */
  readonly recorded: RecordedOffsets | null;
  /** Whether nobody has held the lease since that release. */
  readonly recordedAreFresh: boolean;
}

/**
 * Reads or chooses the start of each input. Ask only after the fence: what is read before it may be rewound (traps 8).
 *
 * @throws {LostOffsetsError} STREAMS_LOST_OFFSETS
 */
export async function startOffsets(question: StartQuestion): Promise<StartOffsets> {
  const { app, log, inputs, recorded, recordedAreFresh } = question;
  const committed = await log.committedOffsets(app.applicationId, inputs);
  const offsets = new Map(committed);
  const isFirstStart = committed.size === 0 && recorded === null;
  for (const input of inputs) {
    const key = topicPartitionKey(input);
    if (offsets.has(key)) continue;
    const released = recordedAreFresh ? recorded?.[key] : undefined;
    if (released !== undefined && (await isOfThisTopic(log, input.topic, released)))
      offsets.set(key, { nextOffset: released.nextOffset, metadata: released.metadata });
    else offsets.set(key, { nextOffset: await chosenStart(question, input, isFirstStart), metadata: '' });
  }
  return { offsets, isFirstStart, mustCommit: committed.size < offsets.size };
}

/** Deleting a topic takes its committed offsets along; the recorded ones would point into whatever has its name now (traps 25). */
async function isOfThisTopic(log: Log, topic: string, { topicId }: RecordedOffset): Promise<boolean> {
  if (topicId === undefined) return true;
  return (await log.describeTopics([topic])).get(topic)?.topicId === topicId;
}

async function chosenStart(question: StartQuestion, input: TopicPartition, isFirstStart: boolean): Promise<Offset> {
  const { app, log } = question;
  const key = topicPartitionKey(input);
  const earliest = await offsetOf(log, input, 'earliest');
  if (isFirstStart) {
    return resetPolicy(app, input.topic) === 'earliest' ? earliest : offsetOf(log, input, 'lastStable');
  }
  const end = await offsetOf(log, input, 'highWatermark');
  if (end === 0) return earliest;
  throw new LostOffsetsError(`no committed offset for ${key} although the task has worked before`, {
    details: { ...input, groupId: app.applicationId, logStartOffset: earliest, endOffset: end },
  });
}

async function offsetOf(log: Log, at: TopicPartition, spec: 'earliest' | 'highWatermark' | 'lastStable') {
  const found = (await log.listOffsets([at], spec)).get(topicPartitionKey(at));
  return found ?? (0 as Offset);
}

/** The reset policy of a topic: its source's own, else the setting; repartition topics are always read from their start. */
export function resetPolicy(app: StreamsApp, topic: string): OffsetReset {
  for (const node of app.topology.nodes.values()) {
    if (node.kind !== 'source') continue;
    const name = node.topics.find((written) => topicName(app, written) === topic);
    if (name === undefined) continue;
    if (app.topology.repartitionTopics.has(name)) return 'earliest';
    return node.offsetReset ?? app.settings.autoOffsetReset;
  }
  return app.settings.autoOffsetReset;
}
