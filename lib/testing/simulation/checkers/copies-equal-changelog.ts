/**
 * A copy is the fold of its changelog: whenever one says that it is at the end, it holds what was committed below its position, no
 * more and no less, whatever happened to it. One thing it may hold beyond that: what its own task had committed before it was left here,
 * where somebody else's transaction hung open below (K1 of runtime/kept-stores.ts). Its tail brings the same again. And who copies writes
 * nothing: only who has taken a task's lease writes objects of it.
 */

import type { Offset } from '../../../model/offset.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { KeptStore } from '../../../runtime/kept-stores.js';
import { LazyStore } from '../../../state/lazy-store.js';
import type { TaskChangelog } from '../../../topology/resolve-partitions.js';
import type { Effect } from '../simulated-ports.js';
import type { SimulatedProcess } from '../simulated-process.js';
import type { CheckedRun, Checker } from './checker.js';
import { contentDiffers, foldOf, type StoreContent, storeEntry } from './store-contents.js';
import { stillHeld, storeTimes } from './store-times.js';
import { asStored } from './stored-record.js';

export const copiesEqualChangelog: Checker = {
  name: 'copies-equal-changelog',
  watch(run) {
    const copies = new Copies(run);
    hearWrites(run);
    return { sample: () => copies.sample(), ended: () => copies.ended() };
  },
};

/** A copy as it was at one moment. */
interface Seen {
  readonly process: SimulatedProcess;
  readonly kept: Pick<KeptStore, 'taskId' | 'nextOffset'>;
  readonly changelog: TaskChangelog;
  readonly content: StoreContent;
}

/** A copy that is not the fold below its position; whether it is one with what lay beyond shows when all of that can be read. */
interface Doubt extends Seen {
  /** Virtual milliseconds at which it was seen. */
  readonly atMs: number;
  /** What is wrong unless it knows of commits beyond its position, in words. */
  readonly what: string;
  /** Changelog end then, open transactions included (exclusive). */
  readonly writtenTo: Offset;
}

class Copies {
  private readonly run: CheckedRun;
  private readonly doubts: Doubt[] = [];
  /** By process and store: the position that was looked at last. */
  private readonly looked = new Map<string, number>();

  constructor(run: CheckedRun) {
    this.run = run;
  }

  async sample(): Promise<void> {
    const { cloud, witness } = this.run;
    const tasks = cloud.platform.running.filter(({ runs, isDead }) => runs === 'task' && !isDead);
    const seen = tasks.flatMap((process) => process.kept.all().flatMap((kept) => this.see(process, kept) ?? []));
    if (seen.length === 0) return;
    // What was committed behind somebody else's open transaction could not be read when it was.
    for (const { changelog } of seen) witness.committed.look(topicPartitionKey(changelog));
    // The embedded log answers with what it holds at the moment of the call.
    const written = cloud.log.listOffsets(
      seen.map(({ changelog }) => changelog),
      'highWatermark',
    );
    await witness.committed.settle();
    for (const copy of seen) this.compare(copy, await written);
  }

  async ended(): Promise<void> {
    for (const doubt of this.doubts) {
      const { process, kept, changelog, atMs, what } = doubt;
      if (this.isUnknown(topicPartitionKey(changelog)) || this.knowsWhatLiesBeyond(doubt)) continue;
      const copy = `the copy of ${changelog.store} of ${kept.taskId} in ${process.name} at ${kept.nextOffset}`;
      this.run.wrong(`${copy}, seen at ${Math.round(atMs)} ms: ${what}`);
    }
  }

  /** Whether each key is as below the position, or as committed later, by when the copy was seen. */
  private knowsWhatLiesBeyond({ kept: { nextOffset }, changelog, content, writtenTo }: Doubt): boolean {
    const { cloud, witness } = this.run;
    const spec = cloud.app.topology.stores.get(changelog.store);
    const all = witness.committed.records(topicPartitionKey(changelog)).filter(({ offset }) => offset < writtenTo);
    const times = storeTimes(spec, all);
    const seen = stillHeld(content, times);
    const below = all.filter(({ offset }) => offset < nextOffset);
    const known = new Map([...stillHeld(foldOf(below, spec), times)]);
    for (const record of all.slice(below.length)) {
      const key = asStored(record, spec).key;
      if (key === null || known.get(key) === seen.get(key)) continue;
      const value = stillHeld(foldOf([record], spec), times).get(key);
      if (value === seen.get(key)) takeOver(known, key, value);
    }
    return contentDiffers(seen, known) === null;
  }

  private isUnknown(key: TopicPartitionKey): boolean {
    const { cloud, witness } = this.run;
    return cloud.harms.partitions.has(key) || witness.committed.incomplete.has(key);
  }

  private see(process: SimulatedProcess, kept: KeptStore): Seen | null {
    const { witness } = this.run;
    const { taskId, nextOffset, store } = kept;
    const changelog = witness.map.task(taskId)?.changelogs.find((each) => each.store === store.name);
    if (changelog?.internal !== true || kept.endOffset !== nextOffset) return null;
    if (store instanceof LazyStore) return null; // it lies in snapshots, which are read at the end
    const key = topicPartitionKey(changelog);
    if (this.isUnknown(key)) return null;
    const name = `${process.name} ${taskId} ${store.name}`;
    if (this.looked.get(name) === nextOffset) return null;
    this.looked.set(name, nextOffset);
    const entries = [...store.committed()].map(
      (entry) => [entry.key as string, storeEntry(entry.timestampMs, entry.value)] as const,
    );
    return { process, kept: { taskId, nextOffset }, changelog, content: new Map(entries) };
  }

  private compare(seen: Seen, written: ReadonlyMap<TopicPartitionKey, Offset>): void {
    const { cloud, witness } = this.run;
    const { kept, changelog, content } = seen;
    const { nextOffset } = kept;
    const spec = cloud.app.topology.stores.get(changelog.store);
    const key = topicPartitionKey(changelog);
    const records = witness.committed.records(key).filter(({ offset }) => offset < nextOffset);
    const times = storeTimes(spec, records);
    const what = contentDiffers(stillHeld(content, times), stillHeld(foldOf(records, spec), times));
    if (what === null) return;
    this.doubts.push({ ...seen, atMs: cloud.time.nowMs, what, writtenTo: written.get(key) ?? nextOffset });
  }
}

function takeOver(content: Map<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) content.delete(key);
  else content.set(key, value);
}

/** Objects are named `<application>/<task>/<store>/…`. */
function hearWrites({ cloud, wrong }: CheckedRun): void {
  const taken = new Set<string>();
  const hear = ({ method, args, process, ok }: Effect) => {
    if (!ok || process.runs !== 'task') return;
    if (method === 'takeLease') {
      taken.add(`${process.name} ${(args[0] as { readonly taskId: string }).taskId}`);
      return;
    }
    const taskId = String(args[0]).split('/')[1] ?? '';
    if (!taken.has(`${process.name} ${taskId}`))
      wrong(`${process.name} writes ${String(args[0])}, and has never had the lease of ${taskId}`);
  };
  cloud.listen(hear, ['takeLease', 'create']);
}
