import { beforeEach, describe, expect, it } from 'vitest';
import { restampSnapshot } from '../../../lib/snapshots/write-snapshot.js';
import { createSnapshotScene, entry, HOUR_MS, type SnapshotScene } from '../../support/snapshot-scene.js';

let scene: SnapshotScene;
beforeEach(() => {
  scene = createSnapshotScene();
});

const names = async (ending: string) =>
  (await scene.store.list('')).map((one) => one.name).filter((name) => name.endsWith(ending));

describe('collecting garbage', () => {
  it('keeps the newest snapshots with their segments, whatever their age', async () => {
    const written = [];
    for (const next of [10, 20, 30, 40]) written.push(await scene.write(next, [entry('a', String(next))]));
    scene.nowMs += 100 * HOUR_MS;

    const removed = await scene.collect({ keepSnapshots: 2 });

    const old = written.slice(0, 2);
    expect([...removed].sort()).toEqual(
      old.flatMap(({ name, manifest }) => [name, ...manifest.segments.map((segment) => segment.name)]).sort(),
    );
    const { snapshot } = await scene.open({ deleteRetentionMs: Number.POSITIVE_INFINITY });
    expect(snapshot?.manifest.nextOffset).toBe(40);
    expect([(await names('.manifest')).length, (await names('.segment')).length]).toEqual([2, 2]);
  });

  it('removes nothing that is younger than the safe age', async () => {
    for (const next of [10, 20, 30, 40]) await scene.write(next, [entry('a', String(next))]);
    scene.nowMs += HOUR_MS;

    expect(await scene.collect({ keepSnapshots: 1 })).toEqual([]);
  });

  it('removes segments that a writer left without a manifest, once they are old', async () => {
    const { manifest, name } = await scene.write(10, [entry('a', '1')]);
    await scene.store.remove(name);
    scene.nowMs += HOUR_MS / 2;
    await scene.write(20, [entry('a', '2')]);

    const early = await scene.collect();
    scene.nowMs += HOUR_MS;
    const late = await scene.collect();

    expect([early, late]).toEqual([[], manifest.segments.map((segment) => segment.name)]);
  });

  it('keeps the segments of a base that a kept delta names', async () => {
    const many = Array.from({ length: 200 }, (_, index) => entry(`k${1_000 + index}`, String(index * 7919)));
    const base = await scene.write(10, many);
    await scene.write(20, [entry('a', '1')], { base: base.manifest });
    scene.nowMs += 2 * HOUR_MS;

    const removed = await scene.collect({ keepSnapshots: 1 });

    expect(removed).toEqual([base.name]);
    expect((await scene.open()).snapshot?.manifest.nextOffset).toBe(20);
  });

  it('counts a re-stamped snapshot once, so that there is still one to fall back to', async () => {
    await scene.write(10, [entry('a', '1')]);
    const newest = await scene.write(20, [entry('a', '2')]);
    for (let round = 1; round <= 5; round += 1) {
      await restampSnapshot({
        ...scene,
        manifest: newest.manifest,
        writer: 's',
        lastKnownEndAtMs: scene.nowMs + round,
      });
    }
    scene.nowMs += 2 * HOUR_MS;

    const removed = await scene.collect({ keepSnapshots: 2 });

    expect(removed.length).toBe(5);
    expect((await names('.manifest')).length).toBe(2);
    await scene.flip(newest.manifest.segments[0]?.name ?? '', 12);
    expect((await scene.open()).snapshot?.manifest.nextOffset).toBe(10);
  });

  it('does not count a manifest that cannot be read as kept', async () => {
    await scene.write(10, [entry('a', '1')]);
    const broken = await scene.write(20, [entry('a', '2')]);
    await scene.flip(broken.name, -2);
    scene.nowMs += 2 * HOUR_MS;

    const removed = await scene.collect({ keepSnapshots: 1 });

    expect(removed).toEqual([broken.name, broken.manifest.segments[0]?.name]);
    expect((await scene.open()).snapshot?.manifest.nextOffset).toBe(10);
  });

  it('may run several times at once', async () => {
    for (const next of [10, 20, 30]) await scene.write(next, [entry('a', String(next))]);
    scene.nowMs += 2 * HOUR_MS;

    await Promise.all([scene.collect({ keepSnapshots: 1 }), scene.collect({ keepSnapshots: 1 })]);

    expect((await scene.open()).snapshot?.manifest.nextOffset).toBe(30);
    expect((await scene.store.list('')).length).toBe(2);
  });
});
