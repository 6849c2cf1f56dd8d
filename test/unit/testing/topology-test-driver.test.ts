import { describe, expect, test } from 'vitest';
import {
  ProcessingError,
  QueryRefusedError,
  SerializationError,
  UnknownTopicError,
} from '../../../lib/model/errors.js';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import { StreamRecord } from '../../../lib/processor/stream-record.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { KeyValueStore } from '../../../lib/state/state-store.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';
import { defineApp } from '../../../lib/topology/app.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';

/** Counts keys, and says `tick` every 10 ms of the wall clock. */
class Counter implements Processor<string, string, string, number> {
  private context: ProcessorContext<string, number> | undefined;

  init(context: ProcessorContext<string, number>): void {
    this.context = context;
    context.schedule('10ms', 'wallClockTime', (timestampMs) =>
      context.forward(StreamRecord.of({ key: 'tick', value: 0, timestampMs })),
    );
  }

  async process(record: StreamRecord<string, string>): Promise<void> {
    if (record.value === 'break') throw new Error('broken');
    const store = this.context?.getStateStore<KeyValueStore<string, number>>('counts');
    const count = ((await store?.get(record.key)) ?? 0) + 1;
    await store?.put(record.key, count);
    await this.context?.forward(record.withValue(count));
  }
}

/** Two sub-topologies: words go through a repartition topic to the counter. */
function start(): Promise<TopologyTestDriver> {
  const text = { key: string(), value: string() };
  const topology = new TopologyBuilder()
    .addSource('lines', 'in', text)
    .addSink('spread', 'words-repartition', { parents: 'lines', ...text })
    .addRepartitionTopic('words-repartition')
    .addSource('words', 'words-repartition', text)
    .addProcessor('count', () => new Counter(), { parents: 'words' })
    .addStateStore(keyValueStore({ name: 'counts', key: string(), value: long() }), 'count')
    .addSink('out', 'out', { parents: 'count', key: string(), value: long() })
    .build();
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology }), { wallClockMs: 1_000 });
}

describe('the test driver', () => {
  test('takes a record through all sub-topologies before the next input, committed', async () => {
    const driver = await start();

    await driver.pipeInput('in', { key: 'a', value: 'x', timestampMs: 5, headers: [{ key: 'h', value: null }] });
    await driver.pipeInput('in', { key: 'a', value: 'y' });

    expect(driver.readOutput('out')).toEqual({
      key: 'a',
      value: 1,
      timestampMs: 5,
      headers: [{ key: 'h', value: null }],
      partition: 0,
    });
    expect(driver.readOutput('out', { key: string(), value: long() })).toMatchObject({ value: 2, timestampMs: 1_000 });
    expect(driver.readOutput('out')).toBe(undefined);
    expect(await driver.getStore<KeyValueStore<string, number>>('counts').get('a')).toBe(2);
    await driver.close();
  });

  test('shows repartition and changelog records by the names of their topics on the broker', async () => {
    const driver = await start();

    await driver.pipeInput('in', { key: 'a', value: 'x', timestampMs: 5 });

    expect([...driver.producedTopicNames].sort()).toEqual(['app-counts-changelog', 'app-words-repartition', 'out']);
    expect(driver.readOutputs('app-words-repartition')).toMatchObject([{ key: 'a', value: 'x' }]);
    expect(driver.readOutputs('app-counts-changelog')).toMatchObject([{ key: 'a', value: 1, timestampMs: 5 }]);
  });

  test('moves the wall clock only when told to, and calls the punctuations that are due', async () => {
    const driver = await start();

    await driver.advanceWallClockTime(9);
    expect(driver.readOutputs('out')).toEqual([]);
    await driver.advanceWallClockTime('1ms');

    expect(driver.readOutputs('out')).toMatchObject([{ key: 'tick', timestampMs: 1_010 }]);
  });

  test('commits nothing after an error, and refuses to go on', async () => {
    const driver = await start();

    await expect(driver.pipeInput('in', { key: 'a', value: 'break' })).rejects.toBeInstanceOf(ProcessingError);
    await expect(driver.pipeInput('in', { key: 'a', value: 'x' })).rejects.toMatchObject({
      cause: new Error('broken'),
    });

    expect(await driver.getStore<KeyValueStore<string, number>>('counts').get('a')).toBe(null);
  });

  test('refuses topics, values and stores that the topology does not know', async () => {
    const driver = await start();

    await expect(driver.pipeInput('out', { key: 'a', value: 1 })).rejects.toBeInstanceOf(UnknownTopicError);
    await expect(driver.pipeInput('in', { key: 'a', value: 1 })).rejects.toBeInstanceOf(SerializationError);
    expect(() => driver.getStore('none')).toThrow(QueryRefusedError);
    expect(() => driver.readOutput('none')).toThrow(UnknownTopicError);
  });
});
