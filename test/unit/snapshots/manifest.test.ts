import { describe, expect, it } from 'vitest';
import { offset } from '../../../lib/model/offset.js';
import { decodeManifest, encodeManifest, type Manifest } from '../../../lib/snapshots/manifest.js';
import { nameSegment } from '../../../lib/snapshots/object-name.js';
import { manifestName, parseManifestName, snapshotPrefix } from '../../../lib/snapshots/snapshot-names.js';
import { changelog, createSnapshotScene, identity, keyOf } from '../../support/snapshot-scene.js';

const { host } = createSnapshotScene();
const manifest: Manifest = {
  formatVersion: 1,
  ...identity,
  changelog,
  nextOffset: offset(2 ** 53 - 1),
  lastKnownEndAtMs: 1_700_000_000_000,
  writer: 'standby.0123',
  fingerprint: null,
  segments: [
    {
      name: 'app/0_3/counts/id/segments/x.segment',
      sizeBytes: 100,
      entries: 2,
      firstKey: keyOf('\x00\xff'),
      lastKey: keyOf('\xff"\n'),
      codec: 1,
      crc: 0xffffffff,
      level: 'base',
    },
  ],
};

const reencoded = (change: (json: Record<string, unknown>) => void): Uint8Array => {
  const bytes = Buffer.from(encodeManifest(host, manifest));
  const json = JSON.parse(bytes.subarray(bytes.indexOf(10) + 1).toString());
  change(json);
  const body = Buffer.from(JSON.stringify(json));
  const version = typeof json.formatVersion === 'number' ? json.formatVersion : 1;
  const crc = host.digest.crc32c(body).toString(16).padStart(8, '0');
  return Buffer.concat([Buffer.from(`millrace-manifest ${version} ${crc}\n`), body]);
};

describe('a manifest', () => {
  it('is read as it was written', () => {
    expect(decodeManifest(host, 'm', encodeManifest(host, manifest))).toEqual(manifest);
  });

  it('starts with a line that names its format and version', () => {
    expect(Buffer.from(encodeManifest(host, manifest)).toString()).toMatch(/^millrace-manifest 1 [0-9a-f]{8}\n\{/);
  });

  it('of a later version is refused, not guessed at', () => {
    const later = reencoded((json) => {
      json.formatVersion = 2;
    });

    expect(() => decodeManifest(host, 'm', later)).toThrow(/version 2 is unknown/);
  });

  it.each([
    'applicationId',
    'taskId',
    'store',
    'topicId',
    'changelog',
    'nextOffset',
    'lastKnownEndAtMs',
    'writer',
    'fingerprint',
    'segments',
  ])('without %s is refused though its checksum is right', (field) => {
    const without = reencoded((json) => {
      delete json[field];
    });

    expect(() => decodeManifest(host, 'm', without)).toThrow(
      expect.objectContaining({ code: 'STREAMS_SNAPSHOT_CORRUPTED', details: { object: 'm' } }),
    );
  });

  it.each([
    ['nextOffset', -1],
    ['nextOffset', 1.5],
    ['nextOffset', '5'],
    ['segments', [{}]],
    ['segments', [null]],
    ['changelog', { topic: 't' }],
  ])('with %s %j is refused', (field, value) => {
    const wrong = reencoded((json) => {
      json[field] = value;
    });

    expect(() => decodeManifest(host, 'm', wrong)).toThrow(/a field is missing or wrong/);
  });

  it.each(['', '\n', 'millrace-manifest', 'null', '{}'])('is not %j', (text) => {
    expect(() => decodeManifest(host, 'm', Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'STREAMS_SNAPSHOT_CORRUPTED' }),
    );
  });
});

describe('the name of a manifest', () => {
  it('says where it stands', () => {
    const name = manifestName({ ...identity, nextOffset: offset(12), lastKnownEndAtMs: 34, writer: 'a-1.f' });

    expect(name).toBe('app/0_3/counts/topic-id-1/9007199254740979/9007199254740957-a-1.f.manifest');
    expect(parseManifestName(snapshotPrefix(identity), name)).toEqual({ name, nextOffset: 12, lastKnownEndAtMs: 34 });
  });

  it.each([
    'app/0_3/counts/topic-id-1/segments/9007199254740979-a-0.segment',
    'app/0_3/counts/topic-id-1/9007199254740979/x.manifest',
    'app/0_3/counts/topic-id-1/9999999999999999/9007199254740957-a.manifest',
    'app/0_3/other/topic-id-1/9007199254740979/9007199254740957-a.manifest',
  ])('is not %s', (name) => {
    expect(parseManifestName(snapshotPrefix(identity), name)).toBe(null);
  });

  it('keeps ids from outside within their segment of the path', () => {
    expect(nameSegment('../a/b')).toBe('%2E.%2Fa%2Fb');
    expect(nameSegment('.')).toBe('%2E');
    expect(nameSegment("å!'()*~")).toBe('%C3%A5%21%27%28%29%2A%7E');
    expect(nameSegment('plain-Name_1.x')).toBe('plain-Name_1.x');
  });
});
