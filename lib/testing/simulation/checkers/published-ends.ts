/**
 * How far changelogs had been written when a snapshot of them was published: what was committed up to there may be in the snapshot
 * although it lies beyond its offset (N2 of runtime/snapshot.ts), where somebody else's transaction hangs open below.
 */

import type { Offset } from '../../../model/offset.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import { storePrefix } from '../../../snapshots/snapshot-names.js';
import type { Effect } from '../simulated-ports.js';
import type { CheckedRun } from './checker.js';

const MANIFEST = /\.manifest$/;

interface Published {
  readonly manifest: string;
  readonly changelog: TopicPartitionKey;
  /** Virtual milliseconds. */
  readonly atMs: number;
  /** Changelog end (exclusive), open transactions included; null: the changelog was gone. */
  readonly end: Promise<Offset | null>;
}

export class PublishedEnds {
  private readonly published: Published[] = [];

  constructor({ cloud, witness }: Pick<CheckedRun, 'cloud' | 'witness'>) {
    const { applicationId } = cloud.app;
    const changelogs = witness.map.tasks.flatMap(({ taskId, changelogs: of }) =>
      of.map(({ store, ...at }) => ({ at, prefix: storePrefix({ applicationId, taskId, store }) })),
    );
    const created = (effect: Effect) => {
      if (!effect.ok || effect.answer !== true) return;
      const manifest = String(effect.args[0]);
      if (!isManifest(manifest)) return;
      const of = changelogs.find(({ prefix }) => manifest.startsWith(prefix));
      if (of === undefined) return;
      const changelog = topicPartitionKey(of.at);
      // The embedded log answers with what it holds at the moment of the call.
      const end = cloud.log.listOffsets([of.at], 'highWatermark').then(
        (ends) => ends.get(changelog) ?? null,
        () => null,
      );
      this.published.push({ manifest, changelog, atMs: cloud.time.nowMs, end });
    };
    cloud.listen(created, ['create']);
  }

  /** The end when this manifest was published; null: it was not seen, or the changelog was gone. */
  async ofManifest(name: string): Promise<Offset | null> {
    return (await this.published.find(({ manifest }) => manifest === name)?.end) ?? null;
  }

  /** The greatest end at which a snapshot of a changelog was published, at a moment or before; null: there was none. */
  async until(changelog: TopicPartitionKey, atMs: number): Promise<Offset | null> {
    const ends = await Promise.all(
      this.published.filter((one) => one.changelog === changelog && one.atMs <= atMs).map(({ end }) => end),
    );
    return ends.reduce((greatest, end) => (end !== null && end > (greatest ?? -1) ? end : greatest), null);
  }
}

export function isManifest(name: string): boolean {
  return MANIFEST.test(name);
}
