import { describe, expect, it } from 'vitest';
import {
  type KeyValueStore,
  keyValueStore,
  type SessionStore,
  type StateStore,
  type StoreSpec,
  sessionStore,
  string,
  TopologyBuilder,
  timestampedKeyValueStore,
  type WindowStore,
  windowStore,
} from '../../../lib/index.js';
import { startTask } from './task-rig.js';

const text = { key: string(), value: string() };
const stored = (value: string) => ({ value, timestampMs: 0 });
const windowAt = (startMs: number) => ({ startMs, endMs: startMs + 10 });

interface Kind {
  readonly spec: StoreSpec;
  /** Puts three entries. */
  fill(store: never): Promise<void>;
  read(store: never): AsyncIterable<unknown>;
}

const kinds: Readonly<Record<string, Kind>> = {
  'a key-value store': {
    spec: keyValueStore({ name: 's', ...text }),
    fill: async (store: KeyValueStore<string, string>) => {
      for (const key of 'abc') await store.put(key, key);
    },
    read: (store: KeyValueStore<string, string>) => store.all(),
  },
  'a timestamped store': {
    spec: timestampedKeyValueStore({ name: 's', ...text }),
    fill: async (store: KeyValueStore<string, unknown>) => {
      for (const key of 'abc') await store.put(key, stored(key));
    },
    read: (store: KeyValueStore<string, unknown>) => store.reverseRange('a', 'c'),
  },
  'a store with a ttl': {
    spec: keyValueStore({ name: 's', ...text, ttl: '1h' }),
    fill: async (store: KeyValueStore<string, string>) => {
      for (const key of 'abc') await store.put(key, key);
    },
    read: (store: KeyValueStore<string, string>) => store.all(),
  },
  'a window store': {
    spec: windowStore({ name: 's', ...text, retention: '1h', windowSize: 10 }),
    fill: async (store: WindowStore<string, string>) => {
      for (const startMs of [0, 10, 20]) await store.put('k', 'v', startMs);
    },
    read: (store: WindowStore<string, string>) => store.fetchAll(0, 100),
  },
  'a session store': {
    spec: sessionStore({ name: 's', ...text, retention: '1h' }),
    fill: async (store: SessionStore<string, string>) => {
      for (const startMs of [0, 100, 200]) await store.put({ key: 'k', window: windowAt(startMs) }, 'v');
    },
    read: (store: SessionStore<string, string>) => store.fetch('k'),
  },
};

describe.each(Object.entries(kinds))('an iterator of %s', (_, { spec, fill, read }) => {
  it('ends with an error once the task is closed, as every other use of the store does', async () => {
    let store: StateStore | undefined;
    let kept: AsyncIterator<unknown> | undefined;
    const builder = new TopologyBuilder()
      .addSource('source', 'in', text)
      .addProcessor(
        'reads',
        () => ({
          init(context) {
            store = context.getStateStore('s');
          },
          async process() {
            await fill(store as never);
            kept = read(store as never)[Symbol.asyncIterator]();
            await kept.next();
          },
        }),
        { parents: 'source' },
      )
      .addStateStore(spec, 'reads');
    const { task, give, commit } = await startTask(builder);
    give('in', [{ value: 'v' }]);
    await task.process(0, 10);
    await commit();

    expect(await kept?.next()).toMatchObject({ done: false });
    await task.close();

    await expect(kept?.next()).rejects.toMatchObject({ code: 'STREAMS_INVALID_STATE_STORE' });
    expect(await kept?.next()).toMatchObject({ done: true });
  });
});
