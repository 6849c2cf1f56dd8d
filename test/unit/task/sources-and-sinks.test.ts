import { describe, expect, it, test } from 'vitest';
import {
  defineApp,
  failOnInvalidTimestamp,
  type KeyValueStore,
  logAndSkipOnInvalidTimestamp,
  type ProcessorContext,
  type SettingsInput,
  type StreamPartitioner,
  StreamRecord,
  StreamsBuilder,
  string,
  type TimestampExtractor,
  TopologyBuilder,
  usePartitionTimeOnInvalidTimestamp,
  type ValueAndTimestamp,
  wallclockTimestamp,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';
import { startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
const at = (topic: string, partition = 0) => `${topic}-${partition}` as never;

const copying = (timestampExtractor: TimestampExtractor) =>
  new TopologyBuilder()
    .addSource('source', 'in', { ...text, timestampExtractor })
    .addSink('sink', 'out', { ...text, parents: 'source' });

describe('a timestamp that is none', () => {
  async function outcome(extractor: TimestampExtractor, times: readonly number[]) {
    const { task, give, commit } = await startTask(copying(extractor));
    give(
      'in',
      times.map((ts, index) => ({ value: `${index}`, ts })),
    );
    await task.process(500, 10);
    const { outputs, dropped } = await commit();
    return { written: texts(outputs.get(at('out'))), dropped: dropped.map(({ reason, count }) => [reason, count]) };
  }

  test('stops the task', async () => {
    await expect(outcome(failOnInvalidTimestamp, [5, -1])).rejects.toMatchObject({
      code: 'STREAMS_PROCESSING_FAILED',
      details: { topic: 'in', partition: 0, offset: 1, timestampMs: -1 },
    });
  });

  test('drops the record, which is counted', async () => {
    expect(await outcome(logAndSkipOnInvalidTimestamp, [5, -1, 7])).toEqual({
      written: ['null=0@5', 'null=2@7'],
      dropped: [['negative-timestamp', 1]],
    });
  });

  test('becomes the greatest of its partition so far', async () => {
    expect(await outcome(usePartitionTimeOnInvalidTimestamp, [5, 9, 7, -1])).toMatchObject({
      written: ['null=0@5', 'null=1@9', 'null=2@7', 'null=3@9'],
    });
    await expect(outcome(usePartitionTimeOnInvalidTimestamp, [-1])).rejects.toMatchObject({
      code: 'STREAMS_PROCESSING_FAILED',
    });
  });

  test('does not matter where processing time counts', async () => {
    expect(await outcome(wallclockTimestamp, [5, -1])).toEqual({
      written: ['null=0@500', 'null=1@500'],
      dropped: [],
    });
  });
});

describe('the timestamp extractor of sources that have none of their own', () => {
  const app = (settings: SettingsInput, timestampExtractor?: TimestampExtractor, own?: TimestampExtractor) => ({
    builder: new TopologyBuilder()
      .addSource('source', 'in', { ...text, ...(own === undefined ? {} : { timestampExtractor: own }) })
      .addSink('sink', 'out', { ...text, parents: 'source' }),
    options: { settings, ...(timestampExtractor === undefined ? {} : { timestampExtractor }) },
  });
  async function timesOf({ builder, options }: ReturnType<typeof app>): Promise<readonly string[]> {
    const { task, give, commit } = await startTask(builder, options);
    give('in', [
      { value: 'a', ts: 7 },
      { value: 'b', ts: -1 },
    ]);
    await task.process(500, 10);
    return texts((await commit()).outputs.get(at('out')));
  }
  const always: TimestampExtractor = () => 42;

  it.each<[SettingsInput['defaultTimestampExtractor'] & string, readonly string[]]>([
    ['logAndSkipOnInvalidTimestamp', ['null=a@7']],
    ['usePartitionTimeOnInvalidTimestamp', ['null=a@7', 'null=b@7']],
    ['wallclockTimestamp', ['null=a@500', 'null=b@500']],
  ])('is the one that the setting names: %s', async (defaultTimestampExtractor, expected) => {
    expect(await timesOf(app({ defaultTimestampExtractor }))).toEqual(expected);
  });

  it('stops the task at a negative timestamp where the setting is failOnInvalidTimestamp', async () => {
    await expect(timesOf(app({ defaultTimestampExtractor: 'failOnInvalidTimestamp' }))).rejects.toMatchObject({
      code: 'STREAMS_PROCESSING_FAILED',
    });
  });

  it("is the application's function rather than the setting", async () => {
    const timed = app({ defaultTimestampExtractor: 'failOnInvalidTimestamp' }, always);

    expect(await timesOf(timed)).toEqual(['null=a@42', 'null=b@42']);
  });

  it('is never asked where a source has its own', async () => {
    const timed = app({ defaultTimestampExtractor: 'failOnInvalidTimestamp' }, wallclockTimestamp, always);

    expect(await timesOf(timed)).toEqual(['null=a@42', 'null=b@42']);
  });

  it('does not touch the records of internal topics, which have the time that the task before gave them', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .selectKey((_, value) => value)
      .groupByKey()
      .count({ store: 'counts' });
    const topology = builder.build();
    const driver = await TopologyTestDriver.start(
      defineApp({ applicationId: 'app', topology, timestampExtractor: ({ timestampMs }) => timestampMs + 1 }),
    );

    await driver.pipeInput('in', { key: 'k', value: 'v', timestampMs: 10 });
    const counts = driver.getStore<KeyValueStore<string, ValueAndTimestamp<number>>>('counts');

    expect(await counts.get('v')).toEqual({ value: 1, timestampMs: 11 });
    await driver.close();
  });

  it('is refused where it is no function', () => {
    expect(() =>
      defineApp({ applicationId: 'app', topology: copying(always).build(), timestampExtractor: 'now' as never }),
    ).toThrow('timestampExtractor is a string, a function is wanted');
  });
});

describe('a partitioner', () => {
  async function partitionsOf(partitioner: StreamPartitioner): Promise<readonly number[]> {
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addSink('sink', 'out', { ...text, parents: 'source', partitioner });
    const { task, give, commit } = await startTask(builder, { partitionCounts: { out: 4 } });
    give('in', [{ key: 'k', value: 'v' }]);
    await task.process(0, 10);
    const { outputs } = await commit();
    return [0, 1, 2, 3].flatMap((partition) => {
      const set = outputs.get(at('out', partition));
      return set === undefined ? [] : new Array<number>(set.size).fill(partition);
    });
  }

  it.each<[string, ReturnType<StreamPartitioner>, readonly number[]]>([
    ['one', 3, [3]],
    ['several, each once', [2, 0, 2], [0, 2]],
    ['all', [0, 1, 2, 3], [0, 1, 2, 3]],
    ['none', [], []],
  ])('writes a record to the partitions that it names: %s', async (_, answer, wanted) => {
    expect(await partitionsOf(() => answer)).toEqual(wanted);
  });

  it('that names a partition which the topic lacks stops the task and writes nothing', async () => {
    await expect(partitionsOf(() => [0, 4])).rejects.toMatchObject({ code: 'STREAMS_PROCESSING_FAILED' });
  });
});

describe('the function that names the topic of each record', () => {
  const byOrigin = (schedules: boolean) =>
    new TopologyBuilder()
      .addSource('source', 'in', text)
      .addProcessor<string, string, string, string>(
        'step',
        () => {
          let context: ProcessorContext<string, string>;
          return {
            init(given) {
              context = given;
              if (schedules)
                context.schedule(5, 'streamTime', (timestampMs) =>
                  context.forward(StreamRecord.of({ key: 'timer', value: 't', timestampMs })),
                );
            },
            process: (record) =>
              schedules ? undefined : context.forward(record.withTimestamp(record.timestampMs + 1)),
          };
        },
        { parents: 'source' },
      )
      .addSink(
        'sink',
        (record, { topic, partition, offset, timestampMs, headers }) => {
          seen.push([record.key, topic, partition, offset, timestampMs, headers.length]);
          return 'out';
        },
        { ...text, parents: 'step' },
      );
  const seen: unknown[] = [];

  it('is told where the record comes from, and with what it is written', async () => {
    seen.length = 0;
    const { task, give } = await startTask(byOrigin(false));
    give('in', [{ key: 'k', value: 'v', ts: 7, offset: 41, headers: [{ key: 'h', value: null }] }]);

    await task.process(0, 10);

    expect(seen).toEqual([['k', 'in', 0, 41, 8, 1]]);
  });

  it('is told of no input in a punctuation', async () => {
    seen.length = 0;
    const { task, give } = await startTask(byOrigin(true));
    give('in', [{ key: 'k', value: 'v', ts: 7 }]);

    await task.process(0, 10);

    expect(seen).toEqual([['timer', null, null, null, 7, 0]]);
  });
});
