import { describe, expect, it } from 'vitest';
import { type AsyncOptions, StreamsBuilder, string } from '../../../lib/index.js';
import type { FailureHandlers } from '../../../lib/topology/failure-handlers.js';
import { refusalOf } from '../../support/refusal-of.js';
import { at, startTask, texts } from '../task/task-rig.js';

const text = { key: string(), value: string() };

/** A service that answers when the test says so. */
class Service {
  readonly asked: string[] = [];
  private readonly open = new Map<string, { answer(value: string): void; fail(error: Error): void }>();

  readonly ask = (value: string): Promise<string> => {
    this.asked.push(value);
    return new Promise((resolve, reject) => this.open.set(value, { answer: resolve, fail: reject }));
  };

  async answer(value: string): Promise<void> {
    this.open.get(value)?.answer(`${value}!`);
    await turns();
  }

  async fail(value: string): Promise<void> {
    this.open.get(value)?.fail(new Error(`no ${value}`));
    await turns();
  }
}

/** Lets everything run that waits for nothing but its turn. */
async function turns(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function topology(call: (value: string) => string | Promise<string>, options: AsyncOptions = {}): StreamsBuilder {
  const builder = new StreamsBuilder();
  builder
    .stream('in', text)
    .mapValuesAsync((value) => call(value), options)
    .to('out');
  return builder;
}

const records = (...given: string[]) =>
  given.map((each, index) => ({ key: each[0] as string, value: each, ts: index }));

describe('a function that waits', () => {
  it('does not hold up the records of other keys: they leave as they are answered', async () => {
    const service = new Service();
    const { task, give, commit } = await startTask(topology(service.ask));
    give('in', records('a1', 'b1', 'c1'));

    await task.process(0, 10);
    await service.answer('c1');
    await service.answer('a1');
    const committed = commit();
    await service.answer('b1');

    expect(texts((await committed).outputs.get(at('out')))).toEqual(['c=c1!@2', 'a=a1!@0', 'b=b1!@1']);
  });

  it('is called for one record of a key at a time, in their order', async () => {
    const service = new Service();
    const { task, give, commit } = await startTask(topology(service.ask));
    give('in', records('a1', 'a2', 'b1'));

    await task.process(0, 10);
    expect(service.asked).toEqual(['a1', 'b1']);
    const committed = commit();
    await service.answer('a1');
    expect(service.asked).toEqual(['a1', 'b1', 'a2']);
    await service.answer('a2');
    await service.answer('b1');

    expect(texts((await committed).outputs.get(at('out')))).toEqual(['a=a1!@0', 'a=a2!@1', 'b=b1!@2']);
  });

  it('runs as often at once as was asked for', async () => {
    const service = new Service();
    const { task, give } = await startTask(topology(service.ask, { concurrency: 2 }));
    give('in', records('a1', 'b1', 'c1', 'd1'));

    await task.process(0, 10);
    expect(service.asked).toEqual(['a1', 'b1']);
    await service.answer('b1');

    expect(service.asked).toEqual(['a1', 'b1', 'c1']);
  });

  it('lets the task wait when too many records do', async () => {
    const service = new Service();
    const { task, give } = await startTask(topology(service.ask, { concurrency: 1 }));
    give('in', records(...Array.from({ length: 30 }, (_, index) => `a${index}`)));

    let done: number | null = null;
    void Promise.resolve(task.process(0, 100)).then((count) => {
      done = count;
    });
    await turns();
    expect(done).toBeNull();
    for (let index = 0; index < 13; index += 1) await service.answer(`a${index}`);

    expect(done).toBe(30);
  });

  it('holds back the commit of its records until it has answered', async () => {
    const service = new Service();
    const { task, give, commit } = await startTask(topology(service.ask));
    give('in', records('a1'));
    await task.process(0, 10);

    let isCommitted = false;
    const committed = commit().then((output) => {
      isCommitted = true;
      return output;
    });
    await turns();
    expect(isCommitted).toBe(false);
    await service.answer('a1');

    const { offsets, outputs } = await committed;
    expect(offsets.get(at('in'))?.nextOffset).toBe(1);
    expect(texts(outputs.get(at('out')))).toEqual(['a=a1!@0']);
  });

  it('hands on what was answered with the record after it', async () => {
    const service = new Service();
    const { task, give } = await startTask(topology(service.ask));
    give('in', records('a1', 'b1'));
    await task.process(0, 1);
    const before = task.pendingBytes;
    await service.answer('a1');

    await task.process(0, 1);

    expect(task.pendingBytes).toBeGreaterThan(before);
  });

  it('makes no promise where it answers at once', async () => {
    const { task, give, commit } = await startTask(topology((value) => `${value}!`));
    give('in', records('a1', 'a2'));

    expect(task.process(0, 10)).toBe(2);
    expect(texts((await commit()).outputs.get(at('out')))).toEqual(['a=a1!@0', 'a=a2!@1']);
  });

  it('that fails is a failure of its own record, whichever is being processed', async () => {
    const service = new Service();
    const seen: unknown[] = [];
    const handlers: FailureHandlers = {
      processing: ({ error, source }) => {
        seen.push([error instanceof Error ? error.message : null, source?.offset]);
        return 'continue';
      },
    };
    const { task, give, commit } = await startTask(topology(service.ask), {
      handlers,
      settings: { deadLetterTopic: 'dead' },
      partitionCounts: { out: 1, dead: 1 },
    });
    give('in', records('a1', 'b1', 'c1'));
    await task.process(0, 2);
    await service.fail('a1');
    await task.process(0, 1);
    const committed = commit();
    await service.answer('b1');
    await service.answer('c1');

    const { outputs, dropped } = await committed;
    expect(seen).toEqual([['no a1', 0]]);
    expect(texts(outputs.get(at('dead')))).toEqual(['a=a1@0']);
    expect(texts(outputs.get(at('out')))).toEqual(['b=b1!@1', 'c=c1!@2']);
    expect(dropped.map(({ reason, count }) => [reason, count])).toEqual([['processing', 1]]);
  });

  it('that fails ends the task unless a handler says otherwise', async () => {
    const service = new Service();
    const { task, give, commit } = await startTask(topology(service.ask));
    give('in', records('a1'));
    await task.process(0, 10);
    const committed = commit();
    committed.catch(() => undefined);
    await service.fail('a1');

    await expect(committed).rejects.toThrow(/KSTREAM-MAPVALUESASYNC-0000000001 at in-0, offset 0: no a1/);
  });

  it('is tried again as often as was asked for', async () => {
    let calls = 0;
    const flaky = async (value: string) => {
      calls += 1;
      if (calls < 3) throw new Error('busy');
      return `${value}!`;
    };
    const { task, give, commit } = await startTask(topology(flaky, { retries: 2 }));
    give('in', records('a1'));
    await task.process(0, 10);

    expect(texts((await commit()).outputs.get(at('out')))).toEqual(['a=a1!@0']);
    expect(calls).toBe(3);
  });

  it('is given up after its timeout, and told so', async () => {
    let isToldSo = false;
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .mapValuesAsync(
        (_value, _key, { signal }) => {
          signal.addEventListener('abort', () => {
            isToldSo = true;
          });
          return new Promise<string>(() => undefined);
        },
        { timeout: 20 },
      )
      .to('out');
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
    };
    const { task, give, commit } = await startTask(builder, { sleep });
    give('in', records('a1'));
    await task.process(0, 10);

    await expect(commit()).rejects.toThrow(/mapValuesAsync: no answer within 20 ms/);
    expect(slept).toEqual([20]);
    expect(isToldSo).toBe(true);
  });

  it('is told when its task ends', async () => {
    let isToldSo = false;
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .mapValuesAsync((_value, _key, { signal }) => {
        signal.addEventListener('abort', () => {
          isToldSo = true;
        });
        return new Promise<string>(() => undefined);
      })
      .to('out');
    const { task, give } = await startTask(builder);
    give('in', records('a1'));
    await task.process(0, 10);

    await task.close();

    expect(isToldSo).toBe(true);
  });
});

describe('refused where it is written', () => {
  it.each<[string, AsyncOptions]>([
    ['concurrency is 0', { concurrency: 0 }],
    ['concurrency is 1.5', { concurrency: 1.5 }],
    ['retries is -1', { retries: -1 }],
    ['timeout is 0', { timeout: 0 }],
  ])('%s', (refusal, options) => {
    expect(refusalOf(() => topology((value) => value, options))).toContain(`mapValuesAsync: ${refusal}`);
  });
});
