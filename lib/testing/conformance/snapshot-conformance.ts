/** What every adapter of the snapshot port has to keep: objects are whole, immutable and listed in order of their bytes. */
import type { SnapshotStore } from '../../snapshots/snapshot-store.js';
import { codeOf, type TestRunner } from './test-runner.js';

export interface SnapshotConformanceTarget {
  /** What the suite is called, e.g. `folder`. */
  readonly name: string;
  /** Opens an empty store; each test opens its own. */
  createStore(): Promise<SnapshotStore>;
  /** The store's clock now, in milliseconds, to see that objects carry their age. */
  now(): number;
  /** How far the store's clock may be from `now`, in milliseconds. */
  readonly clockToleranceMs: number;
}

const bytes = (text: string) => Buffer.from(text);
const text = (read: Uint8Array | null) => (read === null ? null : Buffer.from(read).toString());

/** Declares the suite's tests with the runner's functions. */
export function describeSnapshotConformance(
  target: SnapshotConformanceTarget,
  { describe, it, expect }: TestRunner,
): void {
  describe(`snapshot port: ${target.name}`, () => {
    it('an object is read as it was created', async () => {
      const store = await target.createStore();
      const every = Uint8Array.from({ length: 256 }, (_, index) => index);

      expect(await store.create('app/0_0/counts/object', every)).toBe(true);
      expect(await store.create('app/empty', new Uint8Array(0))).toBe(true);

      expect([...((await store.read('app/0_0/counts/object')) ?? [])]).toEqual([...every]);
      expect((await store.read('app/empty'))?.length).toBe(0);
    });

    it('an object that exists is left as it is', async () => {
      const store = await target.createStore();
      await store.create('a/b', bytes('first'));

      expect(await store.create('a/b', bytes('second'))).toBe(false);
      expect(text(await store.read('a/b'))).toBe('first');
    });

    it('of many concurrent creators of one name one wins, and its bytes are read whole', async () => {
      const store = await target.createStore();
      const candidates = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000));

      const won = await Promise.all(candidates.map((candidate) => store.create('a/b', bytes(candidate))));

      expect(won.filter(Boolean).length).toBe(1);
      expect(text(await store.read('a/b'))).toBe(candidates[won.indexOf(true)] ?? 'nobody won');
    });

    it('what the caller does to its bytes afterwards does not change the object', async () => {
      const store = await target.createStore();
      const mine = bytes('mine');
      await store.create('a', mine);
      mine.fill(0);

      (await store.read('a'))?.fill(0);

      expect(text(await store.read('a'))).toBe('mine');
    });

    it('a range is [from, to), clamped to the object', async () => {
      const store = await target.createStore();
      await store.create('a', bytes('0123456789'));
      const range = async (from: number, to: number) => text(await store.read('a', { from, to }));

      expect(await range(2, 5)).toBe('234');
      expect(await range(0, 10)).toBe('0123456789');
      expect(await range(8, 100)).toBe('89');
      expect(await range(10, 20)).toBe('');
      expect(await range(50, 60)).toBe('');
      expect(await range(3, 3)).toBe('');
    });

    it('an object that does not exist is null, a folder of objects too', async () => {
      const store = await target.createStore();
      await store.create('a/b/c', bytes('1'));

      expect(await store.read('a/b/d')).toBe(null);
      expect(await store.read('a/b')).toBe(null);
      expect(await store.read('a/b/c/d')).toBe(null);
      expect(await store.read('none', { from: 0, to: 1 })).toBe(null);
    });

    it('names are listed in order of their bytes, across folders', async () => {
      const store = await target.createStore();
      const names = ['a-b', 'a/a', 'a/b/c', 'a/b0', 'a0', 'B', 'a.b', 'a_', 'a%2F'];
      for (const name of names) await store.create(name, bytes(name));

      const listed = await store.list('');

      expect(listed.map((entry) => entry.name)).toEqual([...names].sort((x, y) => Buffer.compare(bytes(x), bytes(y))));
      expect(listed.map((entry) => entry.sizeBytes)).toEqual(listed.map((entry) => entry.name.length));
    });

    it('a prefix need not end at a folder', async () => {
      const store = await target.createStore();
      for (const name of ['a/b1/x', 'a/b2', 'a/c', 'ab/b1']) await store.create(name, bytes('1'));
      const names = async (prefix: string) => (await store.list(prefix)).map((entry) => entry.name);

      expect(await names('a/b')).toEqual(['a/b1/x', 'a/b2']);
      expect(await names('a/')).toEqual(['a/b1/x', 'a/b2', 'a/c']);
      expect(await names('a')).toEqual(['a/b1/x', 'a/b2', 'a/c', 'ab/b1']);
      expect(await names('a/b2')).toEqual(['a/b2']);
      expect(await names('none/')).toEqual([]);
    });

    it('a listing goes on after a name, page by page, and misses none', async () => {
      const store = await target.createStore();
      const names = Array.from({ length: 25 }, (_, index) => `p/${index % 3}/${String(index).padStart(3, '0')}`);
      for (const name of names) await store.create(name, bytes('1'));

      const found: string[] = [];
      for (let pages = 0; pages < 20; pages += 1) {
        const page = await store.list('p/', { limit: 4, after: found.at(-1) ?? '' });
        for (const entry of page) found.push(entry.name);
        if (page.length < 4) break;
      }

      expect(found).toEqual([...names].sort());
      expect(await store.list('p/', { limit: 0 })).toEqual([]);
      expect((await store.list('p/', { after: 'p/1' }))[0]?.name).toBe('p/1/001');
      expect(await store.list('p/', { after: 'q' })).toEqual([]);
    });

    it('a removed object is gone, its name may be created again, and removing twice is no error', async () => {
      const store = await target.createStore();
      await store.create('a/b/c', bytes('1'));

      await store.remove('a/b/c');
      await store.remove('a/b/c');
      await store.remove('never/was');

      expect([await store.read('a/b/c'), await store.list('')]).toEqual([null, []]);
      expect(await store.create('a/b/c', bytes('2'))).toBe(true);
      expect(text(await store.read('a/b/c'))).toBe('2');
    });

    it('objects are created while their neighbours are removed', async () => {
      const store = await target.createStore();
      for (let round = 0; round < 20; round += 1) await store.create(`a/b/old-${round}`, bytes('1'));

      const rounds = Array.from({ length: 20 }, (_, round) => round);
      const made = await Promise.all(
        rounds.flatMap((round) => [
          store.remove(`a/b/old-${round}`).then(() => true),
          store.create(`a/b/new-${round}`, bytes('2')),
        ]),
      );

      expect(made.every(Boolean)).toBe(true);
      expect((await store.list('a/b/')).length).toBe(20);
    });

    it('an object carries the time of its creation', async () => {
      const store = await target.createStore();
      const before = target.now();
      await store.create('a', bytes('1'));
      const after = target.now();

      const [entry] = await store.list('a');

      const at = entry?.modifiedAtMs ?? Number.NaN;
      expect(at >= before - target.clockToleranceMs && at <= after + target.clockToleranceMs).toBe(true);
    });

    it('a name that could leave the store is refused', async () => {
      const store = await target.createStore();
      const names = [
        '',
        '/a',
        'a/',
        'a//b',
        '../a',
        'a/../b',
        'a/./b',
        '.a',
        'a/.b',
        'a\\b',
        'a\0b',
        'å',
        'a'.repeat(300),
      ];

      const codes = await Promise.all(
        names.flatMap((name) => [
          codeOf(store.create(name, bytes('1'))),
          codeOf(store.read(name)),
          codeOf(store.remove(name)),
        ]),
      );

      expect(new Set(codes)).toEqual(new Set(['STREAMS_INTERNAL']));
      expect(await store.list('')).toEqual([]);
    });
  });
}
