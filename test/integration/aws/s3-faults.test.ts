/** What the S3 adapter makes of lost replies, broken bodies, throttling and a bucket that is not there. */
import { randomUUID } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createS3SnapshotStore } from '../../../lib/snapshots/s3/s3-snapshot-store.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { createBucket } from '../../support/aws/buckets.js';
import { clientConfig, s3Client } from '../../support/aws/clients.js';
import { type FaultyEndpoint, startFaultyEndpoint } from '../../support/aws/faulty-endpoint.js';

const target = inject('awsTarget');
const client = s3Client(clientConfig(target));
let bucket: string;
let faulty: FaultyEndpoint;

beforeAll(async () => {
  bucket = await createBucket(target, 'faults');
  faulty = await startFaultyEndpoint(target);
});
afterAll(() => faulty.close());

/** A store of its own behind the faulty endpoint, and beside it the same objects without faults. */
function stores() {
  const prefix = `${randomUUID()}/`;
  return {
    prefix,
    store: createS3SnapshotStore({
      bucket,
      prefix,
      clientConfig: { ...clientConfig(target, faulty.endpoint), maxAttempts: 2 },
    }),
    direct: createS3SnapshotStore({ bucket, prefix, client }),
  };
}

const bytes = (text: string) => Buffer.from(text);
const text = (read: Uint8Array | null) => (read === null ? null : Buffer.from(read).toString());
const SLOW_DOWN = { status: 503, body: '<Error><Code>SlowDown</Code><Message>slower</Message></Error>' };

describe('a creation', () => {
  it('whose reply is lost is ours, although the repeated request finds the name taken', async () => {
    const { store } = stores();
    faulty.inject('lose-reply', /^PUT/);

    expect(await store.create('a', bytes('mine'))).toBe(true);
    expect([text(await store.read('a')), faulty.pending]).toEqual(['mine', 0]);
  });

  it('whose every reply is lost is found by its mark', async () => {
    const { store } = stores();
    faulty.inject('lose-reply', /^PUT/, 2);

    expect(await store.create('a', bytes('mine'))).toBe(true);
    expect(faulty.pending).toBe(0);
  });

  it('that lost a race is not ours, although the bytes are the same', async () => {
    const { store, direct } = stores();
    await direct.create('a', bytes('same'));
    faulty.inject('lose-request', /^PUT/);

    expect(await store.create('a', bytes('same'))).toBe(false);
  });

  it('is repeated where another writer is at the name, until the name is free or taken', async () => {
    const { store } = stores();
    const conflict = { status: 409, body: '<Error><Code>ConditionalRequestConflict</Code></Error>' };
    faulty.inject(conflict, /^PUT/, 2);

    expect(await store.create('a', bytes('mine'))).toBe(true);

    faulty.inject(conflict, /^PUT/, 5);
    expect(await codeOf(store.create('b', bytes('mine')))).toBe('STREAMS_UNAVAILABLE');
    expect(faulty.pending).toBe(0);
  });

  it('that S3 throttles for too long is STREAMS_UNAVAILABLE, and nothing is there', async () => {
    const { store, direct } = stores();
    faulty.inject(SLOW_DOWN, /^PUT/, 2);

    expect(await codeOf(store.create('a', bytes('mine')))).toBe('STREAMS_UNAVAILABLE');
    expect([await direct.list(''), faulty.pending]).toEqual([[], 0]);
  });
});

describe('a read', () => {
  it('goes on after a throttled request and after a body that breaks off', async () => {
    const { store, direct } = stores();
    await direct.create('a', bytes('0123456789'));
    faulty.inject(SLOW_DOWN, /^GET/);
    faulty.inject('cut-body', /^GET/, 2);

    expect(text(await store.read('a'))).toBe('0123456789');
    expect(faulty.pending).toBe(0);
  });

  it('whose body breaks off again and again is STREAMS_UNAVAILABLE, never a short object', async () => {
    const { store, direct } = stores();
    await direct.create('a', bytes('0123456789'));
    faulty.inject('cut-body', /^GET/, 3);

    expect(await codeOf(store.read('a'))).toBe('STREAMS_UNAVAILABLE');
    expect(faulty.pending).toBe(0);
  });
});

describe('a listing', () => {
  it('asks for no more than is wanted, and leaves out what is somebody else’s', async () => {
    const { store, direct, prefix } = stores();
    for (const name of ['a', 'b', 'c']) await direct.create(name, bytes('1'));
    for (const key of ['.hidden', 'a b'])
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body: '1' }));
    const before = faulty.seen.length;

    expect((await store.list('', { limit: 2 })).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(faulty.seen.slice(before).every((line) => /max-keys=[12](&|$)/.test(line))).toBe(true);
    expect((await store.list('')).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('of more than one page is whole', async () => {
    const { direct } = stores();
    const names = Array.from({ length: 1_050 }, (_, index) => `p/${String(index).padStart(4, '0')}`);
    for (let from = 0; from < names.length; from += 50)
      await Promise.all(names.slice(from, from + 50).map((name) => direct.create(name, bytes('1'))));

    expect((await direct.list('p/')).map(({ name }) => name)).toEqual(names);
    expect((await direct.list('p/', { limit: 1_020, after: 'p/0009' })).map(({ name }) => name)).toEqual(
      names.slice(10, 1_030),
    );
  });
});

describe('what does not go away', () => {
  it('a bucket that is not there is STREAMS_INVALID_SETTING', async () => {
    const store = createS3SnapshotStore({ bucket: `none-${randomUUID()}`, client });

    expect(await codeOf(store.create('a', bytes('1')))).toBe('STREAMS_INVALID_SETTING');
    expect(await codeOf(store.read('a'))).toBe('STREAMS_INVALID_SETTING');
    expect(await codeOf(store.list(''))).toBe('STREAMS_INVALID_SETTING');
  });

  it('a forbidden call is STREAMS_INVALID_SETTING at once, an expired token is tried again later', async () => {
    const { store } = stores();
    const forbidden = (code: string) => ({ status: 403, body: `<Error><Code>${code}</Code></Error>` });
    const before = faulty.seen.length;

    faulty.inject(forbidden('AccessDenied'), /^PUT/);
    expect(await codeOf(store.create('a', bytes('1')))).toBe('STREAMS_INVALID_SETTING');
    expect(faulty.seen.length).toBe(before + 1);

    faulty.inject({ status: 403 }, /^HEAD/);
    expect(await codeOf(store.read('a', { from: 1, to: 1 }))).toBe('STREAMS_INVALID_SETTING');
    faulty.inject(forbidden('ExpiredToken'), /^GET/);
    expect(await codeOf(store.read('a'))).toBe('STREAMS_UNAVAILABLE');
    expect(await codeOf(Promise.resolve().then(() => createS3SnapshotStore({ bucket: '' })))).toBe(
      'STREAMS_INVALID_SETTING',
    );
  });
});
