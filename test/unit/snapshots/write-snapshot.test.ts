import { beforeEach, describe, expect, it } from 'vitest';
import { offset } from '../../../lib/model/offset.js';
import type { Manifest } from '../../../lib/snapshots/manifest.js';
import type { SnapshotEntry } from '../../../lib/snapshots/segment-format.js';
import { MAX_DELTA_SEGMENTS, restampSnapshot } from '../../../lib/snapshots/write-snapshot.js';
import {
  createSnapshotScene,
  DAY_MS,
  entry,
  identity,
  type SnapshotScene,
  show,
} from '../../support/snapshot-scene.js';

let scene: SnapshotScene;
beforeEach(() => {
  scene = createSnapshotScene();
});

/** Keys k000 … with values that do not compress away. */
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => entry(`k${String(index).padStart(3, '0')}`, `value ${index * 7919}`));

async function* asynchronously(entries: Iterable<SnapshotEntry>) {
  yield* entries;
}

async function content(): Promise<string[]> {
  const { snapshot } = await scene.open();
  return snapshot === null ? ['no snapshot'] : show(snapshot.read());
}

const levels = (manifest: Manifest) => manifest.segments.map((segment) => segment.level);

describe('a whole snapshot', () => {
  it('has its segments before its manifest: a reader never meets half of it', async () => {
    const created: string[] = [];
    const store: SnapshotScene['store'] = {
      ...scene.store,
      create: (name, bytes) => {
        created.push(name.replace(/.*\./, ''));
        return scene.store.create(name, bytes);
      },
    };

    await scene.write(10, many(40), { store, sizes: { blockBytes: 64, segmentBytes: 256 } });

    expect(created.at(-1)).toBe('manifest');
    expect(created.slice(0, -1).every((kind) => kind === 'segment') && created.length > 2).toBe(true);
    expect((await content()).length).toBe(40);
  });

  it('that fails on the way publishes nothing', async () => {
    await scene.write(5, many(2));
    let left = 1;
    const store: SnapshotScene['store'] = {
      ...scene.store,
      create: async (name, bytes) => {
        left -= 1;
        if (left < 0) throw new Error('disk full');
        return scene.store.create(name, bytes);
      },
    };

    const writing = scene.write(10, many(40), { store, sizes: { blockBytes: 64, segmentBytes: 256 } });

    await expect(writing).rejects.toThrow('disk full');
    expect((await scene.open()).snapshot?.manifest.nextOffset).toBe(5);
  });

  it('reads the entries of a synchronous iterable before it waits for anything', async () => {
    const live = many(3);

    const writing = scene.write(10, live);
    live.length = 0;
    await writing;

    expect((await content()).length).toBe(3);
  });

  it('is the same from an asynchronous iterable', async () => {
    await scene.write(10, asynchronously(many(900)), { sizes: { blockBytes: 512, segmentBytes: 4_096 } });

    expect(await content()).toEqual(many(900).map(({ key, value }) => `${key}=${Buffer.from(value ?? [])}`));
  });

  it('leaves out deletes: there is nothing that they could delete', async () => {
    await scene.write(10, [entry('a', '1'), entry('b', null), entry('c', '')]);

    expect(await content()).toEqual(['a=1', 'c=']);
  });

  it.each([
    ['twice the same key', [entry('a', '1'), entry('a', '2')], {}],
    ['keys out of order', [entry('b', '1'), entry('a', '2')], {}],
    ['keys out of order across segments', [entry('b', '1'), entry('a', '2')], { blockBytes: 1, segmentBytes: 1 }],
  ])('refuses %s and publishes nothing', async (_, entries, sizes) => {
    await expect(scene.write(10, entries, { sizes })).rejects.toMatchObject({ code: 'STREAMS_INTERNAL' });
    await expect(scene.write(10, asynchronously(entries), { sizes })).rejects.toMatchObject({
      code: 'STREAMS_INTERNAL',
    });
    expect((await scene.open()).snapshot).toBe(null);
  });

  it('is given up when the signal fires, with nothing published', async () => {
    await expect(scene.write(10, many(3), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'STREAMS_ABORTED',
    });
    expect((await scene.open()).snapshot).toBe(null);
  });

  it('may be written twice at once: both are there, and either is right', async () => {
    const both = await Promise.all([scene.write(10, many(3)), scene.write(10, many(3))]);

    expect(new Set(both.map(({ name }) => name)).size).toBe(2);
    expect((await content()).length).toBe(3);
  });
});

describe('a delta', () => {
  it('overrides, adds and deletes', async () => {
    const base = await scene.write(10, many(100));
    const entries = [entry('k000', null), entry('k050', 'changed'), entry('z', 'added')];

    const delta = await scene.write(20, entries, { base: base.manifest });

    expect(levels(delta.manifest)).toEqual(['base', 'delta']);
    const now = await content();
    expect(now.length).toBe(100);
    expect([now[0], now[49], now.at(-1)]).toEqual(['k001=value 7919', 'k050=changed', 'z=added']);
  });

  it('without entries is the same segments at a later offset', async () => {
    const base = await scene.write(10, many(3));

    const delta = await scene.write(20, [], { base: base.manifest });

    expect(delta.manifest.segments).toEqual(base.manifest.segments);
    expect((await scene.open()).snapshot?.manifest.nextOffset).toBe(20);
  });

  it('to an empty snapshot is a base', async () => {
    const base = await scene.write(10, []);

    const delta = await scene.write(20, [entry('a', '1'), entry('b', null)], { base: base.manifest });

    expect(levels(delta.manifest)).toEqual(['base']);
    expect(await content()).toEqual(['a=1']);
  });

  it('is merged into a new base when there are too many', async () => {
    let { manifest } = await scene.write(10, many(900));
    const seen: string[][] = [];
    for (let round = 0; round <= MAX_DELTA_SEGMENTS; round += 1) {
      const entries = [entry('k000', `round ${round}`), entry(`k00${round + 1}`, null)];
      ({ manifest } = await scene.write(20 + round, entries, { base: manifest }));
      seen.push(levels(manifest));
    }

    expect(seen.map((one) => one.length)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 1]);
    expect(levels(manifest)).toEqual(['base']);
    const now = await content();
    expect([now.length, now[0], now[1]]).toEqual([891, 'k000=round 8', 'k010=value 79190']);
  });

  it('is merged when it is large beside its base', async () => {
    const base = await scene.write(10, many(100));

    const delta = await scene.write(20, many(100), { base: base.manifest });

    expect(levels(delta.manifest)).toEqual(['base']);
  });

  it('that cannot be merged because its base is damaged says so', async () => {
    const base = await scene.write(10, many(100));
    await scene.flip(base.manifest.segments[0]?.name ?? '', 20);

    const writing = scene.write(20, many(100), { base: base.manifest });

    await expect(writing).rejects.toMatchObject({ code: 'STREAMS_SNAPSHOT_CORRUPTED' });
  });

  it('of another store, or older than its base, is refused', async () => {
    const { manifest } = await scene.write(10, many(3));

    const ofOther = scene.write(20, [], { base: manifest, identity: { ...identity, store: 'other' } });
    const older = scene.write(9, [], { base: manifest });

    await expect(ofOther).rejects.toMatchObject({ code: 'STREAMS_INTERNAL' });
    await expect(older).rejects.toMatchObject({ code: 'STREAMS_INTERNAL' });
  });
});

describe('a re-stamped snapshot', () => {
  it('is usable for another delete.retention.ms, from the same segments', async () => {
    const { manifest } = await scene.write(10, many(3));
    scene.nowMs += DAY_MS;
    await restampSnapshot({ ...scene, manifest, writer: 'task', lastKnownEndAtMs: scene.nowMs });
    scene.nowMs += DAY_MS / 2;

    const { snapshot, reasons } = await scene.open();

    expect(snapshot?.manifest.segments).toEqual(manifest.segments);
    expect([snapshot?.manifest.nextOffset, reasons]).toEqual([10, []]);
  });

  it('never goes back in time', async () => {
    const { name, manifest } = await scene.write(10, many(3));

    const again = await restampSnapshot({ ...scene, manifest, writer: 'task', lastKnownEndAtMs: scene.nowMs - 1 });

    expect(again).toEqual({ name, manifest });
    expect((await scene.store.list('')).filter((one) => one.name.endsWith('.manifest')).length).toBe(1);
  });

  it('does not come before a snapshot at a later offset', async () => {
    const { manifest } = await scene.write(10, many(3));
    await scene.write(20, many(4));
    await restampSnapshot({ ...scene, manifest, writer: 'task', lastKnownEndAtMs: scene.nowMs + 1_000 });

    expect((await scene.open({ endOffset: offset(20) })).snapshot?.manifest.nextOffset).toBe(20);
  });
});
