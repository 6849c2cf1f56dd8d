/**
 * How long the changelogs are: what a copy lacks is told by their ends as they are now, not as its member last saw them. Read
 * where a placement is to be made, and only then.
 *
 *   F1  what can not be read keeps no tick from going on: then nobody knows how far copies lack behind, and tasks are placed by
 *       who had them (`lagsUnknown`); the next tick asks again
 *   F2  nobody waits for the answer for longer than {@link PATIENCE_MS}, or a quarter of the session time-out: the dead are to be
 *       replaced meanwhile
 */
import type { Host } from '../host/host.js';
import { changelogEnds } from '../log/changelog-ends.js';
import type { LogReader, OffsetStore, TopicDescription } from '../log/log.js';
import { asStreamsError } from '../model/errors.js';
import { type Offset, offset } from '../model/offset.js';
import { type TopicPartitionKey, topicPartitionKey } from '../model/topic-partition.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { ObservedChangelog } from './state.js';

/** Partitions that one call asks for. */
export const PARTITIONS_PER_CALL = 2_000;
/** Longest wait for all answers. */
export const PATIENCE_MS = 5_000;

export interface ObserveChangelogs {
  readonly app: StreamsApp;
  readonly log: Pick<LogReader, 'listOffsets'> & Pick<OffsetStore, 'committedOffsets'>;
  readonly host: Pick<Host, 'clock' | 'logger'>;
  readonly tasks: readonly TaskSpec[];
  readonly topics: ReadonlyMap<string, TopicDescription>;
}

/**
 * Starts and ends of the changelogs of these tasks; null if they could not be read in time. One whose topic is not there yet is
 * empty.
 */
export async function observeChangelogs(
  question: ObserveChangelogs,
): Promise<ReadonlyMap<TopicPartitionKey, ObservedChangelog> | null> {
  const { app, host } = question;
  const { clock, logger } = host;
  const waiting = new AbortController();
  const patienceMs = Math.min(PATIENCE_MS, app.settings.sessionTimeoutMs / 4);
  const late = clock.sleep(patienceMs, waiting.signal).then(
    () => ({ code: 'late', message: `no answer within ${patienceMs} ms` }),
    () => ({ code: 'late', message: 'not waited for' }),
  );
  const reading = readAll(question).catch((thrown: unknown) => {
    const { code, message } = asStreamsError(thrown);
    return { code, message };
  });
  const answer = await Promise.race([reading, late]);
  waiting.abort();
  if (answer instanceof Map) return answer;
  const { code, message } = answer as { readonly code: string; readonly message: string };
  logger.warn('changelog-ends-unknown', { code, message });
  return null;
}

async function readAll({
  app,
  log,
  tasks,
  topics,
}: ObserveChangelogs): Promise<ReadonlyMap<TopicPartitionKey, ObservedChangelog>> {
  const changelogs = new Map(tasks.flatMap((task) => task.changelogs).map((at) => [topicPartitionKey(at), at]));
  const existing = [...changelogs.values()].filter(({ topic, partition }) => isThere(topics.get(topic), partition));
  const observed = new Map<TopicPartitionKey, ObservedChangelog>();
  for (const key of changelogs.keys()) observed.set(key, { startOffset: offset(0), endOffset: offset(0) });
  for (let from = 0; from < existing.length; from += PARTITIONS_PER_CALL) {
    const batch = existing.slice(from, from + PARTITIONS_PER_CALL);
    const [starts, ends] = await Promise.all([
      log.listOffsets(batch, 'earliest'),
      changelogEnds(log, app.applicationId, batch),
    ]);
    for (const at of batch) {
      const key = topicPartitionKey(at);
      const startOffset = starts.get(key) ?? offset(0);
      observed.set(key, { startOffset, endOffset: atLeast(startOffset, ends.get(key)) });
    }
  }
  return observed;
}

function isThere(topic: TopicDescription | undefined, partition: number): boolean {
  return topic !== undefined && partition < topic.partitions;
}

function atLeast(start: Offset, end: Offset | undefined): Offset {
  return end === undefined || end < start ? start : end;
}
