import { beforeAll, describe, expect, it } from 'vitest';
import {
  customStore,
  defineApp,
  json,
  keyValueStore,
  long,
  QueryRefusedError,
  type StateStore,
  StreamsBuilder,
  session,
  sessionStore,
  string,
  tumbling,
  windowStore,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

const text = { key: string(), value: string() };
const first = { startMs: 0, endMs: 10 };

class Bag implements StateStore {
  readonly name = 'bag';
}

let driver: TopologyTestDriver;
beforeAll(async () => {
  const builder = new StreamsBuilder();
  const lines = builder.stream('in', text);
  const grouped = lines.groupByKey();
  grouped.count({ store: 'counts' });
  grouped.windowedBy(tumbling({ size: 10 })).count({ store: 'windows' });
  grouped.windowedBy(session({ inactivityGap: 5 })).count({ store: 'sessions' });
  builder.table('rows', { ...text, store: 'history', historyRetention: 100 });
  builder.globalTable('rates', { ...text, store: 'rates' });
  builder.addStateStore(keyValueStore({ name: 'plain', key: string(), value: long() }));
  builder.addStateStore(windowStore({ name: 'plain-windows', ...text, retention: 100, windowSize: 10 }));
  builder.addStateStore(sessionStore({ name: 'plain-sessions', ...text, retention: 100 }));
  builder.addStateStore(customStore({ name: 'bag', key: string(), value: json(), open: () => new Bag() }));
  const stores = ['plain', 'plain-windows', 'plain-sessions', 'bag'];
  lines.process(() => ({ process: () => undefined }), { stores });
  driver = await TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }), {
    oneTask: true,
  });
  for (const [at, key] of ['be', 'or', 'be'].entries())
    await driver.pipeInput('in', { key, value: 'v', timestampMs: at });
  await driver.pipeInput('rows', { key: 'k', value: 'old', timestampMs: 1 });
  await driver.pipeInput('rows', { key: 'k', value: 'new', timestampMs: 5 });
  await driver.pipeInput('rates', { key: 'EUR', value: '7.5', timestampMs: 3 });
});

describe('a test sees', () => {
  it('the values of a table, alone or with their timestamps', async () => {
    expect(await driver.getKeyValueStore<string, number>('counts').get('be')).toBe(2);
    expect(await driver.getTimestampedKeyValueStore<string, number>('counts').get('be')).toEqual({
      value: 2,
      timestampMs: 2,
    });
    expect(await driver.getKeyValueStore<string, string>('rates').get('EUR')).toBe('7.5');
  });

  it('the entries of a table in order, with the values alone', async () => {
    const seen = [];
    for await (const entry of driver.getKeyValueStore<string, number>('counts').all()) seen.push(entry);

    expect(seen).toEqual([
      { key: 'be', value: 2 },
      { key: 'or', value: 1 },
    ]);
  });

  it('the values of windows, alone or with their timestamps', async () => {
    expect(await driver.getWindowStore<string, number>('windows').fetch('be', 0)).toBe(2);
    expect(await driver.getTimestampedWindowStore<string, number>('windows').fetch('be', 0)).toEqual({
      value: 2,
      timestampMs: 2,
    });
  });

  it('sessions, and a value as it was', async () => {
    const sessions = driver.getSessionStore<string, number>('sessions');
    expect(await sessions.fetchSession('be', 0, 2)).toBe(2);
    expect(await driver.getVersionedKeyValueStore<string, string>('history').get('k', 4)).toMatchObject({
      value: 'old',
    });
  });

  it('stores of processors, whose values have no timestamps, and may put into them', async () => {
    await driver.getKeyValueStore<string, number>('plain').put('k', 1);
    await driver.getWindowStore<string, string>('plain-windows').put('k', 'v', 0);
    await driver.getSessionStore<string, string>('plain-sessions').put({ key: 'k', window: first }, 'v');

    expect(await driver.getKeyValueStore<string, number>('plain').get('k')).toBe(1);
    expect(await driver.getWindowStore<string, string>('plain-windows').fetch('k', 0)).toBe('v');
    expect(await driver.getSessionStore<string, string>('plain-sessions').fetchSession('k', 0, 10)).toBe('v');
    expect(driver.getStore<Bag>('bag')).toBeInstanceOf(Bag);
  });

  it('what it puts into a table, at the time of the wall clock', async () => {
    await driver.getKeyValueStore<string, number>('counts').put('is', 9);

    expect(await driver.getTimestampedKeyValueStore<string, number>('counts').get('is')).toEqual({
      value: 9,
      timestampMs: 0,
    });
  });
});

describe('a store is refused', () => {
  it.each([
    ['getTimestampedKeyValueStore', 'plain', "of kind 'keyValue'", 'getKeyValueStore'],
    ['getKeyValueStore', 'windows', "of kind 'timestampedWindow'", 'getWindowStore or getTimestampedWindowStore'],
    ['getKeyValueStore', 'history', "of kind 'versioned'", 'getVersionedKeyValueStore'],
    ['getKeyValueStore', 'bag', 'of your own kind', 'getStore'],
    [
      'getVersionedKeyValueStore',
      'counts',
      "of kind 'timestampedKeyValue'",
      'getKeyValueStore or getTimestampedKeyValueStore',
    ],
    ['getWindowStore', 'sessions', "of kind 'session'", 'getSessionStore'],
    ['getTimestampedWindowStore', 'plain-windows', "of kind 'window'", 'getWindowStore'],
    ['getSessionStore', 'counts', "of kind 'timestampedKeyValue'", 'getKeyValueStore or getTimestampedKeyValueStore'],
  ] as const)('by %s, with the way to %s', (accessor, store, kind, remedy) => {
    const refusal = refusalOf(() => driver[accessor](store));

    expect(refusal.message).toBe(`${accessor}: store '${store}' is ${kind}`);
    expect(refusal.remedy).toBe(`Ask for it by ${remedy}.`);
  });

  it('where there is none of its name, with the names of those that there are', () => {
    expect(refusalOf(() => driver.getKeyValueStore('count')).message).toContain("no store 'count'; it has 'counts', ");
  });
});

function refusalOf(call: () => unknown): QueryRefusedError {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof QueryRefusedError) return thrown;
  }
  throw new Error('nothing was refused');
}
