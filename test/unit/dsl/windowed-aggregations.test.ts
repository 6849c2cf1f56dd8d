import { describe, expect, it } from 'vitest';
import {
  defineApp,
  type KeyValueStore,
  long,
  StreamsBuilder,
  sliding,
  string,
  timeWindowedSerde,
  unlimited,
  type ValueAndTimestamp,
  type Windowed,
  type WindowStore,
} from '../../../lib/index.js';
import { internalTopicSpecs } from '../../../lib/topology/internal-topic-specs.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';
import { drive, grouped, listed, PAUSE, pipe, shown, TEN, updates } from '../../support/windowed-updates.js';
import { startTask } from '../task/task-rig.js';

describe('an aggregation of time windows', () => {
  it('gives each update with the greatest timestamp of its window', async () => {
    const given = await updates(
      (of) => of.windowedBy(TEN).count(),
      [
        ['k', 'a', 7],
        ['k', 'b', 3],
        ['k', 'c', 12],
      ],
    );

    expect(given).toEqual(['k@0-10=1@7', 'k@0-10=2@7', 'k@10-20=1@12']);
  });

  it('takes records until the end of their window has passed by the grace', async () => {
    const given = await updates(
      (of) => of.windowedBy(TEN).count(),
      [
        ['k', 'a', 1],
        ['j', 'b', 14],
        ['k', 'c', 9],
        ['j', 'd', 15],
        ['k', 'e', 9],
      ],
    );

    expect(given).toEqual(['k@0-10=1@1', 'j@10-20=1@14', 'k@0-10=2@9', 'j@10-20=2@15']);
  });

  it('is given null values, while a null key and a late record are dropped and counted', async () => {
    const builder = new StreamsBuilder();
    grouped(builder).windowedBy(TEN).count({ store: 'counts' }).toStream().to('out');
    const { task, give, commit } = await startTask(builder);
    give('in', [
      { key: 'k', value: null, ts: 1 },
      { key: null, value: 'v', ts: 99 },
      { key: 'k', value: 'v', ts: 20 },
      { key: 'k', value: 'v', ts: 2 },
    ]);

    await task.process(0, 10);
    const { outputs, dropped } = await commit();

    expect([...outputs.values()].map(({ size }) => size)).toEqual([2]);
    expect(dropped).toMatchObject([
      { reason: 'null-key', count: 1 },
      { reason: 'late', count: 1 },
    ]);
  });

  it('of sliding windows drops null values too', async () => {
    const windows = sliding({ timeDifference: 10, grace: 5 });

    expect(
      await updates(
        (of) => of.windowedBy(windows).count(),
        [
          ['k', null, 20],
          ['k', 'a', 21],
        ],
      ),
    ).toEqual(['k@11-21=1@21']);
  });

  it('without end leaves out what is before its start', async () => {
    const given = await updates(
      (of) => of.windowedBy(unlimited({ startMs: 5 })).count(),
      [
        ['k', 'a', 4],
        ['k', 'b', 5],
      ],
      timeWindowedSerde(string(), Number.MAX_SAFE_INTEGER),
    );

    expect(given).toEqual([`k@5-${Number.MAX_SAFE_INTEGER}=1@5`]);
  });

  it('deletes a window whose result is null', async () => {
    const builder = new StreamsBuilder();
    const reduced = grouped(builder)
      .windowedBy(TEN)
      .reduce((all, value) => (value === '-' ? null : `${all}${value}`), { store: 'r' });
    reduced.toStream().to('out');
    const driver = await drive(builder);
    await pipe(driver, [
      ['k', 'a', 1],
      ['k', 'b', 2],
      ['k', '-', 3],
    ]);

    const values = driver.readOutputs('out').map(({ value }) => value);
    expect(values).toEqual(['a', 'ab', null]);
    expect(await listed(driver.getStore<WindowStore<string, unknown>>('r').all())).toEqual([]);
  });

  it('is kept in a window store of values with timestamps, readable by time', async () => {
    const builder = new StreamsBuilder();
    grouped(builder).windowedBy(TEN).count({ store: 'counts', retention: '1m' });
    const driver = await drive(builder);
    await pipe(driver, [
      ['k', 'a', 3],
      ['j', 'a', 14],
      ['k', 'b', 15],
    ]);

    const store = driver.getStore<WindowStore<string, ValueAndTimestamp<number>>>('counts');
    expect(await store.fetch('k', 10)).toEqual({ value: 1, timestampMs: 15 });
    expect((await listed(store.all())).map(({ key, value }) => `${shown(key)}=${value.value}`)).toEqual([
      'j@10-20=1',
      'k@0-10=1',
      'k@10-20=1',
    ]);
  });

  it('gives the last update of each window at a commit, where a cache may hold the others back', async () => {
    const builder = new StreamsBuilder();
    grouped(builder).windowedBy(TEN).count({ store: 'counts' }).toStream().to('out');
    const { task, give, commit } = await startTask(builder, { settings: { statestoreCacheMaxBytes: 100_000 } });
    give(
      'in',
      [1, 12, 2, 13].map((ts) => ({ key: 'k', value: 'v', ts })),
    );

    await task.process(0, 10);
    const { outputs } = await commit();

    const read = timeWindowedSerde(string(), 10);
    const given = [...outputs.values()].flatMap((set) =>
      [...set].map(({ key, value }) => `${shown(read.deserialize(key ?? Buffer.alloc(0)))}=${value?.at(7)}`),
    );
    expect(given).toEqual(['k@0-10=2', 'k@10-20=2']);
  });

  it('without end keeps its changelog for ever', () => {
    const builder = new StreamsBuilder();
    grouped(builder).windowedBy(unlimited()).count({ store: 'counts' });
    const app = defineApp({ applicationId: 'app', topology: builder.build() });

    const [changelog] = internalTopicSpecs(app, resolvePartitions(app, new Map([['in', 1]])));
    expect(changelog?.config).toMatchObject({
      'cleanup.policy': 'compact,delete',
      'retention.ms': '9223372036854775807',
    });
  });
});

describe('a windowed table', () => {
  it('can be filtered and kept by its windowed keys', async () => {
    const builder = new StreamsBuilder();
    grouped(builder)
      .windowedBy(TEN)
      .count()
      .filter((_, count) => count > 1, { store: 'many' });
    const driver = await drive(builder);
    await pipe(driver, [
      ['k', 'a', 3],
      ['k', 'b', 4],
      ['j', 'c', 5],
    ]);

    const rows = await listed(
      driver.getStore<KeyValueStore<Windowed<string>, ValueAndTimestamp<number>>>('many').all(),
    );
    expect(rows.map(({ key, value }) => `${shown(key)}=${value.value}`)).toEqual(['k@0-10=2']);
  });

  it('can be grouped anew: sessions that became one are subtracted', async () => {
    const builder = new StreamsBuilder();
    const sessions = grouped(builder).windowedBy(PAUSE).count();
    sessions.groupBy(({ key }, count) => [key, count], { key: string(), value: long() }).count({ store: 'sessions' });
    const driver = await drive(builder);
    await pipe(driver, [
      ['k', 'a', 0],
      ['k', 'b', 10],
      ['k', 'd', 5],
      ['k', 'c', 30],
    ]);

    const store = driver.getStore<KeyValueStore<string, ValueAndTimestamp<number>>>('sessions');
    expect(await store.get('k')).toMatchObject({ value: 2 });
  });
});
