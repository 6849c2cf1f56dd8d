/**
 * What the outputs and stores of a subject are when nothing can go wrong: its tasks run one after the other over all of the
 * input, in one process, without log, leases, snapshots, transactions, time or any code that moves work about.
 *
 * It shares the operators and stores with what it is compared with, and nothing of the engine: no member, session, commit,
 * restore or assignment. A run of the whole cloud without faults would cost as much as the run that it judges, and share all
 * the engine's faults with it. What the operators do is judged by the oracle of a subject and by the parity tests.
 *
 * Sub-topologies run in rounds until nothing is left: each task is given all of a round's input at once, so that it chooses
 * among its inputs by timestamp, and a round is one commit. Wall-clock timers never fire.
 *
 * In the order `contrary` nothing is as in the other but the order within each partition of an input topic: tasks run the other
 * way round, the last partition of all input comes whole before the one before it, and wall-clock timers fire in between, an
 * hour apart. What both orders agree on is decided by the input; what they do not is decided by timing.
 */
import { InternalError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import type { RecordSet } from '../../model/record-set.js';
import { RecordSetBuilder } from '../../model/record-set-builder.js';
import { parseTopicPartitionKey, type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import type { TransactionalStore } from '../../state/byte-store.js';
import { createStores } from '../../state/create-stores.js';
import { createStreamTask } from '../../task/create-task.js';
import type { StreamTask } from '../../task/stream-task.js';
import type { TaskSpec } from '../../topology/resolve-partitions.js';
import { subTopologyOf } from '../../topology/topology.js';
import { ReferenceGlobals } from './reference-globals.js';
import type { ScenarioInput } from './scenario.js';
import type { SubjectMap } from './subject-map.js';

export interface Reference {
  /** Records written to each partition of each topic, changelogs included, in order. */
  readonly records: ReadonlyMap<TopicPartitionKey, readonly RecordSet[]>;
  /** Content of each store, by the partition of its changelog: values by key, both as bytes, one character a byte. */
  readonly stores: ReadonlyMap<TopicPartitionKey, ReadonlyMap<string, string>>;
}

/** `every`: caches are off, and every update is there · `last`: caches hold everything, and of a round only the last is. */
export type ReferenceUpdates = 'every' | 'last';
export type ReferenceOrder = 'natural' | 'contrary';

/** Rounds after which a topology counts as one that feeds itself for ever. */
const MAX_ROUNDS = 1_000;
const SLICE_RECORDS = 1_000_000;
/** Between two partitions in the contrary order. */
const APART_MS = 3_600_000;

interface ReferenceTask {
  readonly spec: TaskSpec;
  readonly task: StreamTask;
  readonly stores: ReadonlyMap<string, TransactionalStore>;
}

export interface ReferenceOptions {
  readonly updates: ReferenceUpdates;
  /** Wall clock at the start, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Default: `natural`. */
  readonly order?: ReferenceOrder;
}

/** @throws whatever the subject's own code throws on this input */
export async function referenceOf(
  map: SubjectMap,
  inputs: readonly ScenarioInput[],
  options: ReferenceOptions,
): Promise<Reference> {
  return new ReferenceRun(map, options).run(inputs);
}

class ReferenceRun {
  private readonly tasks: readonly ReferenceTask[];
  private readonly globals: ReferenceGlobals;
  private readonly records = new Map<TopicPartitionKey, RecordSet[]>();
  private readonly ends = new Map<TopicPartitionKey, number>();
  /** By input partition: sets that its task has not been given yet. */
  private readonly waiting = new Map<TopicPartitionKey, RecordSet[]>();
  private readonly isContrary: boolean;
  private nowMs: number;

  constructor(map: SubjectMap, { nowMs, updates, order = 'natural' }: ReferenceOptions) {
    this.nowMs = nowMs;
    this.isContrary = order === 'contrary';
    const { app, partitionCounts } = map;
    const statestoreCacheMaxBytes = updates === 'last' ? Number.MAX_SAFE_INTEGER : 0;
    // A task that waited for an input that may still come would wait for ever: time stands still here.
    const settings = { ...app.settings, statestoreCacheMaxBytes, maxTaskIdleMs: 0 };
    this.globals = new ReferenceGlobals({ ...app, settings }, nowMs);
    const { stores: globalStores } = this.globals;
    const specs = this.isContrary ? [...map.tasks].reverse() : map.tasks;
    this.tasks = specs.map((spec) => {
      const names = subTopologyOf(app.topology, spec.subTopology)?.stores ?? [];
      const stores = createStores(names.flatMap((name) => app.topology.stores.get(name) ?? []));
      const { taskId } = spec;
      const init = {
        app: { ...app, settings },
        taskId,
        partitionCounts,
        stores,
        globalStores,
        committed: new Map(),
        nowMs,
      };
      return { spec, stores, task: createStreamTask(init) };
    });
    for (const { spec } of this.tasks) for (const input of spec.inputs) this.waiting.set(topicPartitionKey(input), []);
  }

  async run(inputs: readonly ScenarioInput[]): Promise<Reference> {
    await this.globals.init();
    for (const { task } of this.tasks) await task.init();
    if (this.isContrary) await this.feedContrary(inputs);
    else await this.feedAndProcess(inputs);
    for (const { task } of this.tasks) await task.close();
    await this.globals.close();
    return { records: this.records, stores: this.contents() };
  }

  private async feedAndProcess(inputs: readonly ScenarioInput[]): Promise<void> {
    await this.feed(inputs);
    let rounds = 0;
    while (await this.round()) {
      rounds += 1;
      if (rounds > MAX_ROUNDS) throw new InternalError('the input keeps the topology busy for ever');
    }
  }

  private async feedContrary(inputs: readonly ScenarioInput[]): Promise<void> {
    const partitions = new Map<TopicPartitionKey, ScenarioInput[]>();
    for (const input of inputs) {
      const key = topicPartitionKey(input);
      partitions.set(key, [...(partitions.get(key) ?? []), input]);
    }
    const order = [...partitions.values()].sort((a, b) => (b[0]?.partition ?? 0) - (a[0]?.partition ?? 0));
    for (const part of order) {
      await this.feedAndProcess(part);
      this.nowMs += APART_MS;
      for (const each of this.tasks) {
        await each.task.punctuate(this.nowMs);
        await this.commit(each);
      }
      await this.feedAndProcess([]);
    }
  }

  private async feed(inputs: readonly ScenarioInput[]): Promise<void> {
    const builders = new Map<TopicPartitionKey, RecordSetBuilder>();
    for (const input of inputs) {
      const key = topicPartitionKey(input);
      const builder = builders.get(key) ?? new RecordSetBuilder();
      builders.set(key, builder);
      builder.append(input.key, input.value, input.timestampMs);
    }
    for (const [key, builder] of builders) await this.give(key, builder.build());
  }

  /** @returns whether there was anything to do */
  private async round(): Promise<boolean> {
    let worked = false;
    for (const each of this.tasks) {
      const { spec, task } = each;
      const news = spec.inputs.filter((input) => (this.waiting.get(topicPartitionKey(input)) ?? []).length > 0);
      if (news.length === 0) continue;
      worked = true;
      for (const input of spec.inputs) this.offer(task, topicPartitionKey(input));
      await task.process(this.nowMs, SLICE_RECORDS);
      await this.commit(each);
    }
    return worked;
  }

  private async commit({ task, stores }: ReferenceTask): Promise<void> {
    const output = await task.seal();
    for (const store of stores.values()) store.commit();
    for (const [key, set] of [...output.outputs, ...output.changelogs]) await this.written(key, set);
  }

  /** Also where there is nothing: without that news the other inputs are held back. */
  private offer(task: StreamTask, key: TopicPartitionKey): void {
    const builder = new RecordSetBuilder();
    const from = this.ends.get(key) ?? 0;
    for (const set of this.waiting.get(key) ?? [])
      for (const record of set)
        builder.append(record.key, record.value, record.timestampMs, record.headers, from + builder.size);
    this.waiting.set(key, []);
    const nextOffset = (from + builder.size) as Offset;
    this.ends.set(key, nextOffset);
    task.addRecords({ ...parseTopicPartitionKey(key), records: builder.build(), nextOffset, endOffset: nextOffset });
  }

  private async written(key: TopicPartitionKey, set: RecordSet): Promise<void> {
    if (set.size === 0) return;
    const before = this.records.get(key);
    if (before === undefined) this.records.set(key, [set]);
    else before.push(set);
    await this.give(key, set);
  }

  /** Hands a set on to the task that reads the partition, and to the global store. */
  private async give(key: TopicPartitionKey, set: RecordSet): Promise<void> {
    this.waiting.get(key)?.push(set);
    await this.globals.give(key, set, this.nowMs);
  }

  private contents(): Reference['stores'] {
    const contents = new Map<TopicPartitionKey, ReadonlyMap<string, string>>();
    for (const { spec, stores } of this.tasks) {
      for (const changelog of spec.changelogs) {
        const entries = [...(stores.get(changelog.store)?.committed() ?? [])];
        const content = entries.map(
          ({ key, value }) => [key as string, Buffer.from(value).toString('latin1')] as const,
        );
        contents.set(topicPartitionKey(changelog), new Map(content));
      }
    }
    return contents;
  }
}
