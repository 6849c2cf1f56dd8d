import { expect, test } from 'vitest';
import { StreamsBuilder } from '../../../lib/dsl/streams-builder.js';
import { string } from '../../../lib/index.js';
import type { ByteKey } from '../../../lib/model/byte-key.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';
import { startTask } from './task-rig.js';

class ToldStore extends MemoryStore {
  readonly told: ByteKey[][] = [];

  prefetch(keys: Iterable<ByteKey>): void {
    this.told.push([...keys]);
  }
}

test('a store that does not lie in memory is told of the keys of a fetch together, each once, before they are processed', async () => {
  const builder = new StreamsBuilder();
  builder.stream('in', { key: string(), value: string() }).groupByKey().count({ store: 'counts' });
  const store = new ToldStore('counts');
  const rig = await startTask(builder, { stores: new Map([['counts', store]]) });

  rig.give('in', [{ key: 'a' }, { key: 'b', value: '1' }, { key: null, value: '2' }, { key: 'a', value: '3' }]);
  rig.give('in', []);

  expect(store.told).toEqual([['a', 'b']]);
  expect(store.size).toBe(0);
});

test('no more keys of one fetch are told than a store may read ahead', async () => {
  const builder = new StreamsBuilder();
  builder.stream('in', { key: string(), value: string() }).groupByKey().count({ store: 'counts' });
  const store = new ToldStore('counts');
  const rig = await startTask(builder, { stores: new Map([['counts', store]]) });

  rig.give(
    'in',
    Array.from({ length: 10_500 }, (_, number) => ({ key: `k${number}`, value: '' })),
  );

  expect(store.told.map((keys) => keys.length)).toEqual([10_000]);
});
