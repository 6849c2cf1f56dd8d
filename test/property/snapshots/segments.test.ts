import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { type ByteKey, byteKey } from '../../../lib/model/byte-key.js';
import { offset } from '../../../lib/model/offset.js';
import { encodeAll } from '../../../lib/snapshots/encode-segments.js';
import { decodeManifest, encodeManifest, type Manifest } from '../../../lib/snapshots/manifest.js';
import { mergeSources, sourceOfSegment } from '../../../lib/snapshots/merge.js';
import type { SegmentReference, SnapshotEntry } from '../../../lib/snapshots/segment-format.js';
import { openSegment } from '../../../lib/snapshots/segment-reader.js';
import type { EncodedSegment } from '../../../lib/snapshots/segment-writer.js';
import { manifestName } from '../../../lib/snapshots/snapshot-names.js';
import { changelog, identity } from '../../support/snapshot-scene.js';

const host = createNodeHost();

const keys: fc.Arbitrary<ByteKey> = fc.uint8Array({ maxLength: 6 }).map(byteKey);
const values = fc.option(
  fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.nat({ max: 3_000 }).map((length) => new Uint8Array(length).fill(7)),
  ),
  { nil: null },
);
const timestamps = fc.oneof(fc.constantFrom(-1, 0, 1, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 32), fc.maxSafeInteger());
const sizes = fc.record({
  blockBytes: fc.integer({ min: 1, max: 300 }),
  segmentBytes: fc.integer({ min: 1, max: 2_000 }),
});

/** Entries in order of their keys, each key once. */
const sortedEntries = (least = 0): fc.Arbitrary<SnapshotEntry[]> =>
  fc
    .uniqueArray(fc.record({ key: keys, value: values, timestampMs: timestamps }), {
      selector: (entry) => entry.key,
      minLength: least,
      maxLength: 60,
      size: 'medium',
    })
    .map((entries) =>
      entries.sort((a, b) => Buffer.compare(Buffer.from(a.key, 'latin1'), Buffer.from(b.key, 'latin1'))),
    );

function storeOf(bytes: Uint8Array) {
  return {
    read: async (_name: string, range?: { readonly from: number; readonly to: number }) =>
      bytes.slice(range?.from ?? 0, range?.to ?? bytes.length),
  };
}

async function decode({ bytes, reference }: EncodedSegment, flipped: Uint8Array = bytes): Promise<SnapshotEntry[]> {
  const named: SegmentReference = { ...reference, name: 'segment', level: 'base' };
  const reader = await openSegment(storeOf(flipped), host, named);
  const entries: SnapshotEntry[] = [];
  for await (const block of reader.read()) entries.push(...block);
  const filter = await reader.filter();
  for (const { key } of entries) expect(filter?.mayHave(key)).toBe(true);
  return entries;
}

const plain = (entries: readonly SnapshotEntry[]) =>
  entries.map(({ key, value, timestampMs }) => [
    key,
    value === null ? null : Buffer.from(value).toString('hex'),
    timestampMs,
  ]);

describe('segments', () => {
  it('give back the entries that were written, bytes, nulls and timestamps, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(sortedEntries(), sizes, async (entries, cut) => {
        const segments = encodeAll(host, entries, { isWhole: false, sizes: cut });

        const decoded: SnapshotEntry[] = [];
        for (const segment of segments) decoded.push(...(await decode(segment)));

        expect(plain(decoded)).toEqual(plain(entries));
        expect(segments.reduce((sum, segment) => sum + segment.reference.entries, 0)).toBe(entries.length);
      }),
      { numRuns: 200 },
    );
  });

  it('notice one changed bit, wherever it is', async () => {
    await fc.assert(
      fc.asyncProperty(sortedEntries(1), fc.nat(), fc.nat({ max: 7 }), async (entries, place, bit) => {
        const [segment] = encodeAll(host, entries, { isWhole: false, sizes: { blockBytes: 100 } });
        if (segment === undefined) throw new Error('one entry makes one segment');
        const flipped = Uint8Array.from(segment.bytes);
        const at = place % flipped.length;
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);

        await expect(decode(segment, flipped)).rejects.toMatchObject({ code: 'STREAMS_SNAPSHOT_CORRUPTED' });
      }),
      { numRuns: 400 },
    );
  });

  it('notice every single changed byte of one small segment', async () => {
    const entries = [...'abc'].map((letter) => ({
      key: byteKey(Buffer.from(letter)),
      value: Buffer.from(letter),
      timestampMs: 1,
    }));
    const [segment] = encodeAll(host, entries, { isWhole: false, sizes: { blockBytes: 1 } });
    if (segment === undefined) throw new Error('three entries make one segment');

    for (let at = 0; at < segment.bytes.length; at += 1) {
      const flipped = Uint8Array.from(segment.bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0xff;
      await expect(decode(segment, flipped), `byte ${at}`).rejects.toMatchObject({
        code: 'STREAMS_SNAPSHOT_CORRUPTED',
      });
    }
  });

  it('cut off anywhere are refused', async () => {
    await fc.assert(
      fc.asyncProperty(sortedEntries(1), fc.nat(), async (entries, place) => {
        const [segment] = encodeAll(host, entries, { isWhole: false });
        if (segment === undefined) throw new Error('one entry makes one segment');

        const cut = decode(segment, segment.bytes.subarray(0, place % segment.bytes.length));

        await expect(cut).rejects.toMatchObject({ code: 'STREAMS_SNAPSHOT_CORRUPTED' });
      }),
      { numRuns: 100 },
    );
  });
});

describe('merging segments', () => {
  it('equals writing them into one map, oldest first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sortedEntries(), { maxLength: 5 }), sizes, async (layers, cut) => {
        const model = new Map<ByteKey, SnapshotEntry>();
        for (const entry of layers.flat()) {
          if (entry.value === null) model.delete(entry.key);
          else model.set(entry.key, entry);
        }
        const segments = layers.flatMap((layer) => encodeAll(host, layer, { isWhole: false, sizes: cut }));
        const readers = await Promise.all(
          segments.map(({ bytes, reference }) =>
            openSegment(storeOf(bytes), host, { ...reference, name: 'segment', level: 'delta' }),
          ),
        );

        const merged: SnapshotEntry[] = [];
        for await (const batch of mergeSources(readers.map(sourceOfSegment))) merged.push(...batch);

        expect(plain(merged)).toEqual(plain([...model.values()].sort((a, b) => (a.key < b.key ? -1 : 1))));
      }),
      { numRuns: 200 },
    );
  });
});

describe('manifests', () => {
  const manifest: Manifest = {
    formatVersion: 1,
    ...identity,
    changelog,
    nextOffset: offset(5),
    lastKnownEndAtMs: 6,
    writer: 'w',
    fingerprint: null,
    segments: encodeAll(host, [{ key: byteKey(Buffer.from('a')), value: Buffer.from('1'), timestampMs: 1 }], {
      isWhole: true,
    }).map(({ reference }) => ({ ...reference, name: 'segment', level: 'base' as const })),
  };

  it('notice every single changed bit', () => {
    const bytes = encodeManifest(host, manifest);

    for (let at = 0; at < bytes.length * 8; at += 1) {
      const flipped = Uint8Array.from(bytes);
      flipped[at >> 3] = (flipped[at >> 3] ?? 0) ^ (1 << (at & 7));
      expect(() => decodeManifest(host, 'manifest', flipped), `bit ${at}`).toThrow(
        expect.objectContaining({ code: 'STREAMS_SNAPSHOT_CORRUPTED' }),
      );
    }
  });

  it('are named so that the order of bytes is newest first: by offset as a number, then by T (trap 23)', () => {
    const numbers = fc.oneof(fc.maxSafeNat(), fc.nat({ max: 1_000 }), fc.constantFrom(9, 10, 99, 100, 2 ** 53 - 1));
    const stamps = fc.record({ nextOffset: numbers.map(offset), lastKnownEndAtMs: numbers, writer: fc.string() });
    fc.assert(
      fc.property(stamps, stamps, (one, two) => {
        fc.pre(one.nextOffset !== two.nextOffset || one.lastKnownEndAtMs !== two.lastKnownEndAtMs);
        const names = [manifestName({ ...identity, ...one }), manifestName({ ...identity, ...two })] as const;

        const isOneNewer =
          one.nextOffset > two.nextOffset ||
          (one.nextOffset === two.nextOffset && one.lastKnownEndAtMs > two.lastKnownEndAtMs);

        expect(Buffer.compare(Buffer.from(names[0]), Buffer.from(names[1]))).toBe(isOneNewer ? -1 : 1);
      }),
      { numRuns: 500 },
    );
  });
});
