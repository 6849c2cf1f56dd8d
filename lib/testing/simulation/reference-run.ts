/**
 * The tasks of a reference in one process: what they are given, the rounds in which they process it, and what they have written.
 *
 * Records that the tasks write are numbered as a log without transactions would, unless gaps are asked for: where a transaction's
 * marker stands is for the run to say.
 */
import { InternalError } from '../../model/errors.js';
import type { Offset } from '../../model/offset.js';
import { RecordSet } from '../../model/record-set.js';
import { RecordSetBuilder } from '../../model/record-set-builder.js';
import { parseTopicPartitionKey, type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import type { TransactionalStore } from '../../state/byte-store.js';
import { createStores } from '../../state/create-stores.js';
import { createStreamTask } from '../../task/create-task.js';
import type { StreamTask } from '../../task/stream-task.js';
import type { StreamsApp } from '../../topology/app.js';
import type { TaskSpec } from '../../topology/resolve-partitions.js';
import { subTopologyOf } from '../../topology/topology.js';
import { ReferenceGlobals } from './reference-globals.js';
import type { ScenarioInput } from './scenario.js';
import type { SubjectMap } from './subject-map.js';

/** Rounds after which a topology counts as one that feeds itself for ever. */
const MAX_ROUNDS = 1_000;
const SLICE_RECORDS = 1_000_000;

export interface Reference {
  /** Records written to each partition of each topic, changelogs included, in order. */
  readonly records: ReadonlyMap<TopicPartitionKey, readonly RecordSet[]>;
  /** Content of each store, by the partition of its changelog: values by key, both as bytes, one character a byte. */
  readonly stores: ReadonlyMap<TopicPartitionKey, ReadonlyMap<string, string>>;
}

export interface ReferenceTask {
  readonly spec: TaskSpec;
  readonly task: StreamTask;
  readonly stores: ReadonlyMap<string, TransactionalStore>;
}

export interface ReferenceRunOptions {
  readonly statestoreCacheMaxBytes: number;
  readonly startMs: number;
  /** Whether tasks stand in the contrary order. */
  readonly isReversed: boolean;
  /** Offsets left out behind each commit in the partitions that it writes to. */
  readonly gap: number;
  readonly offsetOf: (input: ScenarioInput) => number | undefined;
  /** Makes the application of one task: its memory is its own. */
  readonly createApp: () => StreamsApp;
}

export class ReferenceRun {
  readonly tasks: readonly ReferenceTask[];
  nowMs: number;
  private readonly globals: ReferenceGlobals;
  private readonly records = new Map<TopicPartitionKey, RecordSet[]>();
  /** Next offsets of what is given. */
  private readonly ends = new Map<TopicPartitionKey, number>();
  /** Next offsets of what the tasks have been given. */
  private readonly positions = new Map<TopicPartitionKey, number>();
  /** By input partition: sets that its task has not been given yet. */
  private readonly waiting = new Map<TopicPartitionKey, RecordSet[]>();
  private readonly options: ReferenceRunOptions;

  constructor(map: SubjectMap, options: ReferenceRunOptions) {
    this.options = options;
    const { startMs: nowMs, statestoreCacheMaxBytes } = options;
    this.nowMs = nowMs;
    const { partitionCounts } = map;
    // A task that waited for an input that may still come would wait for ever: time stands still here.
    const settings = { ...map.app.settings, statestoreCacheMaxBytes, maxTaskIdleMs: 0 };
    const createApp = () => ({ ...options.createApp(), settings });
    this.globals = new ReferenceGlobals(createApp(), nowMs);
    const { stores: globalStores } = this.globals;
    const specs = options.isReversed ? [...map.tasks].reverse() : map.tasks;
    this.tasks = specs.map((spec) => {
      const app = createApp();
      const names = subTopologyOf(app.topology, spec.subTopology)?.stores ?? [];
      const stores = createStores(names.flatMap((name) => app.topology.stores.get(name) ?? []));
      const { taskId } = spec;
      const init = { app, taskId, partitionCounts, stores, globalStores, committed: new Map(), nowMs };
      return { spec, stores, task: createStreamTask(init) };
    });
    for (const { spec } of this.tasks) for (const input of spec.inputs) this.waiting.set(topicPartitionKey(input), []);
  }

  async init(): Promise<void> {
    await this.globals.init();
    for (const { task } of this.tasks) await task.init();
  }

  async close(): Promise<Reference> {
    for (const { task } of this.tasks) await task.close();
    await this.globals.close();
    return { records: this.records, stores: this.contents() };
  }

  /** Puts input where its tasks find it. */
  async feed(inputs: readonly ScenarioInput[]): Promise<void> {
    const builders = new Map<TopicPartitionKey, RecordSetBuilder>();
    for (const input of inputs) {
      const key = topicPartitionKey(input);
      const builder = builders.get(key) ?? new RecordSetBuilder();
      builders.set(key, builder);
      const offset = Math.max(this.ends.get(key) ?? 0, this.options.offsetOf(input) ?? 0);
      builder.append(input.key, input.value, input.timestampMs, undefined, offset);
      this.ends.set(key, offset + 1);
    }
    for (const [key, builder] of builders) await this.give(key, builder.build());
  }

  /** Lets all tasks go on until nothing is left to do. */
  async processAll(): Promise<void> {
    let rounds = 0;
    while (await this.round()) {
      rounds += 1;
      if (rounds > MAX_ROUNDS) throw new InternalError('the input keeps the topology busy for ever');
    }
  }

  /** Lets one task process what waits for it, without a commit. */
  async process({ spec, task }: ReferenceTask): Promise<void> {
    if (!this.hasNews(spec)) return;
    for (const input of spec.inputs) this.offer(task, topicPartitionKey(input));
    await task.process(this.nowMs, SLICE_RECORDS);
  }

  async commit({ task, stores }: ReferenceTask): Promise<void> {
    const output = await task.seal();
    for (const store of stores.values()) store.commit();
    for (const [key, set] of [...output.outputs, ...output.changelogs]) await this.written(key, set);
  }

  /** @returns whether there was anything to do */
  private async round(): Promise<boolean> {
    let worked = false;
    for (const each of this.tasks) {
      if (!this.hasNews(each.spec) && !each.task.hasUncommitted) continue;
      worked = true;
      await this.process(each);
      await this.commit(each);
    }
    return worked;
  }

  private hasNews({ inputs }: TaskSpec): boolean {
    return inputs.some((input) => (this.waiting.get(topicPartitionKey(input)) ?? []).length > 0);
  }

  /** Also where there is nothing: without that news the other inputs are held back. */
  private offer(task: StreamTask, key: TopicPartitionKey): void {
    const builder = new RecordSetBuilder();
    let end = this.positions.get(key) ?? 0;
    for (const set of this.waiting.get(key) ?? [])
      for (const { key: recordKey, value, timestampMs, headers, offset } of set) {
        builder.append(recordKey, value, timestampMs, headers, offset);
        end = offset + 1;
      }
    this.waiting.set(key, []);
    this.positions.set(key, end);
    const nextOffset = end as Offset;
    task.addRecords({ ...parseTopicPartitionKey(key), records: builder.build(), nextOffset, endOffset: nextOffset });
  }

  private async written(key: TopicPartitionKey, set: RecordSet): Promise<void> {
    if (set.size === 0) return;
    const from = this.ends.get(key) ?? 0;
    const numbered = new RecordSet({ ...set, offsets: Float64Array.from({ length: set.size }, (_, at) => from + at) });
    this.ends.set(key, from + set.size + this.options.gap);
    const before = this.records.get(key);
    if (before === undefined) this.records.set(key, [numbered]);
    else before.push(numbered);
    await this.give(key, numbered);
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
