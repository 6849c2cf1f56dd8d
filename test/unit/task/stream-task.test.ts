import { describe, expect, test } from 'vitest';
import {
  DeserializationError,
  InvalidStateStoreError,
  ProcessingError,
  SerializationError,
  TopologyError,
  UnconnectedStoreError,
} from '../../../lib/model/errors.js';
import type { Offset } from '../../../lib/model/offset.js';
import type { EngineContext } from '../../../lib/processor/engine-context.js';
import type { Processor } from '../../../lib/processor/processor.js';
import type { ProcessorContext } from '../../../lib/processor/processor-context.js';
import { StreamRecord } from '../../../lib/processor/stream-record.js';
import { long } from '../../../lib/serde/number-serdes.js';
import { string } from '../../../lib/serde/string-serde.js';
import type { KeyValueStore } from '../../../lib/state/state-store.js';
import { decodeCommitMetadata } from '../../../lib/task/commit-metadata.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { at, startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
type Text = StreamRecord<string, string>;
type TextContext = ProcessorContext<string, string>;

/** A processor from its parts. */
function processing(
  process: (record: Text, context: TextContext) => void | Promise<void>,
  init: (context: TextContext) => void = () => {},
): () => Processor<string, string, string, string> {
  return () => {
    let context: TextContext;
    return {
      init(given) {
        context = given;
        init(given);
      },
      process: (record) => process(record, context),
    };
  };
}

const forwarding = processing((record, context) => context.forward(record));

function through(supplier: () => Processor<string, string, string, string>): TopologyBuilder {
  return new TopologyBuilder()
    .addSource('source', 'in', text)
    .addProcessor('step', supplier, { parents: 'source' })
    .addSink('sink', 'out', { parents: 'step', ...text });
}

describe('processing', () => {
  test('records pass through a processor without a promise when nothing in it is asynchronous', async () => {
    const { task, give, commit } = await startTask(through(forwarding));
    give('in', [
      { key: 'a', value: '1', ts: 5 },
      { key: 'b', value: null, ts: 6 },
    ]);

    expect(task.process(0, 10)).toBe(2);
    const output = await commit();

    expect(texts(output.outputs.get(at('out')))).toEqual(['a=1@5', 'b=null@6']);
    expect(output.recordsProcessed).toBe(2);
  });

  test('a processor that returns a promise delays the next record until it is done', async () => {
    const order: string[] = [];
    const slow = processing(async (record, context) => {
      order.push(`begin ${record.value}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await context.forward(record);
      order.push(`end ${record.value}`);
    });
    const { task, give, commit } = await startTask(through(slow));
    give('in', [{ value: '1' }, { value: '2' }]);

    expect(await task.process(0, 10)).toBe(2);

    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2']);
    expect(texts((await commit()).outputs.get(at('out')))).toEqual(['null=1@0', 'null=2@0']);
  });

  test('records forwarded without waiting to an asynchronous child keep their order, and the task waits for them', async () => {
    const careless = processing((record, context) => {
      void context.forward(record.withValue(`${record.value}a`));
      void context.forward(record.withValue(`${record.value}b`));
    });
    let delay = 5;
    const slow = processing(async (record, context) => {
      delay -= 2;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, delay)));
      void context.forward(record);
    });
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addProcessor('careless', careless, { parents: 'source' })
      .addProcessor('slow', slow, { parents: 'careless' })
      .addSink('sink', 'out', { parents: 'slow', ...text });
    const { task, give, commit } = await startTask(builder);
    give('in', [{ value: '1' }, { value: '2' }]);

    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(at('out')))).toEqual([
      'null=1a@0',
      'null=1b@0',
      'null=2a@0',
      'null=2b@0',
    ]);
  });

  test('a failure in a child that nobody waited for fails the task', async () => {
    const careless = processing((record, context) => void context.forward(record));
    const failing = processing(async () => {
      await Promise.resolve();
      throw new Error('no');
    });
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addProcessor('careless', careless, { parents: 'source' })
      .addProcessor('failing', failing, { parents: 'careless' });
    const { task, give } = await startTask(builder);
    give('in', [{ value: '1' }]);

    await expect(async () => task.process(0, 1)).rejects.toMatchObject({ details: { node: 'failing' } });
  });

  test('an error of user code says in which node and at which record it happened', async () => {
    const failing = processing(() => {
      throw new Error('broken');
    });
    const { task, give } = await startTask(through(failing));
    give('in', [{ value: '1', offset: 7 }]);

    const thrown = await Promise.resolve()
      .then(() => task.process(0, 1))
      .catch((error: unknown) => error);

    expect(thrown).toBeInstanceOf(ProcessingError);
    expect(thrown).toMatchObject({
      code: 'STREAMS_PROCESSING_FAILED',
      cause: new Error('broken'),
      details: { node: 'step', taskId: '0_0', topic: 'in', partition: 0, offset: 7 },
    });
  });

  test('a record goes to the named child alone, and an unknown name is refused', async () => {
    const routing = processing((record, context) => context.forward(record, record.key));
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addProcessor('route', routing, { parents: 'source' })
      .addSink('left', 'out', { parents: 'route', ...text })
      .addSink('right', 'other', { parents: 'route', ...text });
    const { task, give, commit } = await startTask(builder, { partitionCounts: { out: 1, other: 1 } });
    give('in', [
      { key: 'left', value: '1' },
      { key: 'right', value: '2' },
      { key: 'nowhere', value: '3' },
    ]);

    await task.process(0, 2);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['left=1@0']);
    expect(texts(outputs.get(at('other')))).toEqual(['right=2@0']);
    expect(() => task.process(0, 1)).toThrow(TopologyError);
  });

  test('records without chosen partition go by murmur2 of their key, as in Java', async () => {
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addSink('sink', 'out', { parents: 'source', ...text });
    const { task, give, commit } = await startTask(builder, { partitionCounts: { out: 12 } });
    give('in', [{ key: '100:48069', value: 'x' }]);

    await task.process(0, 1);

    expect([...(await commit()).outputs.keys()]).toEqual([at('out', 9)]);
  });

  test('a partitioner that answers a partition which the topic lacks fails the task', async () => {
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addSink('sink', 'out', { parents: 'source', ...text, partitioner: () => 3 });
    const { task, give } = await startTask(builder, { partitionCounts: { out: 3 } });
    give('in', [{ value: 'x' }]);

    expect(() => task.process(0, 1)).toThrow(ProcessingError);
  });
});

describe('branches and sinks', () => {
  test('what one branch does to a record is not seen by its sibling', async () => {
    const tagging = processing((record, context) =>
      context.forward(record.withHeaders([...record.headers, { key: 'tag', value: null }]).withValue('changed')),
    );
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addProcessor('tag', tagging, { parents: 'source' })
      .addSink('tagged', 'out', { parents: 'tag', ...text })
      .addSink('plain', 'other', { parents: 'source', ...text });
    const { task, give, commit } = await startTask(builder, { partitionCounts: { out: 1, other: 1 } });
    give('in', [{ value: 'x' }]);

    await task.process(0, 1);
    const { outputs } = await commit();

    expect(outputs.get(at('out'))?.headersOf(0)).toEqual([{ key: 'tag', value: null }]);
    expect(outputs.get(at('other'))?.headersOf(0)).toEqual([]);
    expect(texts(outputs.get(at('other')))).toEqual(['null=x@0']);
  });

  test('a sink may choose the topic of each record; one that does not exist is an error that names it', async () => {
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addSink('sink', (record) => `out-${record.key}`, { parents: 'source', ...text });
    const { task, give, commit } = await startTask(builder, { partitionCounts: { 'out-a': 1 } });
    give('in', [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
    ]);

    await task.process(0, 1);

    expect([...(await commit()).outputs.keys()]).toEqual([at('out-a')]);
    expect(() => task.process(0, 1)).toThrow(/out-b/);
  });

  test('a value that does not fit the serde of a sink is an error that names node and topic', async () => {
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addSink('sink', 'out', { parents: 'source', key: string(), value: long() });
    const { task, give } = await startTask(builder);
    give('in', [{ value: 'no number' }]);

    const thrown = await Promise.resolve()
      .then(() => task.process(0, 1))
      .catch((error: unknown) => error);

    expect(thrown).toBeInstanceOf(SerializationError);
    expect(thrown).toMatchObject({ details: { node: 'sink', sinkTopic: 'out', topic: 'in', offset: 0 } });
  });

  test('a record forwarded with a negative timestamp is refused at the sink', async () => {
    const back = processing((record, context) => context.forward(record.withTimestamp(-5)));
    const { task, give } = await startTask(through(back));
    give('in', [{ value: 'x' }]);

    expect(() => task.process(0, 1)).toThrow(/timestamp -5/);
  });
});

describe('inputs', () => {
  const twoInputs = () =>
    new TopologyBuilder()
      .addSource('left', 'a', text)
      .addSource('right', 'b', text)
      .addProcessor('step', forwarding, { parents: ['left', 'right'] })
      .addSink('sink', 'out', { parents: 'step', ...text });

  test('the record with the least timestamp among the inputs is next', async () => {
    const { task, give, commit } = await startTask(twoInputs());
    give('a', [
      { value: 'a1', ts: 1 },
      { value: 'a4', ts: 4 },
    ]);
    give('b', [
      { value: 'b2', ts: 2 },
      { value: 'b3', ts: 3 },
    ]);

    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(at('out')))).toEqual([
      'null=a1@1',
      'null=b2@2',
      'null=b3@3',
      'null=a4@4',
    ]);
  });

  test('of records of one time that of the source which was added first is next, whichever came first', async () => {
    const builder = new TopologyBuilder()
      .addSource('first', 'z', text)
      .addSource('second', 'b', text)
      .addSink('sink', 'out', { parents: ['second', 'first'], ...text });
    const { task, give, commit } = await startTask(builder);
    give('b', [{ value: 'b1', ts: 1 }]);
    give('z', [{ value: 'z1', ts: 1 }]);

    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(at('out')))).toEqual(['null=z1@1', 'null=b1@1']);
  });

  test('outputs come by partition in the order in which these were first written to since the last seal', async () => {
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addSink('sink', ({ value }) => String(value), { parents: 'source', ...text });
    const { task, give, commit } = await startTask(builder, { partitionCounts: { a: 1, b: 1, c: 1 } });
    give('in', [{ value: 'a' }, { value: 'b' }]);
    await task.process(0, 10);
    await commit();
    give('in', [{ value: 'c' }, { value: 'b' }, { value: 'c' }]);

    await task.process(0, 10);

    expect([...(await commit()).outputs.keys()]).toEqual([at('c'), at('b')]);
  });

  test('an empty input that the log has more of holds the others back', async () => {
    const { task, give } = await startTask(twoInputs());
    give('a', [{ value: 'a1', ts: 1 }]);

    expect(await task.process(0, 10)).toBe(0);
    give('b', [], { nextOffset: 0, endOffset: 3 });
    expect(await task.process(0, 10)).toBe(0);
    give('b', [{ value: 'b0', ts: 0 }], { endOffset: 1 });
    expect(await task.process(0, 10)).toBe(2);
  });

  test('an input known to be empty is waited for as long as maxTaskIdleMs says, and no longer', async () => {
    const { task, give } = await startTask(twoInputs(), { settings: { maxTaskIdleMs: 100 } });
    give('a', [{ value: 'a1', ts: 1 }]);
    give('b', []);

    expect(await task.process(1_000, 10)).toBe(0);
    expect(await task.process(1_099, 10)).toBe(0);
    expect(await task.process(1_100, 10)).toBe(1);
  });

  test('with a maxTaskIdleMs of -1 nothing is waited for, not even an input that the log has more of', async () => {
    const { task, give } = await startTask(twoInputs(), { settings: { maxTaskIdleMs: -1 } });
    give('a', [{ value: 'a1', ts: 1 }]);

    expect(await task.process(0, 10)).toBe(1);
    give('b', [], { nextOffset: 0, endOffset: 3 });
    give('a', [{ value: 'a2', ts: 2 }]);
    expect(await task.process(0, 10)).toBe(1);
  });

  test('a queue wants no more once it holds bufferedRecordsPerPartition', async () => {
    const { task, give } = await startTask(twoInputs(), { settings: { bufferedRecordsPerPartition: 2 } });

    give('a', [{ value: '1' }]);
    expect(task.wants(at('a'))).toBe(true);
    give('a', [{ value: '2' }]);
    expect(task.wants(at('a'))).toBe(false);
    expect(task.wants(at('b'))).toBe(true);
  });

  test('a task reads only the topics that have its partition', async () => {
    const { task } = await startTask(twoInputs(), { partition: 2, partitionCounts: { a: 3, b: 2, out: 1 } });

    expect(task.inputs).toEqual([{ topic: 'a', partition: 2 }]);
  });
});

describe('offsets', () => {
  test('the offset to commit is that of the next queued record, then the position after all that was fetched', async () => {
    const { task, give, commit } = await startTask(through(forwarding));
    give('in', [{ offset: 3 }, { offset: 8 }], { nextOffset: 12, endOffset: 12 });

    await task.process(0, 1);
    const first = (await commit()).offsets.get(at('in'));
    await task.process(0, 1);
    const second = (await commit()).offsets.get(at('in'));

    expect(first?.nextOffset).toBe(8);
    expect(second?.nextOffset).toBe(12);
  });

  test('a position that moves over control records alone is committed too: lag reaches 0 (trap 20)', async () => {
    const committed = new Map([[at('in'), { nextOffset: 5 as Offset, metadata: '' }]]);
    const { task, give, commit } = await startTask(through(forwarding), { committed });
    give('in', [], { nextOffset: 5, endOffset: 5 });
    expect(task.hasUncommitted).toBe(false);

    give('in', [], { nextOffset: 6, endOffset: 6 });

    expect(task.hasUncommitted).toBe(true);
    expect((await commit()).offsets.get(at('in'))?.nextOffset).toBe(6);
    expect(task.hasUncommitted).toBe(false);
  });

  test('stream time survives a restart through the committed metadata', async () => {
    const seen: number[] = [];
    const watching = processing((_, context) => {
      seen.push(context.currentStreamTimeMs());
    });
    const first = await startTask(through(watching));
    first.give('in', [{ ts: 50 }]);
    await first.task.process(0, 1);
    const { offsets } = await first.commit();

    const second = await startTask(through(watching), { committed: offsets });
    second.give('in', [{ ts: 20, offset: 1 }]);
    await second.task.process(0, 1);

    expect(seen).toEqual([50, 50]);
    expect(decodeCommitMetadata((await second.commit()).offsets.get(at('in'))?.metadata ?? '').partitionTimeMs).toBe(
      50,
    );
  });
});

describe('records that cannot be read', () => {
  const counting = () =>
    new TopologyBuilder()
      .addSource('source', 'in', { key: string(), value: long() })
      .addSink('sink', 'out', { parents: 'source', key: string(), value: long() });
  const good = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]);

  test('fail: the task stops with the place of the record, before any effect', async () => {
    const { task, give } = await startTask(counting());
    give('in', [{ value: 'x', offset: 4 }]);

    const thrown = await Promise.resolve()
      .then(() => task.process(0, 1))
      .catch((error: unknown) => error);

    expect(thrown).toBeInstanceOf(DeserializationError);
    expect(thrown).toMatchObject({ details: { topic: 'in', partition: 0, offset: 4, node: 'source' } });
    expect(task.hasUncommitted).toBe(true); // fetched position
  });

  test('continue: the record is counted, its offset advances, the others go on', async () => {
    const { task, give, commit } = await startTask(counting(), {
      settings: { deserializationExceptionHandler: 'continue' },
    });
    give('in', [{ value: 'x' }, { value: good }, { value: 'y' }]);

    expect(await task.process(0, 10)).toBe(1);
    const output = await commit();

    expect(output.outputs.get(at('out'))?.size).toBe(1);
    expect(output.offsets.get(at('in'))?.nextOffset).toBe(3);
    expect(output.dropped).toEqual([
      {
        reason: 'deserialization',
        count: 2,
        last: { topic: 'in', partition: 0, offset: 2, message: expect.stringContaining('long') },
      },
    ]);
  });

  test('dead letter: the bytes go to that topic in the same output, with headers that say from where and why', async () => {
    const { task, give, commit } = await startTask(counting(), {
      settings: { deserializationExceptionHandler: { deadLetterTopic: 'dead' } },
      partitionCounts: { out: 1, dead: 2 },
    });
    give('in', [{ key: 'k', value: 'x', ts: 9, headers: [{ key: 'mine', value: null }] }]);

    expect(await task.process(0, 10)).toBe(0);
    const output = await commit();

    const letters = output.outputs.get(at('dead'));
    expect(texts(letters)).toEqual(['k=x@9']);
    const headers = (letters?.headersOf(0) ?? []).map(({ key, value }) => [key, value?.toString()]);
    expect(Object.fromEntries(headers)).toMatchObject({
      '__streams.errors.topic': 'in',
      '__streams.errors.partition': '0',
      '__streams.errors.offset': '0',
      '__streams.errors.exception': 'DeserializationError',
    });
    expect(headers[0]).toEqual(['mine', undefined]);
    expect(output.offsets.get(at('in'))?.nextOffset).toBe(1);
  });

  test('a negative timestamp drops the record, counts it and advances the offset (trap 28)', async () => {
    const { task, give, commit } = await startTask(through(forwarding));
    give('in', [
      { value: 'early', ts: -1 },
      { value: 'fine', ts: 0 },
    ]);

    await task.process(0, 10);
    const output = await commit();

    expect(texts(output.outputs.get(at('out')))).toEqual(['null=fine@0']);
    expect(output.dropped).toMatchObject([{ reason: 'negative-timestamp', count: 1, last: { offset: 0 } }]);
    expect(output.offsets.get(at('in'))?.nextOffset).toBe(2);
  });

  test('a record that is dropped for its timestamp alone is committed as read: it does not come back (trap 28)', async () => {
    const { task, give, commit } = await startTask(through(forwarding));
    give('in', [{ value: 'early', ts: -1 }]);

    await task.process(0, 10);

    expect(task.hasUncommitted).toBe(true);
    expect((await commit()).offsets.get(at('in'))?.nextOffset).toBe(1);
  });

  test('a timestamp extractor decides the timestamp, and sees the greatest one so far (trap 28)', async () => {
    const partitionTimes: number[] = [];
    const builder = new TopologyBuilder()
      .addSource('source', 'in', {
        ...text,
        timestampExtractor: (record, partitionTimeMs) => {
          partitionTimes.push(partitionTimeMs);
          return Number(record.value);
        },
      })
      .addSink('sink', 'out', { parents: 'source', ...text });
    const { task, give, commit } = await startTask(builder);
    give('in', [{ value: '30' }, { value: '-1' }, { value: '10' }]);

    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(at('out')))).toEqual(['null=30@30', 'null=10@10']);
    expect(partitionTimes).toEqual([-1, 30, 30]);
  });
});

describe('state', () => {
  const counter = processing(async (record, context) => {
    const store = context.getStateStore<KeyValueStore<string, string>>('seen');
    const before = await store.get(record.key);
    await store.put(record.key, `${before ?? ''}${record.value}`);
  });
  const withStore = (supplier = counter) =>
    new TopologyBuilder()
      .addSource('source', 'in', text)
      .addProcessor('step', supplier, { parents: 'source' })
      .addStateStore(keyValueStore({ name: 'seen', key: string(), value: string() }), 'step');

  test('the changelog holds the last value of each key of a commit, with the timestamp of its record', async () => {
    const { task, give, commit } = await startTask(withStore());
    give('in', [
      { key: 'a', value: '1', ts: 1 },
      { key: 'b', value: '2', ts: 2 },
      { key: 'a', value: '3', ts: 3 },
    ]);

    await task.process(0, 10);
    const { changelogs } = await commit();

    expect([...changelogs.keys()]).toEqual([at('app-seen-changelog')]);
    expect([...texts(changelogs.get(at('app-seen-changelog')))].sort()).toEqual(['a=13@3', 'b=2@2']);
  });

  test('two seals may wait for their commits; a later one builds on what an earlier one wrote', async () => {
    const { task, give, stores } = await startTask(withStore());
    give('in', [
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ]);

    await task.process(0, 1);
    const first = await task.seal();
    await task.process(0, 1);
    const second = await task.seal();
    for (const store of stores.values()) {
      store.commit();
      store.commit();
    }

    expect(texts(first.changelogs.get(at('app-seen-changelog')))).toEqual(['a=1@0']);
    expect(texts(second.changelogs.get(at('app-seen-changelog')))).toEqual(['a=12@0']);
  });

  test('pending bytes grow with what is written and start from nothing after a seal', async () => {
    const { task, give, commit } = await startTask(withStore());
    expect([task.pendingBytes, task.hasUncommitted]).toEqual([0, false]);
    give('in', [{ key: 'a', value: 'x'.repeat(1_000) }]);

    await task.process(0, 1);
    expect(task.pendingBytes).toBeGreaterThanOrEqual(1_001);
    await commit();

    expect([task.pendingBytes, task.hasUncommitted]).toEqual([0, false]);
  });

  test('a store that is not connected to the processor is refused', async () => {
    const asking = processing(
      () => {},
      (context) => context.getStateStore('other'),
    );

    await expect(startTask(through(asking))).rejects.toBeInstanceOf(UnconnectedStoreError);
  });

  test('a store is refused once its task is closed', async () => {
    let kept: KeyValueStore<string, string> | undefined;
    const keeping = processing(
      () => {},
      (context) => {
        kept = context.getStateStore('seen');
      },
    );
    const { task } = await startTask(withStore(keeping));

    await task.close();

    expect(() => kept?.get('a')).toThrow(InvalidStateStoreError);
  });
});

describe('engine services', () => {
  test('what an operator held back is forwarded before the seal', async () => {
    const holding = (): Processor<string, string, string, string> => {
      let held: Text | null = null;
      let context: EngineContext<string, string>;
      return {
        init(given) {
          context = given as EngineContext<string, string>;
          context.onFlush(() => {
            if (held !== null) return context.forward(held);
          });
        },
        process(record) {
          held = record;
          if (record.value === 'drop') context.recordDropped('null-value');
        },
      };
    };
    const { task, give, commit } = await startTask(through(holding));
    give('in', [{ value: '1' }, { value: 'drop' }, { value: '3' }]);

    await task.process(0, 10);
    const output = await commit();

    expect(texts(output.outputs.get(at('out')))).toEqual(['null=3@0']);
    expect(output.dropped).toMatchObject([{ reason: 'null-value', count: 1, last: { offset: 1 } }]);
  });

  test('wall-clock punctuations are called when due, once however late, and can be cancelled', async () => {
    const called: number[] = [];
    const ticking = processing(
      () => {},
      (context) => {
        const timer = context.schedule('10ms', 'wallClockTime', (timestampMs) => {
          called.push(timestampMs);
          if (called.length === 3) timer.cancel();
          return context.forward(StreamRecord.of({ key: 'tick', value: String(timestampMs), timestampMs }));
        });
      },
    );
    const { task, commit } = await startTask(through(ticking));
    expect(task.nextPunctuationMs).toBe(10);

    expect(await task.punctuate(9)).toBe(0);
    expect(await task.punctuate(10)).toBe(1);
    expect(await task.punctuate(47)).toBe(1);
    expect(task.nextPunctuationMs).toBe(50);
    expect(await task.punctuate(50)).toBe(1);

    expect(called).toEqual([10, 47, 50]);
    expect(task.nextPunctuationMs).toBe(null);
    expect(texts((await commit()).outputs.get(at('out')))).toHaveLength(3);
  });

  test('a task that starts again goes on with the next point of the stream-time grid', async () => {
    const called: number[] = [];
    const ticking = processing(
      () => {},
      (context) => {
        context.schedule(10, 'streamTime', (timestampMs) => void called.push(timestampMs));
      },
    );
    const first = await startTask(through(ticking));
    first.give('in', [{ ts: 14 }]);
    await first.task.process(0, 10);
    const { offsets } = await first.commit();

    const second = await startTask(through(ticking), { committed: offsets });
    second.give('in', [{ ts: 15 }, { ts: 21 }]);
    await second.task.process(0, 10);

    expect(called).toEqual([14, 21]);
  });
});
