import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { taskId } from '../../../lib/model/task-id.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import { StreamRecord } from '../../../lib/processor/stream-record.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { TransactionalStore } from '../../../lib/state/byte-store.js';
import { createStores } from '../../../lib/state/create-stores.js';
import type { KeyValueStore } from '../../../lib/state/state-store.js';
import { createStreamTask } from '../../../lib/task/create-task.js';
import type { StreamTask } from '../../../lib/task/stream-task.js';
import type { TaskOutput } from '../../../lib/task/task-output.js';
import { defineApp } from '../../../lib/topology/app.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';

/** Counts per key, writes the stream time with each count, and speaks up every 10 ms of stream time. */
class Counter implements Processor<string, string, string, string> {
  private context!: ProcessorContext<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.context = context;
    context.schedule(10, 'streamTime', (timestampMs) =>
      context.forward(StreamRecord.of({ key: 'tick', value: String(timestampMs), timestampMs })),
    );
  }

  async process(record: StreamRecord<string, string>): Promise<void> {
    const store = this.context.getStateStore<KeyValueStore<string, number>>('counts');
    const count = ((await store.get(record.key)) ?? 0) + 1;
    await store.put(record.key, count);
    await this.context.forward(record.withValue(`${count} at ${this.context.currentStreamTimeMs()}`));
  }
}

const app = defineApp({
  applicationId: 'app',
  topology: new TopologyBuilder()
    .addSource('a', 'a', { key: string(), value: string() })
    .addSource('b', 'b', { key: string(), value: string() })
    .addProcessor('count', () => new Counter(), { parents: ['a', 'b'] })
    .addStateStore(keyValueStore({ name: 'counts', key: string(), value: long() }), 'count')
    .addSink('out', 'out', { parents: 'count', key: string(), value: string() })
    .build(),
});

interface Input {
  readonly topic: 'a' | 'b';
  readonly key: string;
  readonly timestampMs: number;
}

type Committed = ReadonlyMap<TopicPartitionKey, { readonly nextOffset: Offset; readonly metadata: string }>;

async function open(stores: ReadonlyMap<string, TransactionalStore>, committed: Committed): Promise<StreamTask> {
  const task = createStreamTask({
    app,
    taskId: taskId(0, 0),
    partitionCounts: new Map([['out', 1]]),
    stores,
    committed,
    nowMs: 0,
  });
  await task.init();
  return task;
}

/** Gives a task all that it has not yet committed. */
function feed(task: StreamTask, inputs: readonly Input[], committed: Committed): void {
  for (const topic of ['a', 'b']) {
    const from = committed.get(topicPartitionKey({ topic, partition: 0 }))?.nextOffset ?? 0;
    const builder = new RecordSetBuilder();
    const all = inputs.filter((input) => input.topic === topic);
    for (const [offset, { key, timestampMs }] of all.entries()) {
      if (offset >= from) builder.append(Buffer.from(key), Buffer.from('x'), timestampMs, [], offset);
    }
    const end = all.length as Offset;
    task.addRecords({ topic, partition: 0, records: builder.build(), nextOffset: end, endOffset: end });
  }
}

/**
 * Processes everything, committing after each `step` records; with `restart` by a new task each time, over stores that were
 * rebuilt from the changelog, after a transaction that was aborted.
 */
async function run(inputs: readonly Input[], step: number, restart: boolean): Promise<readonly string[]> {
  let stores = createStores(app.topology.stores.values());
  let committed: Committed = new Map();
  const changelog: TaskOutput['changelogs'][] = [];
  const written: string[] = [];
  let task = await open(stores, committed);
  feed(task, inputs, committed);
  for (let left = inputs.length; left > 0; left -= step) {
    await task.process(0, step);
    const output = await task.seal();
    for (const store of stores.values()) store.commit();
    committed = new Map([...committed, ...output.offsets]);
    changelog.push(output.changelogs);
    for (const set of output.outputs.values()) {
      for (const record of set)
        written.push(`${record.key?.toString()}: ${record.value?.toString()} @${record.timestampMs}`);
    }
    if (!restart) continue;
    await task.process(0, 1); // aborted: nothing of it may be seen
    await task.close();
    stores = replayed(changelog);
    task = await open(stores, committed);
    feed(task, inputs, committed);
  }
  return written;
}

function replayed(changelog: readonly TaskOutput['changelogs'][]): ReadonlyMap<string, TransactionalStore> {
  const stores = createStores(app.topology.stores.values());
  for (const logs of changelog) {
    for (const set of logs.values()) {
      for (const { key, value, timestampMs } of set) {
        const at = Buffer.from(key ?? []).toString('latin1');
        stores.get('counts')?.restore({ key: at as never, value, timestampMs });
      }
    }
  }
  return stores;
}

test('a run that is stopped, aborted and started again after every few records gives what a run in one go gives', async () => {
  const input: fc.Arbitrary<Input> = fc.record({
    topic: fc.constantFrom('a', 'b'),
    key: fc.constantFrom('x', 'y', 'z'),
    timestampMs: fc.nat({ max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(input, { maxLength: 20 }), fc.integer({ min: 1, max: 4 }), async (inputs, step) => {
      expect(await run(inputs, step, true)).toEqual(await run(inputs, inputs.length + 1, false));
    }),
    { numRuns: 100 },
  );
});
