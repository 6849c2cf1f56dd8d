import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterPrefix, type ByteKey } from '../../../lib/model/byte-key.js';
import type { KeyRange, StoredEntry, StoreWrite } from '../../../lib/state/byte-store.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';
import { StoreModel } from '../../support/store-model.js';

interface Real {
  readonly store: MemoryStore;
  /** What a changelog would hold after each commit, and the writes sealed but not committed. */
  readonly log: StoreWrite[];
  waiting: (readonly StoreWrite[])[];
}

const text = (entry: StoredEntry): string => `${entry.key}=${Buffer.from(entry.value).toString('latin1')}`;
const listed = (store: MemoryStore, range: KeyRange): string[] =>
  [...(store.entries(range) as Iterable<StoredEntry>)].map(text);

type Step = fc.Command<StoreModel, Real>;
const always = { check: () => true };

const put = (key: string, value: string | null): Step => ({
  ...always,
  run(model, { store }) {
    model.put(key, value);
    store.put(key as ByteKey, value === null ? null : Buffer.from(value, 'latin1'), 1);
  },
  toString: () => `put(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
});

const read = (key: string): Step => ({
  ...always,
  run(model, { store }) {
    const stored = store.get(key as ByteKey);
    expect(stored === null ? undefined : Buffer.from(stored.value).toString('latin1')).toBe(model.now.get(key));
    expect(store.size).toBe(model.now.size);
  },
  toString: () => `read(${JSON.stringify(key)})`,
});

const range = (from: string | null, to: string | null, reverse: boolean): Step => ({
  ...always,
  run(model, { store }) {
    const of: KeyRange = { from: from as ByteKey | null, to: to as ByteKey | null, reverse };
    expect(listed(store, of)).toEqual(model.list(of));
  },
  toString: () => `range(${JSON.stringify(from)}, ${JSON.stringify(to)}, ${reverse})`,
});

const deleteWhileReading = (): Step => ({
  ...always,
  run(model, { store }) {
    const expected = model.list({ from: null, to: null });
    const seen: string[] = [];
    for (const entry of store.entries({ from: null, to: null })) {
      seen.push(text(entry));
      store.put(entry.key, null, 2);
      model.put(entry.key, null);
    }
    expect(seen).toEqual(expected);
    expect(store.size).toBe(0);
  },
  toString: () => 'deleteWhileReading()',
});

const seal: Step = {
  ...always,
  run(model, real) {
    const before = model.sealed.at(-1) ?? model.image;
    const writes = real.store.seal();
    const after = new Map(before);
    for (const write of writes) {
      if (write.value === null) after.delete(write.key);
      else after.set(write.key, Buffer.from(write.value).toString('latin1'));
    }
    model.seal();
    expect(after).toEqual(model.now);
    expect(new Set(writes.map((write) => write.key)).size).toBe(writes.length);
    real.waiting.push(writes);
  },
  toString: () => 'seal()',
};

const commit: Step = {
  check: (model) => model.sealed.length > 0,
  run(model, real) {
    model.commit();
    real.store.commit();
    real.log.push(...(real.waiting.shift() ?? []));
    const image = [...real.store.committed()].map(text);
    expect(image).toEqual([...model.image.keys()].sort().map((key) => `${key}=${model.image.get(key)}`));
    const replayed = new MemoryStore('replayed');
    for (const write of real.log) replayed.restore(write);
    expect([...replayed.committed()].map(text)).toEqual(image);
  },
  toString: () => 'commit()',
};

const rollback: Step = {
  ...always,
  run(model, real) {
    model.rollback();
    real.store.rollback();
    real.waiting = [];
    expect(listed(real.store, { from: null, to: null })).toEqual(model.list({ from: null, to: null }));
  },
  toString: () => 'rollback()',
};

// Few and short keys, so that they meet; byte 255 and the empty key are among them.
const anyKey = fc.array(fc.constantFrom('a', 'b', '\u00ff', '\u0000'), { maxLength: 3 }).map((parts) => parts.join(''));
const anyValue = fc.option(fc.constantFrom('', '1', '22'), { nil: null });

test('a store behaves as a plain sorted map at every level, and image plus replay of the sealed writes is the store', () => {
  const steps = fc.commands(
    [
      fc.tuple(anyKey, anyValue).map(([key, value]) => put(key, value)),
      anyKey.map(read),
      fc
        .tuple(fc.option(anyKey), fc.option(anyKey), fc.boolean())
        .map(([from, to, reverse]) => range(from, to, reverse)),
      fc.constant(deleteWhileReading()),
      fc.constant(seal),
      fc.constant(commit),
      fc.constant(rollback),
    ],
    { size: '+1' },
  );
  fc.assert(
    fc.property(steps, (commands) => {
      const store = new MemoryStore('store');
      fc.modelRun(() => ({ model: new StoreModel(), real: { store, log: [], waiting: [] } }), commands);
    }),
    { numRuns: 400 },
  );
});

test('order stays right through many changes: thousands of keys come and go between ordered reads', () => {
  const change = fc.record({ key: fc.integer({ min: 0, max: 4_000 }), drop: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 1_500 }), { minLength: 1, maxLength: 6 }), (rounds) => {
      const store = new MemoryStore('store');
      const model = new Map<string, string>();
      for (const round of rounds) {
        for (const { key, drop } of round) {
          const name = key.toString(36) as ByteKey;
          store.restore({ key: name, value: drop ? null : Buffer.from(name), timestampMs: 0 });
          if (drop) model.delete(name);
          else model.set(name, name);
        }
        expect(listed(store, { from: null, to: null }).map((entry) => entry.split('=')[0])).toEqual(
          [...model.keys()].sort(),
        );
      }
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

test('a key starts with a prefix exactly if it lies from the prefix up to the key after all such keys', () => {
  fc.assert(
    fc.property(anyKey, anyKey, (prefix, key) => {
      const end = afterPrefix(prefix as ByteKey);

      expect(key >= prefix && (end === null || key < end)).toBe(key.startsWith(prefix));
    }),
  );
});
