import { describe, expect, it } from 'vitest';
import {
  InvalidStateStoreError,
  type KeyValueStore,
  keyValueStore,
  long,
  ProcessingError,
  type Processor,
  type ProcessorContext,
  StreamRecord,
  string,
  TopologyBuilder,
} from '../../../lib/index.js';
import { startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
const out = 'out-0' as never;
const later = StreamRecord.of({ key: 'k', value: 'later', timestampMs: 0 });
type Context = ProcessorContext<string, string>;

interface Calls {
  init?(context: Context): void;
  process?(record: StreamRecord<string, string>, context: Context): void | Promise<void>;
}

/** A task of one processor, of which the test has the context too. */
async function taskOf(calls: Calls) {
  let context: Context | undefined;
  const processor: Processor<string, string, string, string> = {
    init(given) {
      context = given;
      calls.init?.(given);
    },
    process: (record) => calls.process?.(record, context as Context),
  };
  const builder = new TopologyBuilder()
    .addSource('source', 'in', text)
    .addProcessor('late', () => ({ ...processor }), { parents: 'source' })
    .addStateStore(keyValueStore({ name: 'seen', key: string(), value: long() }), 'late')
    .addSink('sink', 'out', { ...text, parents: 'late' });
  return { ...(await startTask(builder)), context: context as unknown as Context };
}

describe('after its call has ended a processor', () => {
  it('forwards nothing: the record would go with another commit than its own', async () => {
    const { task, give, commit, context } = await taskOf({});
    give('in', [{ key: 'k', value: 'a' }]);
    await task.process(0, 10);

    expect(() => context.forward(later)).toThrow(ProcessingError);
    expect(() => context.forward(later)).toThrow('node late forwards a record after the call that began it has ended');
    expect((await commit()).outputs.size).toBe(0);
  });

  it('forwards nothing that it did not wait for', async () => {
    const floating: Promise<void>[] = [];
    const { task, give, commit } = await taskOf({
      process(record, context) {
        floating.push(Promise.resolve().then(() => context.forward(record)));
      },
    });
    give('in', [{ key: 'k', value: 'a' }]);
    await task.process(0, 10);

    await expect(floating[0]).rejects.toMatchObject({ code: 'STREAMS_PROCESSING_FAILED', details: { node: 'late' } });
    expect((await commit()).outputs.size).toBe(0);
  });

  it('forwards nothing when its timer is through', async () => {
    const floating: Promise<void>[] = [];
    const { task, commit } = await taskOf({
      init(context) {
        context.schedule(1_000, 'wallClockTime', async () => {
          await context.forward(later);
          floating.push(new Promise((resolve) => setTimeout(resolve, 0)).then(() => context.forward(later)));
        });
      },
    });
    await task.punctuate(1_000);

    await expect(floating[0]).rejects.toThrow(ProcessingError);
    expect(texts((await commit()).outputs.get(out))).toEqual(['k=later@0']);
  });

  it('writes to no store, and may still read', async () => {
    const { task, give, commit, context } = await taskOf({});
    give('in', [{ key: 'k', value: 'a' }]);
    await task.process(0, 10);
    const seen = context.getStateStore<KeyValueStore<string, number>>('seen');

    expect(() => seen.put('k', 1)).toThrow(InvalidStateStoreError);
    expect(await seen.get('k')).toBeNull();
    expect((await commit()).changelogs.size).toBe(0);
  });

  it('has all that it did not wait for but that was forwarded in it', async () => {
    const { task, give, commit } = await taskOf({
      async process(record, context) {
        void context.forward(record);
        await Promise.resolve();
        void context.forward(record.withValue('b'));
      },
    });
    give('in', [{ key: 'k', value: 'a' }]);
    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(out))).toEqual(['k=a@0', 'k=b@0']);
  });

  it('that has thrown is ended, too', async () => {
    const { task, give, context } = await taskOf({
      process: () => Promise.reject(new Error('bad')),
    });
    give('in', [{ key: 'k', value: 'a' }]);
    await expect(async () => task.process(0, 10)).rejects.toThrow('bad');

    expect(() => context.forward(later)).toThrow(ProcessingError);
  });
});

it('a processor may forward and write while it is initialised', async () => {
  const { commit } = await taskOf({
    init(context) {
      void context.getStateStore<KeyValueStore<string, number>>('seen').put('k', 1);
      void context.forward(later);
    },
  });

  expect(texts((await commit()).outputs.get(out))).toEqual(['k=later@0']);
});

describe('a processor is refused', () => {
  it.each<[string, string, (context: Context) => unknown]>([
    [
      'a clock that there is not',
      "processor late: 'STREAM_TIME' is no clock",
      (context) => context.schedule('1s', 'STREAM_TIME' as never, () => undefined),
    ],
    [
      'a timer that calls nothing',
      'processor late: a punctuation needs a function',
      (context) => context.schedule('1s', 'streamTime', undefined as never),
    ],
    [
      'a store that there is not',
      "the topology has none of that name; it has 'seen'",
      (context) => context.getStateStore('nope'),
    ],
  ])('%s, by its name', async (_, message, ask) => {
    await expect(taskOf({ init: (context) => void ask(context) })).rejects.toThrow(message);
  });
});
