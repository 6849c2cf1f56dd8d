import { describe, expect, it } from 'vitest';
import {
  type KeyValueStore,
  keyValueStore,
  type Processor,
  type ProcessorContext,
  type StreamRecord,
  StreamsBuilder,
  string,
} from '../../../lib/index.js';
import { refusalOf } from '../../support/refusal-of.js';
import { at, startTask, texts } from '../task/task-rig.js';

const text = { key: string(), value: string() };

/** Writes what it is given, and answers what the store then shows. */
class PutAndList implements Processor<string, string, string, string> {
  declare private context: ProcessorContext<string, string>;
  declare private store: KeyValueStore<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.context = context;
    this.store = context.getStateStore('kept');
  }

  async process(record: StreamRecord<string, string>): Promise<void> {
    if (record.value !== 'look') await this.store.put(record.key, record.value);
    const got = await this.store.get(record.key);
    const all: string[] = [];
    for await (const { key, value } of this.store.all()) all.push(`${key}=${value}`);
    await this.context.forward(record.withValue(`${got}|${all.join()}`));
  }
}

function withProcessor(ttl: number): StreamsBuilder {
  const builder = new StreamsBuilder();
  builder.addStateStore(keyValueStore({ name: 'kept', ...text, ttl }));
  builder
    .stream('in', text)
    .process(() => new PutAndList(), { stores: ['kept'], ...text })
    .to('out');
  return builder;
}

describe('a key-value store with a ttl', () => {
  it('shows an entry until stream time has come to its end, in gets and in lists', async () => {
    const { task, give, commit } = await startTask(withProcessor(10));
    give('in', [
      { key: 'a', value: '1', ts: 0 },
      { key: 'b', value: '2', ts: 5 },
      { key: 'a', value: 'look', ts: 9 },
      { key: 'a', value: 'look', ts: 10 },
    ]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['a=1|a=1@0', 'b=2|a=1,b=2@5', 'a=1|a=1,b=2@9', 'a=null|b=2@10']);
  });

  it('ends entries that are only read: time goes on with every record of the task', async () => {
    const { task, give, commit, stores } = await startTask(withProcessor(10));
    give('in', [
      { key: 'a', value: '1', ts: 0 },
      { key: 'b', value: 'look', ts: 50 },
    ]);

    await task.process(0, 10);
    await commit();

    expect([...(stores.get('kept')?.committed() ?? [])]).toEqual([]);
  });

  it('removes an entry by a tombstone with the time of its end', async () => {
    const { task, give, commit } = await startTask(withProcessor(10));
    give('in', [{ key: 'a', value: '1', ts: 3 }]);
    await task.process(0, 10);
    await commit();
    give('in', [{ key: 'b', value: 'look', ts: 99 }]);
    await task.process(0, 10);

    const { changelogs } = await commit();

    expect(texts(changelogs.get(at('app-kept-changelog')))).toEqual(['a=null@13']);
  });

  it('keeps an entry that is written again for as long from then on', async () => {
    const { task, give, commit } = await startTask(withProcessor(10));
    give('in', [
      { key: 'a', value: '1', ts: 0 },
      { key: 'a', value: '2', ts: 9 },
      { key: 'a', value: 'look', ts: 18 },
      { key: 'a', value: 'look', ts: 19 },
    ]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out'))).slice(2)).toEqual(['a=2|a=2@18', 'a=null|@19']);
  });

  it('never shows what is written with a time that has ended already', async () => {
    const { task, give, commit, stores } = await startTask(withProcessor(10));
    give('in', [
      { key: 'a', value: '1', ts: 100 },
      { key: 'b', value: 'late', ts: 90 },
    ]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out'))).at(-1)).toBe('b=null|a=1@90');
    expect([...(stores.get('kept')?.committed() ?? [])]).toHaveLength(1);
  });

  it('is worked off a bounded number of entries a record after a jump, oldest first, and shows none of them', async () => {
    const { task, give, commit, stores } = await startTask(withProcessor(10));
    give(
      'in',
      Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, value: 'v', ts: 0 })),
    );
    await task.process(0, 1_000);
    await commit();
    give('in', [{ key: 'z', value: 'look', ts: 1_000 }]);
    await task.process(0, 1_000);
    const { outputs, changelogs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['z=null|@1000']);
    expect(texts(changelogs.get(at('app-kept-changelog')))).toHaveLength(64);
    give('in', [{ key: 'z', value: 'look', ts: 1_000 }]);
    await task.process(0, 1_000);
    await commit();
    expect([...(stores.get('kept')?.committed() ?? [])]).toEqual([]);
  });
});

describe('a table with a ttl', () => {
  it('deletes its rows for what comes after it, with the time of their end', async () => {
    const builder = new StreamsBuilder();
    builder
      .table('in', { ...text, ttl: 10 })
      .toStream()
      .to('out');
    const { task, give, commit } = await startTask(builder);
    give('in', [
      { key: 'a', value: '1', ts: 0 },
      { key: 'b', value: '2', ts: 10 },
    ]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['a=1@0', 'a=null@10', 'b=2@10']);
  });

  it('ends the row of a record’s key before the record, however many have ended before it', async () => {
    const builder = new StreamsBuilder();
    const table = builder.table('in', { ...text, store: 'rows', ttl: 10 });
    const looks = builder.stream('looks', text);
    looks.leftJoin(table, { joiner: (_own, row) => `live ${row}` }).to('out');
    const copy = table.mapValues((row) => row, { store: 'copy', value: string() });
    looks.leftJoin(copy, { joiner: (_own, row) => `copied ${row}` }).to('out');
    const { task, give, commit, stores } = await startTask(builder);
    give(
      'in',
      Array.from({ length: 200 }, (_, index) => ({ key: `k${index}`, value: 'v', ts: Math.floor(index / 100) })),
    );
    await task.process(0, 1_000);
    await commit();
    give('looks', [{ key: 'k199', value: 'look', ts: 1_000 }]);

    await task.process(0, 1_000);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['k199=live null@1000', 'k199=copied null@1000']);
    expect([...(stores.get('rows')?.committed() ?? [])]).toHaveLength(200 - 64 - 1);
  });

  it('takes back of a join what was given out, also where its rows have ended long before that is told', async () => {
    const builder = new StreamsBuilder();
    const left = builder.table('left', { ...text, store: 'left', ttl: 10 });
    const right = builder.table('right', { ...text, store: 'right', ttl: 10 });
    left
      .join(right, { joiner: (own, other) => `${own}${other}` })
      .toStream()
      .to('out');
    const { task, give, commit } = await startTask(builder);
    const rows = Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, value: 'v', ts: 0 }));
    give('left', rows);
    give('right', rows);
    await task.process(0, 1_000);
    await commit();
    give('left', [
      { key: 'x', value: 'v', ts: 1_000 },
      { key: 'x', value: 'v', ts: 1_000 },
    ]);

    await task.process(0, 1_000);
    const { outputs } = await commit();

    expect(new Set(texts(outputs.get(at('out'))))).toEqual(new Set(rows.map(({ key }) => `${key}=null@10`)));
  });

  it('begins an aggregate anew after its end', async () => {
    const builder = new StreamsBuilder();
    builder
      .stream('in', text)
      .groupByKey()
      .reduce((before, value) => before + value, { ttl: 10 })
      .toStream()
      .to('out');
    const { task, give, commit } = await startTask(builder);
    give('in', [
      { key: 'a', value: '1', ts: 0 },
      { key: 'a', value: '2', ts: 9 },
      { key: 'a', value: '3', ts: 19 },
    ]);

    await task.process(0, 10);
    const { outputs } = await commit();

    expect(texts(outputs.get(at('out')))).toEqual(['a=1@0', 'a=12@9', 'a=null@19', 'a=3@19']);
  });

  it('has a changelog of its own where its source topic would do otherwise', () => {
    const builder = new StreamsBuilder();
    builder.table('in', { ...text, store: 'rows', ttl: '1h' });
    const topology = builder.build({ optimization: 'all' });

    expect(topology.changelogs.get('rows')?.internal).toBe(true);
  });
});

describe('refused where it is written', () => {
  it.each<[string, () => unknown]>([
    [
      "STREAMS_INVALID_TOPOLOGY: store 'kept' would keep nothing: its ttl is 0",
      () => keyValueStore({ name: 'kept', ...text, ttl: 0 }),
    ],
    [
      "STREAMS_INVALID_SETTING: ttl of store 'kept': '1y' is no duration",
      () => keyValueStore({ name: 'kept', ...text, ttl: '1y' as never }),
    ],
    [
      "STREAMS_INVALID_TOPOLOGY: store 'rows': a table that keeps its history can not have a ttl",
      () => new StreamsBuilder().table('in', { ...text, store: 'rows', ttl: '1h', historyRetention: '1h' }),
    ],
    [
      "STREAMS_INVALID_TOPOLOGY: global store 'rates' can not have a ttl: it holds what its topic says",
      () => {
        const builder = new StreamsBuilder();
        const store = keyValueStore({ name: 'rates', ...text, ttl: '1h', logged: false });
        builder.addGlobalStore(store, 'rates', text, () => ({ process: () => undefined }));
        return builder.build();
      },
    ],
  ])('%s', (refusal, action) => {
    expect(refusalOf(action)).toBe(refusal);
  });
});
