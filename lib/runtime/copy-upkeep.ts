/**
 * What copies have to be told now and then: where their changelogs end, where fetches do not say it, and whether those are the topics still.
 *
 * A broker may leave partitions without news out of an answer, and a copy that waits for committed offsets (C2 of store-copy.ts) asks for nothing:
 * neither would hear how far behind it is, nor that it is at the end still, which is what makes it usable later (D2 of load-store.ts).
 */
import type { Clock } from '../host/host.js';
import { changelogEnds } from '../log/changelog-ends.js';
import { type StreamsError, TopicRecreatedError, UnknownTopicError } from '../model/errors.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import type { StreamsApp } from '../topology/app.js';
import type { RuntimePorts } from './ports.js';
import type { StoreCopy } from './store-copy.js';

/** How often it is looked whether the topics were deleted and created again: not every broker reads by their ids. */
const TOPIC_CHECK_INTERVAL_MS = 10_000;

export interface CopyUpkeepInit {
  readonly app: StreamsApp;
  readonly log: Pick<RuntimePorts['log'], 'listOffsets' | 'committedOffsets' | 'describeTopics'>;
  readonly clock: Clock;
}

/** A copy whose changelog is not there any more. */
export interface GoneCopy {
  readonly copy: StoreCopy;
  readonly error: StreamsError;
}

export class CopyUpkeep {
  private readonly init: CopyUpkeepInit;
  private topicsCheckedAtMs: number;

  constructor(init: CopyUpkeepInit) {
    this.init = init;
    this.topicsCheckedAtMs = init.clock.monotonic();
  }

  /** Does what is due: at most one call of each kind. @returns copies that have to be begun anew @throws {UnavailableError} STREAMS_UNAVAILABLE */
  async turn(copies: readonly StoreCopy[]): Promise<readonly GoneCopy[]> {
    const { app, clock } = this.init;
    const nowMs = clock.monotonic();
    const unheard = copies.filter(({ answeredAtMs }) => nowMs - answeredAtMs >= app.settings.heartbeatIntervalMs);
    if (unheard.length > 0) await this.tellEnds(unheard);
    if (nowMs - this.topicsCheckedAtMs < TOPIC_CHECK_INTERVAL_MS) return [];
    this.topicsCheckedAtMs = nowMs;
    return this.gone(copies);
  }

  private async tellEnds(copies: readonly StoreCopy[]): Promise<void> {
    const { app, log, clock } = this.init;
    const askedAtMs = clock.now();
    const changelogs = copies.map(({ changelog }) => changelog);
    const ends = await changelogEnds(log, app.applicationId, changelogs);
    for (const copy of copies)
      copy.sawEnd(ends.get(topicPartitionKey(copy.changelog)) ?? copy.kept.nextOffset, askedAtMs);
  }

  private async gone(copies: readonly StoreCopy[]): Promise<readonly GoneCopy[]> {
    const described = await this.init.log.describeTopics([...new Set(copies.map(({ changelog }) => changelog.topic))]);
    return copies.flatMap((copy) => {
      const { topic } = copy.changelog;
      const topicId = described.get(topic)?.topicId;
      if (topicId === copy.kept.topicId) return [];
      const details = { topic, wantedTopicId: copy.kept.topicId, topicId };
      const error =
        topicId === undefined
          ? new UnknownTopicError(`changelog ${topic} does not exist`, { details })
          : new TopicRecreatedError(`topic '${topic}' was deleted and created again`, { details });
      return [{ copy, error }];
    });
  }
}
