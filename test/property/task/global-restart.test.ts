import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import type { StreamRecord } from '../../../lib/processor/stream-record.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { TransactionalStore } from '../../../lib/state/byte-store.js';
import { createStores } from '../../../lib/state/create-stores.js';
import type { KeyValueStore, WindowStore } from '../../../lib/state/state-store.js';
import { createGlobalTask } from '../../../lib/task/global-task.js';
import { defineApp, type StreamsApp } from '../../../lib/topology/app.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { windowStore } from '../../../lib/topology/windowed-stores.js';

const text = { key: string(), value: string() };

/** Writes what follows from all records so far: one that is applied twice, or not at all, shows for ever. */
class Appending implements Processor<string, string> {
  private store!: KeyValueStore<string, string>;

  init(context: ProcessorContext): void {
    this.store = context.getStateStore('global');
  }

  async process({ key, value, timestampMs }: StreamRecord<string, string>): Promise<void> {
    if (value === null) return void (await this.store.delete(key));
    await this.store.put(key, `${(await this.store.get(key)) ?? ''}|${value}@${timestampMs}`);
  }
}

/** Writes at once, to a store that lets go by its own time. */
class Windowing implements Processor<string, string> {
  private store!: WindowStore<string, string>;

  init(context: ProcessorContext): void {
    this.store = context.getStateStore('global');
  }

  process({ key, value, timestampMs }: StreamRecord<string, string>): void {
    void this.store.put(key, value, timestampMs);
  }
}

const appOf = (store: Parameters<TopologyBuilder['addGlobalStore']>[0], supplier: () => Processor<string, string>) =>
  defineApp({
    applicationId: 'app',
    topology: new TopologyBuilder()
      .addGlobalStore(store, { topic: 'global', source: 'source', processor: 'update', ...text }, supplier)
      .build(),
  });
const apps = [
  appOf(keyValueStore({ ...text, name: 'global', logged: false }), () => new Appending()),
  appOf(
    windowStore({ ...text, name: 'global', logged: false, retention: 100_000, windowSize: 10 }),
    () => new Windowing(),
  ),
];

interface Input {
  readonly key: string;
  readonly value: string | null;
  readonly timestampMs: number;
}

/** Applies all, with a new task after each `step` records, as in a process that is frozen and woken again. */
async function contentAfter(app: StreamsApp, inputs: readonly Input[], step: number): Promise<readonly unknown[]> {
  const store = createStores([...app.topology.stores.values()]).get('global') as TransactionalStore;
  for (let from = 0; from < inputs.length; from += step) {
    const builder = new RecordSetBuilder();
    for (const { key, value, timestampMs } of inputs.slice(from, from + step))
      builder.append(
        Buffer.from(key),
        value === null ? null : Buffer.from(value),
        timestampMs,
        [],
        from + builder.size,
      );
    const records = builder.build();
    const task = createGlobalTask({ app, storeName: 'global', store, nowMs: 0 });
    await task.init();
    for (let at = 0; at < records.size; ) at = await task.apply({ partition: 0, records }, at, 0);
    await task.close();
  }
  return [...store.committed()].map(({ key, value, timestampMs }) => [key, Buffer.from(value).toString(), timestampMs]);
}

test('a global store that is cut at any record and gone on with is that of a run in one go', async () => {
  const input: fc.Arbitrary<Input> = fc.record({
    key: fc.constantFrom('x', 'y', 'z'),
    value: fc.constantFrom('1', '2', null),
    timestampMs: fc.nat({ max: 300_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(input, { maxLength: 20 }), fc.integer({ min: 1, max: 3 }), async (inputs, step) => {
      for (const app of apps)
        expect(await contentAfter(app, inputs, step)).toEqual(await contentAfter(app, inputs, inputs.length + 1));
    }),
    { numRuns: 100 },
  );
});
