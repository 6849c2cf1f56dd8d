import { describe, expect, test } from 'vitest';
import {
  defineApp,
  InvalidSettingError,
  type KeyValueStore,
  keyValueStore,
  long,
  NotCopartitionedError,
  ProcessingError,
  type ProcessorContext,
  QueryRefusedError,
  StreamRecord,
  StreamsBuilder,
  string,
  UnknownTopicError,
} from '../../../lib/index.js';
import type { TimestampedKeyValueStore } from '../../../lib/state/state-store.js';
import type { TestDriverOptions } from '../../../lib/testing/driver/driver-options.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
const counts = { key: string(), value: long() };

/** Counts the words of each line, through a repartition topic, and joins each count with the name of the word. */
function wordCount(options: TestDriverOptions = {}) {
  const builder = new StreamsBuilder();
  builder.globalTable('names', { ...text, store: 'names' });
  builder
    .stream('lines', text)
    .flatMapValues((line) => line?.split(' ') ?? [])
    .groupBy((_, word) => word, { name: 'word' })
    .count({ store: 'counts' })
    .toStream()
    .to('out');
  const settings = { statestoreCacheMaxBytes: 0 };
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build(), settings }), options);
}

/** A processor's own code, told what happens to it. */
function witnessed(on: { process?: (value: string) => void; close?: () => void }, options: TestDriverOptions = {}) {
  const builder = new StreamsBuilder();
  builder.addStateStore(keyValueStore({ name: 'seen', ...counts }));
  builder
    .stream('in', text)
    .process(
      () => {
        let context: ProcessorContext<string, string>;
        return {
          init(given: ProcessorContext<string, string>) {
            context = given;
            given.schedule(100, 'wallClockTime', (timestampMs) =>
              given.forward(StreamRecord.of({ key: 'tick', value: 'tick', timestampMs })),
            );
          },
          async process(record: StreamRecord<string, string>) {
            on.process?.(record.value);
            const store = context.getStateStore<KeyValueStore<string, number>>('seen');
            await store.put(record.key, ((await store.get(record.key)) ?? 0) + 1);
            await context.forward(record);
          },
          close: () => on.close?.(),
        };
      },
      { stores: ['seen'], key: string(), value: string() },
    )
    .to('out');
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }), options);
}

describe('many partitions', () => {
  test('records go to the partition of their key, or to the one that is named, and each task has its part of a store', async () => {
    const driver = await wordCount({ partitions: 3 });

    await driver.pipeInput('lines', { key: 'a', value: 'to be or not to be', partition: 2 });
    await driver.pipeInput('lines', { key: 'b', value: 'to' });

    expect(driver.taskIds).toEqual(['1_0', '1_1', '1_2', '2_0', '2_1', '2_2']);
    expect(driver.partitionsOf('counts')).toEqual([0, 1, 2]);
    const read = driver.readOutputs('out', counts);
    const last = Object.fromEntries(read.map(({ key, value }) => [key, value]));
    expect(last).toEqual({ to: 3, be: 2, or: 1, not: 1 });
    const partitionOf = new Map(read.map(({ key, partition }) => [key, partition]));
    for (const [word, partition] of partitionOf) {
      const store = driver.getStore<TimestampedKeyValueStore<string, number>>('counts', partition);
      expect(await store.get(word)).toMatchObject({ value: last[word] });
    }
    const repartitioned = driver.readOutputs('app-word-repartition');
    expect(repartitioned.map(({ key, partition }) => partition === partitionOf.get(key as string))).not.toContain(
      false,
    );
  });

  test('without partitions every topic has one, also where the topology asks for more', async () => {
    const builder = new StreamsBuilder();
    builder.stream('in', text).repartition({ name: 'more', partitions: 4 }).to('out');
    const app = defineApp({ applicationId: 'app', topology: builder.build() });

    expect((await TopologyTestDriver.start(app)).taskIds).toEqual(['0_0', '1_0']);
    expect((await TopologyTestDriver.start(app, { partitions: 1 })).taskIds).toHaveLength(5);
  });

  test('refuses what does not fit', async () => {
    const driver = await wordCount({ partitions: 2 });
    const builder = new StreamsBuilder();
    const table = builder.table('right', text);
    builder
      .stream('left', text)
      .join(table, { joiner: (l, r) => `${l}${r}` })
      .to('out');
    const joined = defineApp({ applicationId: 'app', topology: builder.build() });

    await expect(driver.pipeInput('lines', { key: 'a', value: 'b', partition: 2 })).rejects.toThrow(UnknownTopicError);
    expect(() => driver.getStore('counts')).toThrow(QueryRefusedError);
    expect(() => driver.getStore('counts', 2)).toThrow(QueryRefusedError);
    expect(() => driver.crashBeforeCommit({ task: '7_7' })).toThrow(QueryRefusedError);
    await expect(TopologyTestDriver.start(joined, { partitions: { left: 2 } })).rejects.toThrow(NotCopartitionedError);
    await expect(TopologyTestDriver.start(joined, { partitions: 0 })).rejects.toThrow(InvalidSettingError);
    await expect(TopologyTestDriver.start(joined, { recordsPerCommit: 0.5 })).rejects.toThrow(InvalidSettingError);
  });
});

describe('crashes and restarts', () => {
  test('stores come back from their changelogs, global stores from their topics', async () => {
    const driver = await wordCount({ partitions: 2 });
    await driver.pipeInput('names', { key: 'a', value: 'Anna' });
    await driver.pipeInput('lines', { key: null, value: 'a b a' });

    await driver.crash();
    await driver.pipeInput('lines', { key: null, value: 'a' });

    expect(
      driver
        .readOutputs('out', counts)
        .filter(({ key }) => key === 'a')
        .map(({ value }) => value),
    ).toEqual([1, 2, 3]);
    expect(await driver.getStore<TimestampedKeyValueStore<string, string>>('names').get('a')).toMatchObject({
      value: 'Anna',
    });
  });

  test('a snapshot and what follows it give the same store as the changelog alone', async () => {
    const driver = await wordCount();
    await driver.pipeInput('lines', { key: null, value: 'a b a' });
    await driver.writeSnapshots();
    await driver.pipeInput('lines', { key: null, value: 'c a' });
    const before = driver.readRawStore('counts');

    await driver.crash();
    const fromSnapshot = driver.readRawStore('counts');
    await driver.compactChangelogs();
    await driver.crash({ from: 'changelog' });

    expect(before).toHaveLength(3);
    expect(fromSnapshot).toEqual(before);
    expect(driver.readRawStore('counts')).toEqual(before);
  });

  test('what is not committed is lost with the task, and processed again', async () => {
    const processed: string[] = [];
    const driver = await witnessed({ process: (value) => processed.push(value) }, { recordsPerCommit: 3 });
    await driver.pipeInput('in', { key: 'a', value: '1' });
    await driver.pipeInput('in', { key: 'a', value: '2' });
    expect(driver.readOutputs('out', text)).toEqual([]);

    await driver.crash();
    await driver.pipeInput('in', { key: 'a', value: '3' });
    await driver.pipeInput('in', { key: 'a', value: '4' });

    expect(processed).toEqual(['1', '2', '1', '2', '3', '4']);
    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['1', '2', '3']);
    await driver.commit();
    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['4']);
    expect(await driver.getStore<KeyValueStore<string, number>>('seen').get('a')).toBe(4);
  });

  test('a task can be made to die at its next commit: one record is processed twice and written once', async () => {
    const processed: string[] = [];
    const driver = await witnessed({ process: (value) => processed.push(value) });

    driver.crashBeforeCommit();
    await driver.pipeInput('in', { key: 'a', value: '1' });
    await driver.pipeInput('in', { key: 'a', value: '2' });

    expect(processed).toEqual(['1', '1', '2']);
    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['1', '2']);
    expect(driver.readOutputs('app-seen-changelog', counts).map(({ value }) => value)).toEqual([1, 2]);
  });

  test('a crash closes nothing and forgets when the wall clock was due; a restart does both in order', async () => {
    let closed = 0;
    const driver = await witnessed({ close: () => (closed += 1) });

    await driver.advanceWallClockTime(90);
    await driver.restart();
    expect(closed).toBe(1);
    await driver.advanceWallClockTime(10);
    expect(driver.readOutputs('out', text)).toMatchObject([{ key: 'tick', timestampMs: 100 }]);
    await driver.advanceWallClockTime(90);
    await driver.crash();
    expect(closed).toBe(1);
    await driver.advanceWallClockTime(10);
    expect(driver.readOutputs('out', text)).toEqual([]);
    await driver.advanceWallClockTime(90);
    expect(driver.readOutputs('out', text)).toMatchObject([{ key: 'tick', timestampMs: 290 }]);
  });

  test('one task alone may die', async () => {
    const processed: string[] = [];
    const options = { partitions: 2, recordsPerCommit: 2 };
    const driver = await witnessed({ process: (value) => processed.push(value) }, options);
    await driver.pipeInput('in', { key: 'a', value: 'left', partition: 0 });
    await driver.pipeInput('in', { key: 'b', value: 'right', partition: 1 });

    await driver.crash({ task: '0_1' });

    expect(processed).toEqual(['left', 'right', 'right']);
  });

  test('after an error a crash goes on from what is committed, with the record that failed', async () => {
    let isBroken = true;
    const driver = await witnessed({
      process: (value) => {
        if (value === 'bad' && isBroken) throw new Error('broken');
      },
    });
    await driver.pipeInput('in', { key: 'a', value: 'good' });
    await expect(driver.pipeInput('in', { key: 'a', value: 'bad' })).rejects.toThrow(ProcessingError);
    await expect(driver.crash()).rejects.toThrow(ProcessingError);

    isBroken = false;
    await driver.crash();

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['good', 'bad']);
  });

  test('a store without a changelog is empty after a crash', async () => {
    const builder = new StreamsBuilder();
    builder.stream('in', text).groupByKey().count({ store: 'counts', logged: false }).toStream().to('out');
    const driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));
    await driver.pipeInput('in', { key: 'a', value: 'x' });

    await driver.crash();
    await driver.pipeInput('in', { key: 'a', value: 'x' });

    expect(driver.readOutputs('out', counts).map(({ value }) => value)).toEqual([1, 1]);
  });
});

test('dropped records are counted by reason, also those of a record that was processed twice', async () => {
  const driver = await TopologyTestDriver.start(
    defineApp({
      applicationId: 'app',
      topology: (() => {
        const builder = new StreamsBuilder();
        builder.globalTable('names', { ...text, store: 'names' });
        builder.stream('in', text).groupByKey().count({ store: 'counts' });
        return builder.build();
      })(),
    }),
  );

  driver.crashBeforeCommit();
  await driver.pipeInput('in', { key: null, value: 'x' });
  await driver.pipeInput('in', { key: 'a', value: null });
  await driver.pipeInput('names', { key: null, value: 'x' });

  expect(driver.droppedRecords).toEqual(
    new Map([
      ['null-key', 2],
      ['null-value', 1],
    ]),
  );
});
