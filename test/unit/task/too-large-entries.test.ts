import { describe, expect, test } from 'vitest';
import { type KeyValueStore, keyValueStore, string, TopologyBuilder } from '../../../lib/index.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import { startTask } from './task-rig.js';

async function startKeeper(settings: SettingsInput, logged = true) {
  const text = { key: string(), value: string() };
  let store: KeyValueStore<string, string> | undefined;
  const builder = new TopologyBuilder()
    .addSource('in', 'in', text)
    .addProcessor<string, string, never, never>(
      'keeper',
      () => ({
        init(context) {
          store = context.getStateStore('kept');
        },
        async process({ key, value }) {
          await store?.put(key, value);
        },
      }),
      { parents: 'in' },
    )
    .addStateStore(keyValueStore({ name: 'kept', ...text, logged }), 'keeper');
  return startTask(builder, { settings });
}

describe('an entry that can not fit', () => {
  test('is refused where it is written, with the names of its store and its key', async () => {
    const { task, give } = await startKeeper({ maxRequestSize: 100 });
    give('in', [{ key: 'large', value: 'x'.repeat(96) }]);

    const processed = (async () => task.process(0, 10))();

    await expect(processed).rejects.toMatchObject({
      code: 'STREAMS_RECORD_TOO_LARGE',
      kind: 'invalid',
      message: expect.stringMatching(/store kept .*'large' has 101 bytes/),
      details: { store: 'kept', key: "'large'", sizeBytes: 101, allowedBytes: 100 },
    });
  });

  test('is for the processing handler: what follows is processed, and the store is as it was', async () => {
    const { task, give, stores } = await startKeeper({ maxRequestSize: 100, processingExceptionHandler: 'continue' });
    give('in', [
      { key: 'a', value: '1' },
      { key: 'a', value: 'x'.repeat(200) },
      { key: 'b', value: '2' },
    ]);

    await task.process(0, 10);

    const values = await Promise.all(
      ['a', 'b'].map(async (key) => (await stores.get('kept')?.get(key as never))?.value),
    );
    expect(values.map((value) => Buffer.from(value ?? []).toString())).toEqual(['1', '2']);
  });

  test('is an entry of a store with a changelog alone', async () => {
    const { task, give, stores } = await startKeeper({ maxRequestSize: 100 }, false);
    give('in', [{ key: 'large', value: 'x'.repeat(200) }]);

    await task.process(0, 10);

    expect(stores.get('kept')?.size).toBe(1);
  });

  test('can always be deleted', async () => {
    const { task, give, stores } = await startKeeper({ maxRequestSize: 100 });
    give('in', [{ key: 'k'.repeat(200), value: null }]);

    await task.process(0, 10);

    expect(stores.get('kept')?.size).toBe(0);
  });
});
