import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { taskId } from '../../../lib/model/task-id.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import type { StreamRecord } from '../../../lib/processor/stream-record.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { StoreWrite } from '../../../lib/state/byte-store.js';
import { createStores } from '../../../lib/state/create-stores.js';
import type { SessionStore, VersionedKeyValueStore, WindowStore } from '../../../lib/state/state-store.js';
import { createStreamTask } from '../../../lib/task/create-task.js';
import type { StreamTask } from '../../../lib/task/stream-task.js';
import { defineApp } from '../../../lib/topology/app.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { sessionStore, versionedStore, windowStore } from '../../../lib/topology/windowed-stores.js';
import { compacted, listed } from '../../support/windowed-stores.js';

const RETENTION_MS = 100;
const STORES = ['windows', 'joined', 'sessions', 'versions'];

/** Writes every record to a store of each kind (a value `-` deletes), and forwards all that it then reads. */
class Witness implements Processor<string, string, string, string> {
  private context!: ProcessorContext<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.context = context;
  }

  async process(record: StreamRecord<string, string>): Promise<void> {
    const { key, timestampMs } = record;
    const value = record.value === '-' ? null : record.value;
    const windows = this.context.getStateStore<WindowStore<string, string>>('windows');
    const joined = this.context.getStateStore<WindowStore<string, string>>('joined');
    const sessions = this.context.getStateStore<SessionStore<string, string>>('sessions');
    const versions = this.context.getStateStore<VersionedKeyValueStore<string, string>>('versions');
    await windows.put(key, value, timestampMs);
    await joined.put(key, value, timestampMs);
    await sessions.put({ key, window: { startMs: timestampMs, endMs: timestampMs } }, value);
    const put = await versions.put(key, value, timestampMs);
    const seen = [
      await listed(windows.all()),
      await listed(joined.all()),
      await listed(sessions.fetchRange(null, null)),
      put,
      await versions.get(key),
      await versions.get(key, Math.max(0, timestampMs - 1)),
    ];
    await this.context.forward(record.withValue(JSON.stringify(seen)));
  }
}

const serdes = { key: string(), value: string() };
const windows = { ...serdes, windowSize: 10, retention: RETENTION_MS };
const builder = new TopologyBuilder()
  .addSource('in', 'in', serdes)
  .addProcessor('witness', () => new Witness(), { parents: 'in' })
  .addStateStore(windowStore({ ...windows, name: 'windows' }), 'witness')
  .addStateStore(windowStore({ ...windows, name: 'joined', retainDuplicates: true }), 'witness')
  .addStateStore(sessionStore({ ...serdes, name: 'sessions', retention: RETENTION_MS }), 'witness')
  .addStateStore(versionedStore({ ...serdes, name: 'versions', historyRetention: RETENTION_MS }), 'witness')
  .addSink('out', 'out', { parents: 'witness', ...serdes });
const app = defineApp({ applicationId: 'app', topology: builder.build() });

interface Input {
  readonly key: string;
  readonly value: string;
  readonly timestampMs: number;
}
type Committed = ReadonlyMap<TopicPartitionKey, { readonly nextOffset: Offset; readonly metadata: string }>;
type Stores = ReturnType<typeof createStores>;

async function open(stores: Stores, committed: Committed, inputs: readonly Input[]): Promise<StreamTask> {
  const partitionCounts = new Map([['out', 1]]);
  const task = createStreamTask({ app, taskId: taskId(0, 0), partitionCounts, stores, committed, nowMs: 0 });
  await task.init();
  const from = committed.get(topicPartitionKey({ topic: 'in', partition: 0 }))?.nextOffset ?? 0;
  const records = new RecordSetBuilder();
  for (const [offset, { key, value, timestampMs }] of inputs.entries())
    if (offset >= from) records.append(Buffer.from(key), Buffer.from(value), timestampMs, [], offset);
  const end = inputs.length as Offset;
  task.addRecords({ topic: 'in', partition: 0, records: records.build(), nextOffset: end, endOffset: end });
  return task;
}

/** What the cleaner may leave of a changelog: of versions it keeps all that could still be asked for. */
function cleaned(store: string, log: readonly StoreWrite[]): readonly StoreWrite[] {
  return store === 'versions' ? log : compacted(log);
}

/** Processes all, committing after each `step` records; with `restart` by a new task each time, from what the cleaner leaves. */
async function run(inputs: readonly Input[], step: number, restart: boolean) {
  let stores = createStores(app.topology.stores.values());
  let committed: Committed = new Map();
  const logs = new Map<string, StoreWrite[]>(STORES.map((store) => [store, []]));
  const written: (string | undefined)[] = [];
  const changelog: string[] = [];
  let task = await open(stores, committed, inputs);
  for (let left = inputs.length; left > 0; left -= step) {
    await task.process(0, step);
    const output = await task.seal();
    for (const store of stores.values()) store.commit();
    committed = new Map([...committed, ...output.offsets]);
    for (const [topic, set] of output.changelogs) {
      for (const { key, value, timestampMs } of set) {
        const name = STORES.find((store) => topic.startsWith(`app-${store}-changelog`)) ?? '';
        logs.get(name)?.push({ key: Buffer.from(key ?? []).toString('latin1') as never, value, timestampMs });
        changelog.push(`${name} ${Buffer.from(key ?? []).toString('hex')} ${value?.toString()} ${timestampMs}`);
      }
    }
    for (const set of output.outputs.values()) for (const record of set) written.push(record.value?.toString());
    if (!restart) continue;
    await task.process(0, 1); // aborted: nothing of it may be seen
    await task.close();
    stores = createStores(app.topology.stores.values());
    for (const [store, log] of logs) for (const write of cleaned(store, log)) stores.get(store)?.restore(write);
    task = await open(stores, committed, inputs);
  }
  return { written, changelog: changelog.sort() };
}

test('windowed stores cut at any record, aborted and restored from a cleaned log, are those of a run in one go (trap 27)', async () => {
  const input: fc.Arbitrary<Input> = fc.record({
    key: fc.constantFrom('x', 'y'),
    value: fc.constantFrom('1', '2', '-'),
    timestampMs: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 300_000 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(input, { maxLength: 14 }), fc.integer({ min: 1, max: 3 }), async (inputs, step) => {
      expect(await run(inputs, step, true)).toEqual(await run(inputs, step, false));
    }),
    { numRuns: 80 },
  );
});
