/**
 * Where a task's inputs begin.
 *
 * Invariants (docs/design.md §4)
 *   O1  a committed offset is where its input goes on, whatever else is known
 *   O2  the reset policy is for first starts only: a task that has worked takes a missing offset from its last clean release,
 *       if nobody held the lease since and the topic is the same, or stops with STREAMS_LOST_OFFSETS
 *   O3  an input that never held a record may start at 0 at any time: nothing can be skipped or repeated
 *   O4  what a first start chose is committed before the first record is processed: a crash can not choose twice
 *   O5  a committed offset that the task itself has committed is where its input goes on only in the life of the topic that the
 *       lease names (topic-ids.ts); one that a person has set counts in any
 *   O6  an input of a topic that the lease of a task does not name, though it names others, is a first start of its own: a pattern
 *       has come to match the topic since
 */
import type { RecordedOffset, RecordedOffsets } from '../leases/records.js';
import { isOtherLife, isTasksOwn, type TopicLives } from '../leases/topic-lives.js';
import type { CommittedOffset, Log, OffsetSpec } from '../log/log.js';
import { durationMs, isoDurationMs } from '../model/duration.js';
import { LostOffsetsError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { BY_DURATION } from '../model/settings.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import { encodeCommitMetadata } from '../task/commit-metadata.js';
import { type StreamsApp, topicName } from '../topology/app.js';
import type { OffsetReset } from '../topology/offset-reset.js';

/** What is committed beside an offset of which no more is known: it tells it from one that a person has set (O5). */
const OWN_METADATA = encodeCommitMetadata({ partitionTimeMs: -1, processorMetadata: new Uint8Array(0) });

export interface StartOffsets {
  readonly offsets: ReadonlyMap<TopicPartitionKey, CommittedOffset>;
  /** Whether nothing says that the task has ever worked. */
  readonly isFirstStart: boolean;
  /** Whether some of them are not committed yet (O4). */
  readonly mustCommit: boolean;
  /** Whether an input goes on from where the task itself has left it. */
  readonly goesOn: boolean;
}

export interface StartQuestion {
  readonly app: StreamsApp;
  readonly log: Log;
  readonly inputs: readonly TopicPartition[];
  /** Offsets of the lease's last clean release; null if there was none. */
  readonly recorded: RecordedOffsets | null;
  /** Whether nobody has held the lease since that release. */
  readonly recordedAreFresh: boolean;
  /** The ids of the inputs, in the lease and now. */
  readonly lives: TopicLives;
  /** Wall clock, for sources that start by time. */
  readonly nowMs: number;
}

/**
 * Reads or chooses the start of each input. Ask only after the fence: what is read before it may be rewound (traps 8).
 *
 * @throws {LostOffsetsError} STREAMS_LOST_OFFSETS
 */
export async function startOffsets(question: StartQuestion): Promise<StartOffsets> {
  const { app, log, inputs, recorded, recordedAreFresh, lives } = question;
  const committed = await log.committedOffsets(app.applicationId, inputs);
  const offsets = new Map<TopicPartitionKey, CommittedOffset>();
  // The lease names topics only after the first start was committed (O4).
  const isFirstStart = committed.size === 0 && recorded === null && lives.recorded === undefined;
  let goesOn = false;
  for (const input of inputs) {
    const key = topicPartitionKey(input);
    const known = committed.get(key);
    if (known !== undefined) refuseOtherInput(question, input, known);
    const released = recordedAreFresh ? recorded?.[key] : undefined;
    const stands = known ?? (isOfThisTopic(lives, input.topic, released) ? released : undefined);
    if (stands !== undefined && isTasksOwn(stands)) goesOn = true;
    const nextOffset =
      stands?.nextOffset ?? (await chosenStart(question, input, isFirstStart || isNewTopic(lives, input)));
    offsets.set(key, { nextOffset, metadata: stands?.metadata || OWN_METADATA });
  }
  return { offsets, isFirstStart, mustCommit: committed.size < offsets.size, goesOn };
}

/** O6. */
function isNewTopic({ recorded }: TopicLives, { topic }: TopicPartition): boolean {
  return recorded !== undefined && recorded[topic] === undefined;
}

/** O5: a task that ran while its input was deleted and created again has committed its old position in the new topic (traps 25). */
function refuseOtherInput({ app, lives }: StartQuestion, input: TopicPartition, committed: CommittedOffset): void {
  const { topic } = input;
  if (!isTasksOwn(committed) || !isOtherLife(lives, topic)) return;
  throw new LostOffsetsError(`topic '${topic}' was deleted and created again, the committed offset is of the old one`, {
    details: {
      ...input,
      groupId: app.applicationId,
      committedOffset: committed.nextOffset,
      recordedTopicId: lives.recorded?.[topic],
      topicId: lives.current[topic],
    },
  });
}

/** Deleting a topic takes its committed offsets along; the recorded ones would point into whatever has its name now (traps 25). */
function isOfThisTopic({ current }: TopicLives, topic: string, released: RecordedOffset | undefined): boolean {
  return released?.topicId === undefined || released.topicId === current[topic];
}

async function chosenStart(question: StartQuestion, input: TopicPartition, isFirstStart: boolean): Promise<Offset> {
  const { app, log } = question;
  const key = topicPartitionKey(input);
  const earliest = await offsetOf(log, input, 'earliest');
  if (isFirstStart) {
    const policy = resetPolicy(app, input.topic);
    if (policy === 'earliest') return earliest;
    if (policy === 'latest') return offsetOf(log, input, 'lastStable');
    if (policy === 'none') throw noOffset(question, input);
    return offsetOf(log, input, {
      timestampMs: Math.max(0, question.nowMs - durationMs(policy.byDuration, 'byDuration')),
    });
  }
  const end = await offsetOf(log, input, 'highWatermark');
  if (end === 0) return earliest;
  throw new LostOffsetsError(`no committed offset for ${key} although the task has worked before`, {
    details: { ...input, groupId: app.applicationId, logStartOffset: earliest, endOffset: end },
  });
}

/** Kafka: `NoOffsetForPartitionException`. */
function noOffset({ app }: StartQuestion, input: TopicPartition): LostOffsetsError {
  return new LostOffsetsError(
    `no committed offset for ${topicPartitionKey(input)}, and its source starts nowhere by itself`,
    {
      details: { ...input, groupId: app.applicationId, offsetReset: 'none' },
      remedy: 'Commit offsets for the inputs by hand, or give the source another offsetReset.',
    },
  );
}

async function offsetOf(log: Log, at: TopicPartition, spec: OffsetSpec) {
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
    return node.offsetReset ?? resetSetting(app);
  }
  return resetSetting(app);
}

function resetSetting({ settings: { autoOffsetReset: reset } }: StreamsApp): OffsetReset {
  if (reset === 'earliest' || reset === 'latest' || reset === 'none') return reset;
  return { byDuration: isoDurationMs(reset.slice(BY_DURATION.length)) ?? 0 };
}
