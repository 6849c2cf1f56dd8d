import { describe, expect, it } from 'vitest';
import type { ProcessorContext, Serde, TimestampedKeyValueStore, Topology } from '../../lib/index.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { taskId } from '../../lib/model/task-id.js';
import type { StreamRecord } from '../../lib/processor/stream-record.js';
import { runStandby } from '../../lib/runtime/run-standby.js';
import { string } from '../../lib/serde/string-serde.js';
import { timestampedKeyValueStore } from '../../lib/topology/stores.js';
import { TopologyBuilder } from '../../lib/topology/topology-builder.js';
import {
  createTaskWorld,
  INPUT,
  OUTPUT,
  STORE,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';

const text = { key: string(), value: string() };
const KEYS = 3;

/** Says of each record what its key had before: who is restored too far knows values that have not come yet. */
function beforeAndAfter(): Topology {
  return new TopologyBuilder()
    .addSource('source', INPUT, text)
    .addProcessor<string, string, string, string>(
      'keep',
      () => {
        let context: ProcessorContext<string, string>;
        let store: TimestampedKeyValueStore<string, string>;
        return {
          init(given: ProcessorContext<string, string>) {
            context = given;
            store = given.getStateStore(STORE);
          },
          async process(record: StreamRecord<string, string>) {
            const before = (await store.get(record.key))?.value ?? 'none';
            await store.put(record.key, { value: record.value, timestampMs: record.timestampMs });
            await context.forward(record.withValue(`${before}>${record.value}`));
          },
        };
      },
      { parents: 'source' },
    )
    .addStateStore(timestampedKeyValueStore({ name: STORE, ...text }), 'keep')
    .connectSourceStoreAndTopic(STORE, INPUT)
    .addSink('sink', OUTPUT, { parents: 'keep', ...text })
    .build();
}

/** Reads numbers, which are their own timestamps, and says what each key had before. */
function keptNumbers(): Topology {
  const number: Serde<number> = {
    serialize: (value) => Buffer.from(String(value)),
    deserialize(bytes) {
      const value = Number(Buffer.from(bytes).toString());
      if (Number.isNaN(value)) throw new Error('no number');
      return value;
    },
  };
  const format = { key: string(), value: number };
  return new TopologyBuilder()
    .addSource('source', INPUT, { ...format, timestampExtractor: ({ value }) => value as number })
    .addProcessor<string, number, string, string>(
      'keep',
      () => {
        let context: ProcessorContext<string, string>;
        let store: TimestampedKeyValueStore<string, number>;
        return {
          init(given: ProcessorContext<string, string>) {
            context = given;
            store = given.getStateStore(STORE);
          },
          async process(record: StreamRecord<string, number>) {
            const before = await store.get(record.key);
            await store.put(record.key, { value: record.value, timestampMs: record.timestampMs });
            const said = before === null || before === undefined ? 'none' : `${before.value} at ${before.timestampMs}`;
            await context.forward(record.withValue(said));
          },
        };
      },
      { parents: 'source' },
    )
    .addStateStore(timestampedKeyValueStore({ name: STORE, ...format }), 'keep')
    .connectSourceStoreAndTopic(STORE, INPUT)
    .addSink('sink', OUTPUT, { parents: 'keep', ...text })
    .build();
}

async function feed({ ports }: TaskWorld, from: number, to: number): Promise<void> {
  const builder = new RecordSetBuilder();
  for (let n = from; n < to; n += 1) builder.append(Buffer.from(`k${n % KEYS}`), Buffer.from(`${n}`), n);
  await ports.log.append({ topic: INPUT, partition: 0 }, builder.build());
}

async function outputs({ ports }: TaskWorld): Promise<string[]> {
  const request = { topic: OUTPUT, partition: 0, fromOffset: 0 as never };
  const [result] = await ports.log.fetch([request], { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 1 << 20 });
  return [...(result?.records ?? [])].map(({ value }) => Buffer.from(value ?? []).toString('utf8'));
}

const expected = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${n < KEYS ? 'none' : n - KEYS}>${n}`);

async function runToTheEnd(world: TaskWorld): Promise<void> {
  const task = await startTask(world);
  await untilCommitted(world);
  await stopTask(task);
}

describe('a store whose source topic is its changelog', () => {
  it.each([
    { from: 'the log alone', mode: 'log', numStandbyReplicas: 0, snapshotMinRecords: 1_000 },
    { from: 'a snapshot of its own', mode: 'snapshot+tail', numStandbyReplicas: 0, snapshotMinRecords: 1 },
    { from: "a standby's snapshot", mode: 'snapshot+tail', numStandbyReplicas: 1, snapshotMinRecords: 1 },
  ])('is restored to the committed input and no further, from $from', async (given) => {
    const { mode, numStandbyReplicas, snapshotMinRecords } = given;
    const settings = { numStandbyReplicas, snapshotMinRecords };
    const world = await createTaskWorld({ topology: beforeAndAfter(), settings });
    await feed(world, 0, 30);
    await runToTheEnd(world);
    await feed(world, 30, 60); // the topic is now ahead of what is committed
    if (numStandbyReplicas > 0) await runStandby({ app: world.app, ports: world.ports, taskIds: [taskId(0, 0)] });
    await runToTheEnd(world);

    expect(await outputs(world)).toEqual(expected(60));
    const restores = world.events.filter(({ event }) => event === 'restore-finished').map(({ fields }) => fields);
    expect(restores.at(-1)).toMatchObject({ topic: INPUT, mode, toOffset: 30 });
  });

  it.each([
    { from: 'the log', numStandbyReplicas: 0, snapshotMinRecords: 1_000 },
    { from: "a standby's snapshot", numStandbyReplicas: 1, snapshotMinRecords: 1 },
  ])('holds after a restore from $from what its task had put there, and nothing that it dropped', async (given) => {
    const { numStandbyReplicas, snapshotMinRecords } = given;
    const world = await createTaskWorld({
      topology: keptNumbers(),
      settings: { numStandbyReplicas, snapshotMinRecords, deserializationExceptionHandler: 'continue' },
    });
    const send = async (...values: readonly string[]) => {
      const builder = new RecordSetBuilder();
      for (const value of values) builder.append(Buffer.from('k'), Buffer.from(value), 1_000);
      await world.ports.log.append({ topic: INPUT, partition: 0 }, builder.build());
    };
    await send('10', 'no number', '-5');
    await runToTheEnd(world);
    if (numStandbyReplicas > 0) await runStandby({ app: world.app, ports: world.ports, taskIds: [taskId(0, 0)] });
    await send('20');
    await runToTheEnd(world);

    expect(await outputs(world)).toEqual(['none', '10 at 10']); // by the extractor's time
  });

  it('has no topic of its own', async () => {
    const world = await createTaskWorld({ topology: beforeAndAfter() });

    expect((await world.ports.log.describeTopics([`app-${STORE}-changelog`])).size).toBe(0);
  });
});
