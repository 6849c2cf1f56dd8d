import { describe, expect, it } from 'vitest';
import {
  defineApp,
  type Processor,
  type ProcessorContext,
  type StreamRecord,
  StreamsBuilder,
  string,
  TopologyError,
  tumbling,
  untilTimeLimit,
  untilWindowCloses,
} from '../../../lib/index.js';
import { SuppressionFullError } from '../../../lib/model/errors.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';
import { at, startTask } from '../task/task-rig.js';

const text = { key: string(), value: string() };
const settings = { statestoreCacheMaxBytes: 0 };

const start = (builder: StreamsBuilder) =>
  TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build(), settings }));

const shown = (records: readonly { key: unknown; value: unknown; timestampMs: number }[]) =>
  records.map(({ key, value, timestampMs }) => `${key}=${value}@${timestampMs}`);

/** Says where each record came from. */
class Origins implements Processor<string, string | null, string, string> {
  declare private context: ProcessorContext<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.context = context;
  }

  process(record: StreamRecord<string, string | null>) {
    const { topic, partition, offset } = this.context.recordMetadata() ?? {};
    return this.context.forward(record.withValue(`${record.value} of ${topic}-${partition}/${offset}`));
  }
}

describe('a suppressed table', () => {
  it('gives out the last update of a key when its first one is old enough, as the record that brought it', async () => {
    const builder = new StreamsBuilder();
    const table = builder.table('in', { ...text, store: 'rows' });
    table
      .suppress(untilTimeLimit(50))
      .toStream()
      .process(() => new Origins(), text)
      .to('out');
    const driver = await start(builder);
    const headers = [{ key: 'h', value: Buffer.from('1') }];

    await driver.pipeInput('in', { key: 'a', value: '1', timestampMs: 0 });
    await driver.pipeInput('in', { key: 'a', value: '2', timestampMs: 49, headers });
    await driver.pipeInput('in', { key: 'b', value: '3', timestampMs: 50 });

    const records = driver.readOutputs('out', text);
    expect(shown(records)).toEqual(['a=2 of in-0/1@49']);
    expect(records[0]?.headers).toEqual(headers);
  });

  it('gives out early what has waited longest where the buffer is full, or stops if it must not', async () => {
    const of = (whenFull: 'emitEarly' | 'shutDown') => {
      const builder = new StreamsBuilder();
      const table = builder.table('in', { ...text, store: 'rows' });
      table
        .suppress(untilTimeLimit('1h', { maxRecords: 1, whenFull }))
        .toStream()
        .to('out');
      return start(builder);
    };
    const [early, strict] = [await of('emitEarly'), await of('shutDown')];
    const first = { key: 'a', value: '1', timestampMs: 0 };
    const second = { key: 'b', value: '2', timestampMs: 1 };

    await early.pipeInput('in', first);
    await early.pipeInput('in', second);
    await strict.pipeInput('in', first);

    expect(shown(early.readOutputs('out', text))).toEqual(['a=1@0']);
    await expect(strict.pipeInput('in', second)).rejects.toThrow(SuppressionFullError);
  });

  it('looks to joins as it looks downstream: what is held back has not happened yet', async () => {
    const builder = new StreamsBuilder();
    const table = builder.table('in', { ...text, store: 'rows' }).suppress(untilTimeLimit(50));
    builder
      .stream('lines', text)
      .leftJoin(table, { joiner: (line, row) => `${line}+${row}` })
      .to('out');
    const driver = await start(builder);
    const ask = () => driver.pipeInput('lines', { key: 'a', value: 'l', timestampMs: 5 });

    await driver.pipeInput('in', { key: 'a', value: '1', timestampMs: 0 });
    await ask();
    await driver.pipeInput('in', { key: 'b', value: 'x', timestampMs: 50 });
    await ask();
    await driver.pipeInput('in', { key: 'a', value: '2', timestampMs: 60 });
    await ask();

    expect(driver.readOutputs('out', text).map(({ value }) => value)).toEqual(['l+null', 'l+1', 'l+1']);
  });

  it('writes what it holds in Kafka’s bytes, with the version in a header, and a tombstone without', async () => {
    const builder = new StreamsBuilder();
    const table = builder.table('in', { ...text, store: 'rows' });
    table.suppress(untilTimeLimit(50), { name: 'held' }).toStream().to('out');
    const { task, give, commit } = await startTask(builder, { settings });
    give('in', [
      { key: 'a', value: 'v1', ts: 1 },
      { key: 'a', value: 'v2', ts: 2, headers: [{ key: 'h', value: null }] },
    ]);

    await task.process(0, 10);
    const [held] = (await commit()).changelogs.get(at('app-held-store-changelog')) ?? [];
    give('in', [{ key: 'b', value: '3', ts: 51 }]);
    await task.process(0, 10);
    const later = [...((await commit()).changelogs.get(at('app-held-store-changelog')) ?? [])];

    expect(held?.headers).toEqual([{ key: 'v', value: Buffer.of(3) }]);
    expect(Buffer.from(held?.value ?? []).toString('hex')).toBe(
      [
        '0000000000000002', // timestamp
        '0000000000000001', // offset
        '00000002696e', // topic
        '00000000', // partition
        '00000001', // one header
        '0000000168',
        'ffffffff',
        'ffffffff', // prior: none
        '000000027631', // old
        '000000027632', // new
        '0000000000000001', // time in the buffer
      ].join(''),
    );
    expect(later.map(({ key, value, headers }) => [key?.toString(), value === null, headers.length])).toEqual([
      ['b', false, 1],
      ['a', true, 0],
    ]);
  });

  it('mentions no window that was never given out and has no rows any more', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .groupByKey()
      .windowedBy(tumbling({ size: 10 }))
      .aggregate({ init: () => '', add: (_key, value) => (value === 'gone' ? null : value), value: string() })
      .suppress(untilWindowCloses())
      .toStream()
      .map(({ key, window }, value) => [`${key}@${window.startMs}`, value], text)
      .to('out');
    const driver = await start(builder);

    for (const [key, value, timestampMs] of [
      ['a', '1', 0],
      ['b', '2', 1],
      ['a', 'gone', 2],
      ['c', '3', 30],
    ] as const)
      await driver.pipeInput('in', { key, value, timestampMs });

    expect(shown(driver.readOutputs('out', text))).toEqual(['b@0=2@1']);
  });

  it('is refused where there are no windows to close, and where it is told nothing that it knows', () => {
    const table = new StreamsBuilder().table('in', text);

    expect(() => table.suppress(untilWindowCloses() as never)).toThrow(TopologyError);
    expect(() => table.suppress({} as never)).toThrow('until when');
    expect(() => untilTimeLimit(1, { maxRecords: -1 })).toThrow('whole number');
    expect(() => untilTimeLimit(1, { whenFull: 'wait' as never })).toThrow(TopologyError);
    expect(() => untilWindowCloses({ whenFull: 'emitEarly' as never })).toThrow('not be final');
  });
});
