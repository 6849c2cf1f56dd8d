import { beforeEach, describe, expect, it } from 'vitest';
import { offset } from '../../../lib/model/offset.js';
import { encodeManifest } from '../../../lib/snapshots/manifest.js';
import { manifestName } from '../../../lib/snapshots/snapshot-names.js';
import {
  createSnapshotScene,
  DAY_MS,
  entry,
  HOUR_MS,
  identity,
  type SnapshotScene,
  show,
} from '../../support/snapshot-scene.js';

let scene: SnapshotScene;
beforeEach(() => {
  scene = createSnapshotScene();
});

async function opened(more: Parameters<SnapshotScene['open']>[0] = {}) {
  const { snapshot, reasons } = await scene.open(more);
  return { nextOffset: snapshot?.manifest.nextOffset ?? null, reasons };
}

describe('opening the newest snapshot', () => {
  it('finds none where there is none, without a reason', async () => {
    expect(await opened()).toEqual({ nextOffset: null, reasons: [] });
  });

  it('reads the entries of the newest in order of their keys', async () => {
    await scene.write(5, [entry('a', '1')]);
    await scene.write(10, [entry('a', '2'), entry('b', '1')]);

    const { snapshot, reasons } = await scene.open();

    expect(snapshot?.manifest.nextOffset).toBe(10);
    expect(await show(snapshot?.read() ?? empty())).toEqual(['a=2', 'b=1']);
    expect(reasons).toEqual([]);
  });

  it('reads an empty store as empty', async () => {
    await scene.write(7, []);

    const { snapshot } = await scene.open();

    expect([snapshot?.manifest.nextOffset, await show(snapshot?.read() ?? empty())]).toEqual([7, []]);
  });

  it('offers the newest by offset, whoever wrote last: a stale writer changes nothing (trap 7)', async () => {
    await scene.write(150, [entry('a', 'new')], { writer: 'b' });
    scene.nowMs += 1_000;
    await scene.write(100, [entry('a', 'old')], { writer: 'a' });

    expect((await opened()).nextOffset).toBe(150);
  });

  it('keeps applications, tasks, stores and topics apart', async () => {
    await scene.write(5, [entry('a', '1')], { identity: { ...identity, store: 'counts-2' } });
    await scene.write(6, [entry('a', '1')], { identity: { ...identity, applicationId: 'app/0_3' } });

    expect((await opened()).nextOffset).toBe(null);
  });
});

describe('a snapshot whose tombstones may have expired (trap 12)', () => {
  it('is refused once delete.retention.ms has passed since it was the end, less a margin', async () => {
    await scene.write(10, [entry('a', '1')]);

    scene.nowMs += DAY_MS - 6 * 60_000;
    expect((await opened()).nextOffset).toBe(10);
    scene.nowMs += 2 * 60_000;
    expect(await opened()).toEqual({ nextOffset: null, reasons: ['tombstones-may-have-expired'] });
  });

  it('is used whatever its age if it is still the end: there is no tail that could miss a delete', async () => {
    await scene.write(10, [entry('a', '1')]);
    scene.nowMs += 100 * DAY_MS;

    expect((await opened({ endOffset: offset(10) })).nextOffset).toBe(10);
    expect((await opened({ endOffset: offset(11) })).nextOffset).toBe(null);
  });

  it('takes a margin of a tenth where the retention is short', async () => {
    await scene.write(10, [entry('a', '1')]);

    scene.nowMs += 899;
    expect((await opened({ deleteRetentionMs: 1_000 })).nextOffset).toBe(10);
    scene.nowMs += 1;
    expect((await opened({ deleteRetentionMs: 1_000 })).nextOffset).toBe(null);
  });

  it('never ages where the changelog is not compacted', async () => {
    await scene.write(10, [entry('a', '1')]);
    scene.nowMs += 1_000 * DAY_MS;

    expect((await opened({ deleteRetentionMs: Number.POSITIVE_INFINITY })).nextOffset).toBe(10);
  });

  it('of unknown T is used only while it is the end', async () => {
    await scene.write(10, [entry('a', '1')], { lastKnownEndAtMs: 0 });

    expect((await opened({ endOffset: offset(10) })).nextOffset).toBe(10);
    expect((await opened({ endOffset: offset(11) })).reasons).toEqual(['tombstones-may-have-expired']);
  });
});

describe('a snapshot that does not fit the log', () => {
  it('of a topic that was created again is void (trap 25)', async () => {
    await scene.write(10, [entry('a', '1')]);

    const answer = await opened({ identity: { ...identity, topicId: 'topic-id-2' } });

    expect(answer).toEqual({ nextOffset: null, reasons: ['topic-recreated'] });
  });

  it('below the start of the log is void (trap 12)', async () => {
    await scene.write(10, [entry('a', '1')]);

    expect((await opened({ logStartOffset: offset(10) })).nextOffset).toBe(10);
    expect(await opened({ logStartOffset: offset(11) })).toEqual({ nextOffset: null, reasons: ['below-log-start'] });
  });

  it('beyond the end falls back to the one before', async () => {
    await scene.write(10, [entry('a', '1')]);
    await scene.write(20, [entry('a', '2')]);

    expect(await opened({ endOffset: offset(19) })).toEqual({ nextOffset: 10, reasons: ['beyond-the-end'] });
  });

  it('beyond the committed input of a source topic falls back to the one before', async () => {
    await scene.write(10, [entry('a', '1')]);
    await scene.write(20, [entry('a', '2')]);

    expect((await opened({ notBeyondOffset: offset(20) })).nextOffset).toBe(20);
    expect(await opened({ notBeyondOffset: offset(19) })).toEqual({ nextOffset: 10, reasons: ['beyond-the-limit'] });
  });

  it('of other user code falls back to the one before', async () => {
    await scene.write(10, [entry('a', '1')], { fingerprint: 'v1' });
    await scene.write(20, [entry('a', '2')], { fingerprint: 'v2' });

    expect(await opened({ fingerprint: 'v1' })).toEqual({ nextOffset: 10, reasons: ['other-fingerprint'] });
  });
});

describe('a damaged snapshot (trap 19)', () => {
  it('falls back from a flipped byte in a block to the one before, with a warning and a metric', async () => {
    await scene.write(10, [entry('a', '1')]);
    const { name, manifest } = await scene.write(20, [entry('a', '2')]);
    await scene.flip(manifest.segments[0]?.name ?? '', 12);

    expect(await opened()).toEqual({ nextOffset: 10, reasons: ['corrupt-segment'] });
    expect(scene.lines).toMatchObject([
      { level: 'warn', event: 'snapshot-refused', snapshot: name, error: { code: 'STREAMS_SNAPSHOT_CORRUPTED' } },
    ]);
    expect(scene.host.metrics.snapshot()).toEqual([
      {
        name: 'snapshots-refused',
        kind: 'counter',
        tags: { taskId: '0_3', store: 'counts', reason: 'corrupt-segment' },
        value: 1,
      },
    ]);
  });

  it('falls back from a missing segment, a short one and one with more behind it', async () => {
    await scene.write(10, [entry('a', '1')]);
    const { manifest } = await scene.write(20, [entry('a', '2')]);
    const name = manifest.segments[0]?.name ?? '';
    const whole = Buffer.from((await scene.store.read(name)) ?? []);

    for (const damaged of [null, whole.subarray(0, -1), Buffer.concat([whole, Buffer.from('x')]), Buffer.alloc(0)]) {
      await scene.store.remove(name);
      if (damaged !== null) await scene.store.create(name, damaged);
      expect(await opened()).toEqual({ nextOffset: 10, reasons: ['corrupt-segment'] });
    }
  });

  it('falls back from a torn manifest, and from one under a name that is not its own', async () => {
    await scene.write(10, [entry('a', '1')]);
    const { name, manifest } = await scene.write(20, [entry('a', '2')]);
    const bytes = encodeManifest(scene.host, manifest);
    await scene.store.remove(name);
    await scene.store.create(name, bytes.subarray(0, 40));
    await scene.store.create(manifestName({ ...manifest, nextOffset: offset(30) }), bytes);

    expect(await opened()).toEqual({ nextOffset: 10, reasons: ['corrupt-manifest', 'corrupt-manifest'] });
  });

  it('ends at the log where all are damaged', async () => {
    const written = [await scene.write(10, [entry('a', '1')]), await scene.write(20, [entry('a', '2')])];
    for (const { name } of written) await scene.flip(name, -3);

    expect(await opened()).toEqual({ nextOffset: null, reasons: ['corrupt-manifest', 'corrupt-manifest'] });
  });

  it('opens a bounded number of candidates', async () => {
    await scene.write(1, [entry('a', '1')]);
    for (let next = 2; next <= 20; next += 1) {
      const { name } = await scene.write(next, [entry('a', '1')]);
      await scene.flip(name, -1);
    }

    const { nextOffset, reasons } = await opened();

    expect([nextOffset, reasons.length]).toEqual([null, 16]);
  });

  it('that is found while reading names object and block, and is left out when the caller opens again', async () => {
    await scene.write(10, [entry('a', '1')]);
    const { name, manifest } = await scene.write(20, [entry('a', '1'), entry('b', '2')], { sizes: { blockBytes: 1 } });
    const segment = manifest.segments[0]?.name ?? '';
    await scene.flip(segment, 40);

    const { snapshot } = await scene.open({ verifyBlocks: false });
    const reading = show(snapshot?.read() ?? empty());

    await expect(reading).rejects.toMatchObject({
      code: 'STREAMS_SNAPSHOT_CORRUPTED',
      details: { object: segment, block: 1 },
    });
    expect(await opened({ givenUp: new Set([name]) })).toEqual({ nextOffset: 10, reasons: ['given-up'] });
  });

  it('is told apart from a store that does not answer', async () => {
    await scene.write(10, [entry('a', '1')]);
    const away = { list: scene.store.list, read: () => Promise.reject(new Error('away')) };

    await expect(scene.open({ store: away })).rejects.toThrow('away');
  });

  it('costs nothing where the age alone refuses it', async () => {
    await scene.write(10, [entry('a', '1')]);
    scene.nowMs += DAY_MS + HOUR_MS;
    const listOnly = { list: scene.store.list, read: () => Promise.reject(new Error('was read')) };

    expect((await opened({ store: listOnly })).reasons).toEqual(['tombstones-may-have-expired']);
  });
});

async function* empty() {}
