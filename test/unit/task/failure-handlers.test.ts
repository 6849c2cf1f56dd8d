import { describe, expect, it, test } from 'vitest';
import {
  defineApp,
  type FailedRecord,
  type FailureHandlers,
  type FailureResponse,
  long,
  type Processor,
  type ProcessorContext,
  type Serde,
  type StreamRecord,
  string,
  TopologyBuilder,
  TopologyError,
} from '../../../lib/index.js';
import type { EngineContext } from '../../../lib/processor/engine-context.js';
import { type RigOptions, startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
const at = (topic: string) => `${topic}-0` as never;

/** Upper case; fails at `bad`, at once or later; calls `late` as an operator of ours would. */
function shouting(): Processor<string, string, string, string> {
  let context: ProcessorContext<string, string>;
  return {
    init(given) {
      context = given;
      given.schedule(1_000, 'wallClockTime', () => {
        throw new Error('no time');
      });
    },
    process(record: StreamRecord<string, string>) {
      if (record.value === 'bad') throw new RangeError('not bad enough');
      if (record.value === 'bad later') return Promise.reject(new RangeError('not bad enough'));
      if (record.value === 'old') return (context as EngineContext<string, string>).recordDropped('late');
      return context.forward(record.withValue(record.value.toUpperCase()));
    },
  };
}

function pipeline(): TopologyBuilder {
  return new TopologyBuilder()
    .addSource('source', 'in', text)
    .addProcessor('before', () => passing(), { parents: 'source' })
    .addProcessor('shout', shouting, { parents: 'before' })
    .addSink('sink', 'out', { ...text, parents: 'shout' });
}

function passing(): Processor<string, string, string, string> {
  let context: ProcessorContext<string, string>;
  return {
    init(given) {
      context = given;
    },
    process: (record) => context.forward(record),
  };
}

const start = (options: RigOptions, handlers: FailureHandlers = {}, builder = pipeline()) =>
  startTask(builder, { partitionCounts: { out: 1, dead: 1 }, handlers, ...options });

const headersOf = (
  letters: ReturnType<Awaited<ReturnType<typeof start>>['commit']> extends Promise<infer O> ? O : never,
) =>
  Object.fromEntries(
    (letters.outputs.get(at('dead'))?.headersOf(0) ?? []).map(({ key, value }) => [key, value?.toString() ?? null]),
  );

describe('a processor that throws', () => {
  it.each(['bad', 'bad later'])('stops the task unless something else is set: %s', async (value) => {
    const { task, give } = await start({});
    give('in', [{ key: 'k', value }]);

    await expect(async () => task.process(0, 10)).rejects.toThrow('node shout at in-0, offset 0: not bad enough');
  });

  it.each(['bad', 'bad later'])('costs its record alone where the setting says to continue: %s', async (value) => {
    const { task, give, commit } = await start({ settings: { processingExceptionHandler: 'continue' } });
    give('in', [{ value: 'a' }, { value }, { value: 'b' }]);

    expect(await task.process(0, 10)).toBe(3);
    const output = await commit();

    expect(texts(output.outputs.get(at('out')))).toEqual(['null=A@0', 'null=B@0']);
    expect(output.offsets.get(at('in'))?.nextOffset).toBe(3);
    expect(output.dropped).toEqual([
      {
        reason: 'processing',
        count: 1,
        last: { topic: 'in', partition: 0, offset: 1, message: 'not bad enough' },
      },
    ]);
  });

  it('sends the record as it was read to the dead-letter topic, once, with the reason', async () => {
    const { task, give, commit } = await start({
      settings: { processingExceptionHandler: 'continue', deadLetterTopic: 'dead' },
    });
    give('in', [{ key: 'k', value: 'bad', ts: 7, headers: [{ key: 'mine', value: null }] }]);
    await task.process(0, 10);
    const output = await commit();

    expect(texts(output.outputs.get(at('dead')))).toEqual(['k=bad@7']);
    expect(headersOf(output)).toMatchObject({
      mine: null,
      '__streams.errors.exception': 'RangeError',
      '__streams.errors.message': 'not bad enough',
      '__streams.errors.stacktrace': expect.stringContaining('RangeError'),
      '__streams.errors.topic': 'in',
      '__streams.errors.partition': '0',
      '__streams.errors.offset': '0',
    });
  });

  it('in a punctuation can be survived as well, with no record to blame', async () => {
    const asked: FailedRecord[] = [];
    const { task, commit } = await start(
      {},
      {
        processing(failed) {
          asked.push(failed);
          return 'continue';
        },
      },
    );
    await task.punctuate(1_000);

    expect(asked).toMatchObject([{ kind: 'processing', node: 'shout', taskId: '0_0', source: null }]);
    expect((await commit()).dropped).toEqual([{ reason: 'processing', count: 1, last: { message: 'no time' } }]);
  });
});

/** A serde that takes nothing. */
const refusing: Serde<string> = {
  serialize: () => {
    throw new RangeError('not bad enough');
  },
  deserialize: () => {
    throw new RangeError('not bad enough');
  },
};

const wrongSink = (value: Serde<string>) =>
  new TopologyBuilder()
    .addSource('source', 'in', text)
    .addProcessor('before', () => passing(), { parents: 'source' })
    .addSink('sink', 'out', { key: string(), value, parents: 'before' });

describe('a sink', () => {
  const wrongType = () => wrongSink(long() as never);

  it('stops the task at what it can not serialise unless something else is set', async () => {
    const { task, give } = await start({ settings: { processingExceptionHandler: 'continue' } }, {}, wrongType());
    give('in', [{ value: 'text' }]);

    await expect(async () => task.process(0, 10)).rejects.toMatchObject({ code: 'STREAMS_SERIALIZATION_FAILED' });
  });

  it('goes on without it where the production handler continues', async () => {
    const settings = { productionExceptionHandler: { deadLetterTopic: 'dead' } };
    const { task, give, commit } = await start({ settings }, {}, wrongType());
    give('in', [{ key: 'k', value: 'text' }]);
    await task.process(0, 10);
    const output = await commit();

    expect(texts(output.outputs.get(at('dead')))).toEqual(['k=text@0']);
    expect(output.dropped).toMatchObject([{ reason: 'production', count: 1 }]);
  });

  it.each([
    ['just fits', 100, 1],
    ['is one byte too large', 99, 0],
  ])('counts the bytes of a record: one that %s', async (_, maxRequestSize, written) => {
    const { task, give, commit } = await start({
      settings: { maxRequestSize, productionExceptionHandler: 'continue' },
    });
    give('in', [{ key: 'k'.repeat(8), value: 'v'.repeat(10) }]);
    await task.process(0, 10);
    const output = await commit();

    expect(output.outputs.get(at('out'))?.size ?? 0).toBe(written);
    expect(output.dropped.length).toBe(1 - written);
  });
});

describe('a record that comes too late', () => {
  it('is dropped and counted, as in Kafka Streams', async () => {
    const { task, give, commit } = await start({});
    give('in', [{ value: 'old' }]);
    await task.process(0, 10);
    const output = await commit();

    expect(output.dropped).toMatchObject([{ reason: 'late', count: 1, last: { offset: 0 } }]);
    expect(output.outputs.size).toBe(0);
  });

  it('goes to the dead-letter topic if there is one', async () => {
    const { task, give, commit } = await start({ settings: { deadLetterTopic: 'dead' } });
    give('in', [{ key: 'k', value: 'old', ts: 3 }]);
    await task.process(0, 10);
    const output = await commit();

    expect(texts(output.outputs.get(at('dead')))).toEqual(['k=old@3']);
    expect(headersOf(output)).toMatchObject({
      '__streams.errors.exception': 'LateRecord',
      '__streams.errors.message': 'the record came after the grace period of shout',
    });
  });

  it('can stop the task', async () => {
    const { task, give } = await start({ settings: { lateRecordHandler: 'fail' } });
    give('in', [{ value: 'old' }]);

    await expect(async () => task.process(0, 10)).rejects.toThrow('after the grace period of shout');
  });
});

describe('a handler of the application', () => {
  const answering = (response: unknown) => ({ processing: () => response as FailureResponse });

  test('is asked instead of the setting, with the record and its error', async () => {
    const asked: FailedRecord[] = [];
    const { task, give } = await start(
      {},
      {
        processing(failed) {
          asked.push(failed);
          return 'continue';
        },
      },
    );
    give('in', [{ key: 'k', value: 'bad', ts: 5 }]);
    await task.process(0, 10);

    expect(asked).toMatchObject([
      {
        node: 'shout',
        error: new RangeError('not bad enough'),
        source: { topic: 'in', partition: 0, offset: 0, timestampMs: 5 },
      },
    ]);
    expect(Buffer.from(asked[0]?.source?.value ?? []).toString()).toBe('bad');
  });

  test.each([
    ['a processor', 'bad', 'processing', pipeline],
    ['a processor later', 'bad later', 'processing', pipeline],
    ['the serde of a sink', 'text', 'production', () => wrongSink(refusing)],
    [
      'the serde of a source',
      'text',
      'deserialization',
      () => new TopologyBuilder().addSource('s', 'in', { key: string(), value: refusing }),
    ],
  ] as const)(
    'is given what %s threw, the very error that the dead letter tells of',
    async (_, value, kind, builder) => {
      const asked: FailedRecord[] = [];
      const handler = (failed: FailedRecord): FailureResponse => {
        asked.push(failed);
        return failed.error instanceof RangeError && failed.source !== null ? 'continue' : 'fail';
      };
      const { task, give, commit } = await start(
        { settings: { deadLetterTopic: 'dead' } },
        { [kind]: handler },
        builder(),
      );
      give('in', [{ key: 'k', value }]);
      await task.process(0, 10);
      const headers = headersOf(await commit());

      expect(asked.map(({ kind: of, error }) => [of, (error as Error).message])).toEqual([[kind, 'not bad enough']]);
      expect(headers).toMatchObject({
        '__streams.errors.exception': 'RangeError',
        '__streams.errors.message': 'not bad enough',
      });
    },
  );

  test('written as docs/dsl.md has it lets type errors pass, and stops the task at others', async () => {
    const handlers: FailureHandlers = {
      processing: ({ source, error }) => (error instanceof TypeError && source !== null ? 'continue' : 'fail'), // or 'discard'
    };
    const typed = (thrown: Error) =>
      new TopologyBuilder()
        .addSource('source', 'in', text)
        .addProcessor('throws', () => ({ process: () => Promise.reject(thrown) }), { parents: 'source' });
    const goesOn = await start({}, handlers, typed(new TypeError('no object')));
    const stops = await start({}, handlers, typed(new RangeError('too far')));
    for (const { give } of [goesOn, stops]) give('in', [{ value: 'a' }]);

    expect(await goesOn.task.process(0, 10)).toBe(1);
    await expect(async () => stops.task.process(0, 10)).rejects.toThrow('too far');
  });

  test.each([
    ['continue', 1],
    ['discard', 0],
  ])("that answers '%s' writes %i dead letters", async (response, letters) => {
    const { task, give, commit } = await start({ settings: { deadLetterTopic: 'dead' } }, answering(response));
    give('in', [{ value: 'bad' }]);
    await task.process(0, 10);
    const output = await commit();

    expect(output.outputs.get(at('dead'))?.size ?? 0).toBe(letters);
    expect(output.dropped).toMatchObject([{ reason: 'processing', count: 1 }]);
  });

  test.each([
    ["answers 'fail'", answering('fail'), 'not bad enough'],
    ['answers nothing', answering(undefined), "handler 'processing', asked about node shout: it answered undefined"],
    [
      'throws',
      {
        processing() {
          throw new Error('help');
        },
      },
      "handler 'processing', asked about node shout: help",
    ],
  ])('that %s stops the task', async (_, handlers, message) => {
    const { task, give } = await start({ settings: { processingExceptionHandler: 'continue' } }, handlers);
    give('in', [{ value: 'bad' }]);

    await expect(async () => task.process(0, 10)).rejects.toThrow(message);
  });

  test('is refused where it is none', () => {
    const topology = pipeline().build();

    expect(() => defineApp({ applicationId: 'app', topology, handlers: { late: 5 as never } })).toThrow(TopologyError);
    expect(() => defineApp({ applicationId: 'app', topology, handlers: { lately: () => 'fail' } as never })).toThrow(
      "there is no handler 'lately'",
    );
  });
});
