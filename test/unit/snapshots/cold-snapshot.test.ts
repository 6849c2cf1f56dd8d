import { describe, expect, test, vi } from 'vitest';
import type { ByteKey } from '../../../lib/model/byte-key.js';
import { ColdReads, ColdSnapshot } from '../../../lib/snapshots/cold-snapshot.js';
import type { SnapshotStore } from '../../../lib/snapshots/snapshot-store.js';
import { LazyStore } from '../../../lib/state/lazy-store.js';
import { createSnapshotScene, entry, identity, keyOf } from '../../support/snapshot-scene.js';

const keys = Array.from({ length: 200 }, (_, number) => `k${String(number).padStart(3, '0')}`);

/** 200 keys in some twenty blocks of one segment, and what is read of them. */
async function readScene(cacheBytes: number) {
  const scene = createSnapshotScene();
  const written = await scene.write(
    100,
    keys.map((key) => entry(key, 'x'.repeat(40))),
    { sizes: { blockBytes: 500 } },
  );
  const reads: { from: number; to: number }[] = [];
  const store: Pick<SnapshotStore, 'read' | 'list'> = {
    list: (prefix, options) => scene.store.list(prefix, options),
    read: (name, range) => {
      if (range !== undefined) reads.push(range);
      return scene.store.read(name, range);
    },
  };
  const cold = await ColdSnapshot.open(
    { store, host: scene.host, identity, reads: new ColdReads(cacheBytes) },
    written,
  );
  await cold.get(keyOf('k000')); // the key filter is there from now on
  reads.length = 0;
  return { scene, cold, reads };
}

/** Waits until so many entries were read ahead. */
const readAhead = (lazy: LazyStore, entries: number) =>
  vi.waitFor(() => expect(lazy.sizeBytes).toBeGreaterThanOrEqual(entries * 160), { interval: 1 });

describe('a snapshot that is read as keys are asked for', () => {
  test('reads the keys of a batch together: each block once, neighbours with one read, though none is kept', async () => {
    const { cold, reads } = await readScene(0);

    const found = await cold.getAll([...keys].reverse().map(keyOf));

    expect(found.size).toBe(200);
    expect([...found.values()].every((value) => value?.value.length === 40)).toBe(true);
    expect(reads).toHaveLength(1);
  });

  test('reads no block for keys that it does not have', async () => {
    const { cold, reads } = await readScene(0);

    const found = await cold.getAll(['a', 'k0005', 'k1505', 'z'].map(keyOf));

    expect([...found.values()]).toEqual([null, null, null, null]);
    expect(reads).toEqual([]);
  });

  test('says at once what was read ahead, what is not there included', async () => {
    const { cold, reads } = await readScene(0);
    const lazy = new LazyStore('counts', cold);

    lazy.prefetch(['k007', 'k150', 'nothing'].map(keyOf));
    await readAhead(lazy, 3);
    const readsAhead = reads.length;

    expect(lazy.get(keyOf('k007'))).toMatchObject({ timestampMs: 1 });
    expect(lazy.get(keyOf('nothing'))).toBeNull();
    expect(lazy.get(keyOf('k150'))).toMatchObject({ timestampMs: 1 });
    expect(readsAhead).toBe(2);
    expect(reads).toHaveLength(readsAhead);
  });

  test('shows what was written since, not what was read ahead', async () => {
    const { cold } = await readScene(0);
    const lazy = new LazyStore('counts', cold);

    lazy.prefetch([keyOf('k007')]);
    await readAhead(lazy, 1);
    lazy.put(keyOf('k007') as ByteKey, Buffer.from('new'), 2);

    expect(await lazy.get(keyOf('k007'))).toMatchObject({ timestampMs: 2 });
  });

  test('forgets what was read ahead where its store lies in a newer snapshot', async () => {
    const { scene, cold } = await readScene(0);
    const lazy = new LazyStore('counts', cold);
    lazy.prefetch([keyOf('k007')]);
    await readAhead(lazy, 1);
    lazy.put(keyOf('k007'), Buffer.from('new'), 2);
    lazy.seal();
    lazy.commit();

    const changes = lazy.beginRebase();
    const delta = await scene.write(101, changes, { base: cold.manifest });
    const reads = new ColdReads(0);
    lazy.rebase(await ColdSnapshot.open({ store: scene.store, host: scene.host, identity, reads }, delta), changes);

    expect(await lazy.get(keyOf('k007'))).toMatchObject({ timestampMs: 2 });
  });

  test('holds no more entries ahead than it may', async () => {
    const { cold } = await readScene(0);
    const lazy = new LazyStore('counts', cold);

    const many = Array.from({ length: 60_000 }, (_, number) => keyOf(`n${number}`));
    lazy.prefetch(many);
    await readAhead(lazy, 19_000);

    expect(lazy.sizeBytes).toBeLessThan(20_001 * 200);
  });
});
