import { beforeEach, describe, expect, it } from 'vitest';
import { offset } from '../../../lib/model/offset.js';
import type { Manifest } from '../../../lib/snapshots/manifest.js';
import type { SnapshotEntry } from '../../../lib/snapshots/segment-format.js';
import { restampSnapshot } from '../../../lib/snapshots/write-snapshot.js';
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

  it('is written as one with others of its size when there are many: the base stays as it is', async () => {
    let { manifest } = await scene.write(10, many(900));
    const [base] = manifest.segments;
    const seen: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const entries = [entry('k000', `round ${round}`), entry(`k00${round + 1}`, null)];
      ({ manifest } = await scene.write(20 + round, entries, { base: manifest }));
      seen.push(manifest.segments.length);
    }

    expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8, 2, 3, 4]);
    expect(manifest.segments[0]).toEqual(base);
    const now = await content();
    expect([now.length, now[0], now[1]]).toEqual([891, 'k000=round 9', 'k010=value 79190']);
  });

  it('is merged when it is large beside its base', async () => {
    const base = await scene.write(10, many(100));

    const delta = await scene.write(20, many(100), { base: base.manifest });

    expect(levels(delta.manifest)).toEqual(['base']);
  });

  it('costs in proportion to what has changed: of one key in a hundred no more than three bytes in a hundred, merging included', async () => {
    const keys = 20_000;
    const at = (number: number, round: number) =>
      entry(
        `k${String(number).padStart(6, '0')}`,
        Buffer.from(scene.host.digest.sha256(Buffer.from(`${number} ${round}`)), 'hex')
          .toString('latin1')
          .repeat(3),
      );
    let writtenBytes = 0;
    const store: SnapshotScene['store'] = {
      ...scene.store,
      create: (name, bytes) => {
        writtenBytes += bytes.length;
        return scene.store.create(name, bytes);
      },
    };
    const whole = Array.from({ length: keys }, (_, number) => at(number, 0));
    let { manifest } = await scene.write(10, whole, { store });
    const wholeBytes = writtenBytes;
    const parts: number[] = [];
    for (let round = 1; round <= 30; round += 1) {
      writtenBytes = 0;
      const changed = Array.from({ length: keys / 100 }, (_, index) => at(index * 100 + round, round));
      ({ manifest } = await scene.write(10 + round, changed, { base: manifest, store }));
      parts.push(writtenBytes / wholeBytes);
    }

    expect(parts[0]).toBeLessThan(0.03);
    expect(parts.reduce((sum, part) => sum + part, 0) / parts.length).toBeLessThan(0.03);
    expect((await content()).length).toBe(keys);
  });

  it('is merged into a large base a piece at a time: no write has the whole store to do', async () => {
    const sizes = { blockBytes: 256, segmentBytes: 400 };
    const { manifest: base } = await scene.write(10, many(400), { sizes });
    const changed = Array.from({ length: 400 }, (_, index) =>
      entry(`k${String(index).padStart(3, '0')}`, `new ${index * 6007}`),
    );
    const written: number[] = [];
    const store: SnapshotScene['store'] = {
      ...scene.store,
      create: (name, bytes) => {
        if (name.endsWith('.segment')) written[written.length - 1] = (written.at(-1) ?? 0) + bytes.length;
        return scene.store.create(name, bytes);
      },
    };

    let manifest = base;
    for (let round = 0; round < 40; round += 1) {
      written.push(0);
      const entries = round === 0 ? changed : [entry(`l${round}`, 'x')];
      const request = { base: manifest, sizes, store, mergeStepBytes: 1_500 };
      ({ manifest } = await scene.write(20 + round, entries, request));
    }

    const oldBases = new Set(base.segments.map(({ name }) => name));
    expect(base.segments.length).toBeGreaterThan(5);
    expect(manifest.segments.some(({ name }) => oldBases.has(name))).toBe(false);
    expect(manifest.segments.some(({ mergedTo }) => mergedTo !== undefined)).toBe(false);
    expect(Math.max(...written.slice(1))).toBeLessThan(6_000);
    const now = await content();
    expect(now.length).toBe(439);
    expect(now[399]).toBe('k399=new 2396793');
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
