import { expect, test } from 'vitest';
import { TopologyError } from '../../../lib/model/errors.js';
import type { Offset } from '../../../lib/model/offset.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { WindowStore } from '../../../lib/state/state-store.js';
import { decodeCommitMetadata, encodeCommitMetadata } from '../../../lib/task/commit-metadata.js';
import { decodeProcessorMetadata, encodeProcessorMetadata } from '../../../lib/task/processor-metadata.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { windowStore } from '../../../lib/topology/windowed-stores.js';
import { startTask } from './task-rig.js';

const serdes = { key: string(), value: string() };
const IN = topicPartitionKey({ topic: 'in', partition: 0 });

/** Puts each record into a window, and on each wall-clock punctuation one more. */
function writer(): Processor<string, string> {
  let context: ProcessorContext;
  const store = () => context.getStateStore<WindowStore<string, string>>('w');
  return {
    init(given) {
      context = given;
      given.schedule(10, 'wallClockTime', (timestampMs) => store().put('tick', 'x', 7_000 + timestampMs));
    },
    process: ({ key, value, timestampMs }) => store().put(key, value, timestampMs),
  };
}

function topologyWith(stores: readonly string[]): TopologyBuilder {
  const builder = new TopologyBuilder().addSource('in', 'in', serdes).addProcessor('p', writer, { parents: 'in' });
  for (const name of stores)
    builder.addStateStore(windowStore({ ...serdes, name, retention: 1_000, windowSize: 1 }), 'p');
  return builder;
}

function numbersOf(metadata: string | undefined) {
  return Object.fromEntries(decodeProcessorMetadata(decodeCommitMetadata(metadata ?? '').processorMetadata));
}

test("a store's stream time is committed beside the offset, with what other systems had put there", async () => {
  const processorMetadata = encodeProcessorMetadata(new Map([['KSTREAM-AGGREGATE', 42n]]));
  const metadata = encodeCommitMetadata({ partitionTimeMs: 1, processorMetadata });
  const rig = await startTask(topologyWith(['w']), {
    committed: new Map([[IN, { nextOffset: 0 as Offset, metadata }]]),
  });

  rig.give('in', [{ key: 'a', value: 'x', ts: 5_000 }]);
  await rig.task.process(0, 10);
  const output = await rig.commit();

  expect(numbersOf(output.offsets.get(IN)?.metadata)).toEqual({ 'KSTREAM-AGGREGATE': 42n, 'millrace.time.w': 5_000n });
});

test('a late write is dropped by the committed stream time though the store is empty, and counted', async () => {
  const processorMetadata = encodeProcessorMetadata(new Map([['millrace.time.w', 5_000n]]));
  const metadata = encodeCommitMetadata({ partitionTimeMs: 1, processorMetadata });
  const rig = await startTask(topologyWith(['w']), {
    committed: new Map([[IN, { nextOffset: 0 as Offset, metadata }]]),
  });

  rig.give('in', [{ key: 'a', value: 'x', ts: 4_000 }]);
  await rig.task.process(0, 10);
  const output = await rig.commit();

  expect([...(rig.stores.get('w')?.committed() ?? [])]).toEqual([]);
  expect(output.dropped).toMatchObject([{ reason: 'expired', count: 1, last: { topic: 'in', offset: 0 } }]);
});

test('progress that a punctuation made is committed though no input has moved', async () => {
  const rig = await startTask(topologyWith(['w']));
  rig.give('in', [{ key: 'a', value: 'x', ts: 5_000 }]);
  await rig.task.process(0, 10);
  await rig.commit();

  await rig.task.punctuate(10);
  const output = await rig.commit();
  const after = await rig.commit();

  expect(output.offsets.get(IN)?.nextOffset).toBe(1);
  expect(numbersOf(output.offsets.get(IN)?.metadata)).toEqual({ 'millrace.time.w': 7_010n });
  expect(after.offsets.size).toBe(0);
});

test('a task whose windowed stores can not tell their times in one commit is refused', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `a-store-with-a-rather-long-name-${index}`);

  await expect(startTask(topologyWith(names))).rejects.toThrow(TopologyError);
});

test('metadata that is damaged says nothing', () => {
  const bytes = encodeProcessorMetadata(new Map([['name', 1n]]));

  expect(decodeProcessorMetadata(bytes).get('name')).toBe(1n);
  for (let size = 0; size < bytes.length; size += 1)
    expect(decodeProcessorMetadata(bytes.subarray(0, size)).size).toBe(0);
});

test('metadata is laid out as Kafka Streams lays it out', () => {
  const bytes = encodeProcessorMetadata(new Map([['ab', 258n]]));

  expect(Buffer.from(bytes).toString('hex')).toBe('00000001' + '00000002' + '6162' + '0000000000000102');
});
