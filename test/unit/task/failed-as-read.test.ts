/** What handlers and dead letters are given: the record's bytes as they were fetched, and what is known where there are none. */
import { describe, expect, it } from 'vitest';
import {
  type FailedRecord,
  type FailureResponse,
  json,
  type ProcessorContext,
  type Serde,
  StreamRecord,
  StreamsBuilder,
  string,
  tumbling,
  untilTimeLimit,
} from '../../../lib/index.js';
import { at, startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
const raw = '{ "id": 7,  "extra": "keep me" }';
const poison = (): never => {
  throw new Error('poison');
};
const writesNothing = { serialize: poison };
const readOnly: Serde<{ id: number }> = {
  ...writesNothing,
  deserialize: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
};
/** Like `json`, with fields that a schema would leave out. */
const lossy: Serde<{ id: number }> = {
  serialize: ({ id }) => Buffer.from(JSON.stringify({ id })),
  deserialize: readOnly.deserialize,
};
const rig = (builder: StreamsBuilder, asked: FailedRecord[] = []) => {
  const handler = (failed: FailedRecord): FailureResponse => {
    asked.push(failed);
    return 'continue';
  };
  return startTask(builder, {
    settings: { deadLetterTopic: 'dead' },
    partitionCounts: { out: 1, dead: 1 },
    handlers: { processing: handler, production: handler, late: handler },
  });
};
const valuesOf = (asked: readonly FailedRecord[]) => asked.map(({ source }) => String(source?.value ?? null));

describe('a record that fails', () => {
  it.each([
    ['whose serde can not write', readOnly, () => undefined],
    ['whose serde writes less than it was given', lossy, () => undefined],
    [
      'whose value was changed in place',
      json<{ id: unknown }>(),
      (value: { id: unknown }) => {
        value.id = 'changed';
      },
    ],
  ])('goes to its handler and its dead letter as it was read: one %s', async (_, value, change) => {
    const asked: FailedRecord[] = [];
    const builder = new StreamsBuilder();
    builder.stream('in', { key: string(), value: value as Serde<{ id: never }> }).foreach((_key, read) => {
      change(read);
      poison();
    });
    const { task, give, commit } = await rig(builder, asked);
    give('in', [{ key: 'k', value: raw, ts: 3 }]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect(valuesOf(asked)).toEqual([raw]);
    expect(texts(outputs.get(at('dead')))).toEqual([`k=${raw}@3`]);
  });

  it('belongs to the handler: what that changes is seen by nobody else', async () => {
    const builder = new StreamsBuilder();
    builder.stream('in', text).foreach(poison);
    const { task, give, commit } = await startTask(builder, {
      settings: { deadLetterTopic: 'dead' },
      partitionCounts: { dead: 1 },
      handlers: {
        processing({ source }) {
          source?.value?.fill(0);
          return 'continue';
        },
      },
    });
    give('in', [{ key: 'k', value: 'v' }]);

    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(at('dead')))).toEqual(['k=v@0']);
  });

  it('by coming too late costs nothing but itself, though its serde can not write', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', { key: string(), value: readOnly })
      .mapValues(({ id }) => String(id), { value: string() })
      .groupByKey()
      .windowedBy(tumbling({ size: 10 }))
      .count();
    const { task, give, commit } = await startTask(builder);
    give('in', [
      { key: 'k', value: raw, ts: 1_000 },
      { key: 'k', value: raw, ts: 5 },
    ]);

    expect(await task.process(0, 10)).toBe(2);
    expect((await commit()).dropped).toMatchObject([{ reason: 'late', count: 1, last: { offset: 1 } }]);
  });
});

const counted = (builder: StreamsBuilder, cached: boolean) => builder.stream('in', text).groupByKey().count({ cached });
const fails = (value: unknown): string => (value === null ? 'x' : poison());

const heldBack: Readonly<Record<string, () => StreamsBuilder>> = {
  'a cached table': () => {
    const builder = new StreamsBuilder();
    counted(builder, true).toStream().mapValues(fails, { value: string() }).to('out');
    return builder;
  },
  'a cached table, at the sink': () => {
    const builder = new StreamsBuilder();
    counted(builder, true)
      .toStream()
      .to('out', { value: { ...string(), ...writesNothing, format: 'none' } as never });
    return builder;
  },
  'a suppression': () => {
    const builder = new StreamsBuilder();
    counted(builder, false).suppress(untilTimeLimit(5)).toStream().mapValues(fails, { value: string() }).to('out');
    return builder;
  },
};

describe.each(Object.entries(heldBack))('what fails behind %s', (_, make) => {
  it('is counted, and a dead letter that says which record brought it', async () => {
    const asked: FailedRecord[] = [];
    const { task, give, commit } = await rig(make(), asked);
    give('in', [
      { key: 'k', value: 'v', ts: 10, headers: [{ key: 'mine', value: Buffer.from('1') }] },
      { key: null, value: 'v', ts: 20 },
    ]);

    await task.process(0, 1);
    give('in', [{ key: 'later', value: 'v', ts: 15 }]);
    await task.process(0, 10);
    const { outputs, dropped } = await commit();
    const [first] = [...(outputs.get(at('dead')) ?? [])];
    const headers = Object.fromEntries((first?.headers ?? []).map(({ key, value }) => [key, String(value)]));

    expect(first).toMatchObject({ key: null, value: null, timestampMs: 10 });
    expect(headers).toMatchObject({
      mine: '1',
      '__streams.errors.topic': 'in',
      '__streams.errors.partition': '0',
      '__streams.errors.offset': '0',
    });
    expect(asked[0]?.source).toMatchObject({ topic: 'in', offset: 0, timestampMs: 10, isHeldBack: true });
    const failed = dropped.filter(({ reason }) => reason === 'processing' || reason === 'production');
    expect(failed.map(({ count }) => count)).toEqual([outputs.get(at('dead'))?.size]);
  });
});

it('what fails behind a suppression that lets go at once is a dead letter as it was read', async () => {
  const builder = new StreamsBuilder();
  counted(builder, false).suppress(untilTimeLimit(0)).toStream().mapValues(fails, { value: string() }).to('out');
  const { task, give, commit } = await rig(builder);
  give('in', [{ key: 'k', value: 'v', ts: 10 }]);

  await task.process(0, 10);

  expect(texts((await commit()).outputs.get(at('dead')))).toEqual(['k=v@10']);
});

it('what fails behind a timer is counted, and a dead letter with the reason and no record', async () => {
  const builder = new StreamsBuilder();
  const timed = () => ({
    init(context: ProcessorContext<string, string>) {
      context.schedule(1, 'streamTime', (timestampMs) =>
        context.forward(StreamRecord.of({ key: 'k', value: 'timed', timestampMs })),
      );
    },
    process() {},
  });
  builder.stream('in', text).process(timed, text).mapValues(poison, { value: string() }).to('out');
  const { task, give, commit } = await rig(builder);
  give('in', [{ key: 'k', value: 'v', ts: 10 }]);

  await task.process(0, 10);
  const { outputs, dropped } = await commit();
  const letter = outputs.get(at('dead'))?.record(0);
  const headers = Object.fromEntries((letter?.headers ?? []).map(({ key, value }) => [key, value?.toString() ?? null]));

  expect(dropped).toEqual([{ reason: 'processing', count: 1, last: { message: 'poison' } }]);
  expect(letter).toMatchObject({ key: null, value: null, timestampMs: 10 });
  expect(headers).toMatchObject({
    '__streams.errors.message': 'poison',
    '__streams.errors.topic': null,
    '__streams.errors.partition': '-1',
    '__streams.errors.offset': '-1',
  });
});
