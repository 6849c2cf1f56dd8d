import { describe, expect, it } from 'vitest';
import { type Processor, type ProcessorContext, StreamRecord, StreamsBuilder, string } from '../../../lib/index.js';
import { at, startTask, texts } from './task-rig.js';

const text = { key: string(), value: string() };
const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

type Fails = (record: StreamRecord<string, string>) => void | Promise<void>;

/** A processor that forwards and does not wait, before a step that does; `fails` ends its call. */
function forwarding(fails: Fails, step: (value: string) => string = (value) => value.toUpperCase()): StreamsBuilder {
  const builder = new StreamsBuilder();
  const supplier = (): Processor<string, string, string, string> => {
    let context: ProcessorContext<string, string>;
    return {
      init(given) {
        context = given;
        given.schedule(1_000, 'wallClockTime', () => {
          void given.forward(StreamRecord.of({ key: 'k', value: 'timed', timestampMs: 5 }));
          throw new Error('in the timer');
        });
      },
      process(record) {
        void context.forward(record);
        return record.value === 'bad' ? fails(record) : undefined;
      },
    };
  };
  builder
    .stream('in', text)
    .process(supplier, text)
    .mapValues(
      async (value) => {
        await turn();
        return step(value);
      },
      { value: string() },
    )
    .to('out');
  return builder;
}

const thrown: Fails = () => {
  throw new Error('after the forward');
};
const rejected: Fails = () => Promise.reject(new Error('after the forward'));

describe.each([
  ['throws', thrown],
  ['rejects', rejected],
])('a processor that forwards without waiting and then %s', (_, fails) => {
  it('is done with its record only when the child is, where the task goes on', async () => {
    const { task, give, commit } = await startTask(forwarding(fails), {
      settings: { processingExceptionHandler: 'continue' },
    });
    give('in', [{ key: 'k', value: 'bad', ts: 1 }]);

    await task.process(0, 10);
    const { outputs, offsets, dropped } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['k=BAD@1']);
    expect(offsets.get(at('in'))?.nextOffset).toBe(1);
    expect(dropped).toMatchObject([{ reason: 'processing', count: 1, last: { offset: 0 } }]);
  });

  it('keeps the order of what it forwards with the next record', async () => {
    const { task, give, commit } = await startTask(forwarding(fails), {
      settings: { processingExceptionHandler: 'continue' },
    });
    give('in', [{ value: 'bad' }, { value: 'next' }]);

    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(at('out')))).toEqual(['null=BAD@0', 'null=NEXT@0']);
  });

  it('stops the task by what the child threw, if that was let through', async () => {
    const step = () => {
      throw new Error('in the child');
    };
    const { task, give } = await startTask(forwarding(fails, step), {
      handlers: { processing: ({ error }) => ((error as Error).message === 'in the child' ? 'fail' : 'continue') },
    });
    give('in', [{ value: 'bad' }]);

    await expect(async () => task.process(0, 10)).rejects.toThrow('in the child');
  });
});

it('a timer that forwards without waiting and then throws is done only when the child is', async () => {
  const { task, commit } = await startTask(forwarding(thrown), {
    settings: { processingExceptionHandler: 'continue' },
  });

  await task.punctuate(1_000);

  expect(texts((await commit()).outputs.get(at('out')))).toEqual(['k=TIMED@5']);
});
