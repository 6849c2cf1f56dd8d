/**
 * A copy is the fold of its changelog: whenever one says that it is at the end, it holds what was committed below its position, no
 * more and no less, whatever happened to it. And who copies writes nothing: only who has taken a task's lease writes objects of it.
 */
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { KeptStore } from '../../../runtime/kept-stores.js';
import type { TaskChangelog } from '../../../topology/resolve-partitions.js';
import type { SimulatedProcess } from '../simulated-process.js';
import type { CheckedRun, Checker } from './checker.js';
import { contentDiffers, foldOf, type StoreContent, storeEntry } from './store-contents.js';
import { stillHeld, storeTimes } from './store-times.js';

export const copiesEqualChangelog: Checker = {
  name: 'copies-equal-changelog',
  watch(run) {
    const copies = new Copies(run);
    hearWrites(run);
    return { sample: () => copies.sample() };
  },
};

/** A copy as it was at one moment. */
interface Seen {
  readonly process: SimulatedProcess;
  readonly kept: Pick<KeptStore, 'taskId' | 'nextOffset'>;
  readonly changelog: TaskChangelog;
  readonly content: StoreContent;
}

class Copies {
  private readonly run: CheckedRun;
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
    await witness.committed.settle();
    for (const copy of seen) this.compare(copy);
  }

  private see(process: SimulatedProcess, kept: KeptStore): Seen | null {
    const { cloud, witness } = this.run;
    const { taskId, nextOffset, store } = kept;
    const changelog = witness.map.task(taskId)?.changelogs.find((each) => each.store === store.name);
    if (changelog?.internal !== true || kept.endOffset !== nextOffset) return null;
    const key = topicPartitionKey(changelog);
    if (cloud.harms.partitions.has(key) || witness.committed.incomplete.has(key)) return null;
    const name = `${process.name} ${taskId} ${store.name}`;
    if (this.looked.get(name) === nextOffset) return null;
    this.looked.set(name, nextOffset);
    const entries = [...store.committed()].map(
      (entry) => [entry.key as string, storeEntry(entry.timestampMs, entry.value)] as const,
    );
    return { process, kept: { taskId, nextOffset }, changelog, content: new Map(entries) };
  }

  private compare({ process, kept: { taskId, nextOffset }, changelog, content }: Seen): void {
    const { cloud, witness, wrong } = this.run;
    const spec = cloud.app.topology.stores.get(changelog.store);
    const key = topicPartitionKey(changelog);
    const records = witness.committed.records(key).filter(({ offset }) => offset < nextOffset);
    const times = storeTimes(spec, records);
    const what = contentDiffers(stillHeld(content, times), stillHeld(foldOf(records, spec), times));
    if (what !== null)
      wrong(`the copy of ${changelog.store} of ${taskId} in ${process.name} at ${nextOffset}: ${what}`);
  }
}

/** Objects are named `<application>/<task>/<store>/…`. */
function hearWrites({ cloud, wrong }: CheckedRun): void {
  const taken = new Set<string>();
  cloud.listen(({ port, method, args, process, ok }) => {
    if (!ok || process.runs !== 'task') return;
    if (port === 'leases' && method === 'takeLease')
      taken.add(`${process.name} ${(args[0] as { readonly taskId: string }).taskId}`);
    if (port !== 'snapshots' || !/^(create|put|write)/.test(method)) return;
    const taskId = String(args[0]).split('/')[1] ?? '';
    if (!taken.has(`${process.name} ${taskId}`))
      wrong(`${process.name} writes ${String(args[0])}, and has never had the lease of ${taskId}`);
  });
}
