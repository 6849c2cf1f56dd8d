/** One suite for stores in every mode: in memory, and over snapshots that change, are merged, collected and damaged. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Logger } from '../../../lib/host/host.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import type { ByteKey } from '../../../lib/model/byte-key.js';
import { offset } from '../../../lib/model/offset.js';
import { ColdReads, ColdSnapshot } from '../../../lib/snapshots/cold-snapshot.js';
import { collectGarbage } from '../../../lib/snapshots/collect-garbage.js';
import { createMemorySnapshotStore } from '../../../lib/snapshots/memory/memory-snapshot-store.js';
import { type WrittenSnapshot, writeSnapshot } from '../../../lib/snapshots/write-snapshot.js';
import type { KeyRange, StoredEntry, StoreWrite, TransactionalStore } from '../../../lib/state/byte-store.js';
import { LazyStore, NOTHING } from '../../../lib/state/lazy-store.js';
import { MemoryStore } from '../../../lib/state/memory-store.js';
import { changelog, identity } from '../../support/snapshot-scene.js';
import { StoreModel } from '../../support/store-model.js';

const nothing = () => undefined;
const QUIET: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => QUIET };
const host = { ...createNodeHost(), logger: QUIET };
/** Small, so that a few keys make several segments and blocks. */
const SIZES = { blockBytes: 30, segmentBytes: 120 };

/** A store in a mode, with what its process and its task do around it. */
interface Mode {
  readonly store: TransactionalStore;
  /** Writes a snapshot of what is committed; `meanwhile` is called while it is on its way. */
  snapshot(meanwhile: () => void): Promise<void>;
  /** The process is gone: another one begins from the newest snapshot and the log. */
  crash(log: readonly StoreWrite[]): Promise<void>;
  /** Somebody else writes a whole snapshot of the log, and removes all others. */
  supersede(log: readonly StoreWrite[]): Promise<void>;
}

class Resident implements Mode {
  store = new MemoryStore('store');

  async snapshot(meanwhile: () => void): Promise<void> {
    meanwhile();
  }

  async crash(log: readonly StoreWrite[]): Promise<void> {
    this.store = new MemoryStore('store');
    for (const write of log) this.store.restore(write);
  }

  async supersede(): Promise<void> {}
}

class Lazy implements Mode {
  store: LazyStore;
  private readonly snapshots = createMemorySnapshotStore({ clock: { now: () => 0 } });
  private reads: ColdReads;
  private readonly cacheBytes: number;
  private newest: WrittenSnapshot | null = null;
  private at = 0;
  private loggedAt = 0;
  private logged: readonly StoreWrite[] = [];

  constructor(cacheBytes: number) {
    this.cacheBytes = cacheBytes;
    this.reads = new ColdReads(cacheBytes);
    this.store = new LazyStore('store', NOTHING);
  }

  async snapshot(meanwhile: () => void): Promise<void> {
    const changes = this.store.beginRebase();
    this.loggedAt = this.logged.length;
    await this.write(changes, this.newest);
    meanwhile();
    if (this.newest !== null) this.store.rebase(await this.open(this.newest), changes);
  }

  async crash(log: readonly StoreWrite[]): Promise<void> {
    this.reads = new ColdReads(this.cacheBytes);
    this.store = new LazyStore('store', this.newest === null ? NOTHING : await this.open(this.newest));
    for (const write of log.slice(this.newest === null ? 0 : this.loggedAt)) this.store.restore(write);
  }

  async supersede(log: readonly StoreWrite[]): Promise<void> {
    const fold = new MemoryStore('fold');
    for (const write of log) fold.restore(write);
    this.loggedAt = log.length;
    await this.write(fold.committed(), null);
    await collectGarbage({
      ...{ store: this.snapshots, host, identity, keepSnapshots: 1, safeAgeMs: 0 },
      nowMs: 1,
    });
  }

  /** What the log of the changelog holds by now. */
  knows(log: readonly StoreWrite[]): void {
    this.logged = log;
  }

  private async write(entries: Iterable<StoreWrite>, base: WrittenSnapshot | null): Promise<void> {
    this.at += 1;
    this.newest = await writeSnapshot({
      ...{ store: this.snapshots, host, identity, changelog, entries, writer: 'w', sizes: SIZES },
      nextOffset: offset(this.at),
      lastKnownEndAtMs: this.at,
      ...(base === null ? {} : { base: base.manifest }),
    });
  }

  private open(written: WrittenSnapshot): Promise<ColdSnapshot> {
    return ColdSnapshot.open({ store: this.snapshots, host, identity, reads: this.reads }, written);
  }
}

interface Real {
  readonly mode: Mode;
  log: StoreWrite[];
  waiting: (readonly StoreWrite[])[];
}

const text = (entry: StoredEntry): string => `${entry.key}=${Buffer.from(entry.value).toString('latin1')}`;

async function listed(store: TransactionalStore, range: KeyRange): Promise<string[]> {
  const all: string[] = [];
  for await (const entry of store.entries(range)) all.push(text(entry));
  return all;
}

type Step = fc.AsyncCommand<StoreModel, Real>;
const always = { check: () => true };
const EVERYTHING: KeyRange = { from: null, to: null };

const put = (key: string, value: string | null): Step => ({
  ...always,
  async run(model, { mode }) {
    model.put(key, value);
    mode.store.put(key as ByteKey, value === null ? null : Buffer.from(value, 'latin1'), 1);
  },
  toString: () => `put(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
});

const read: Step = {
  ...always,
  async run(model, { mode }) {
    for (const key of KEYS) {
      const stored = await mode.store.get(key as ByteKey);
      expect(stored === null ? undefined : Buffer.from(stored.value).toString('latin1')).toBe(model.now.get(key));
    }
  },
  toString: () => 'read()',
};

const range = (from: string | null, to: string | null, reverse: boolean): Step => ({
  ...always,
  async run(model, { mode }) {
    const of: KeyRange = { from: from as ByteKey | null, to: to as ByteKey | null, reverse };
    expect(await listed(mode.store, of)).toEqual(model.list(of));
  },
  toString: () => `range(${JSON.stringify(from)}, ${JSON.stringify(to)}, ${reverse})`,
});

const deleteWhileReading: Step = {
  ...always,
  async run(model, { mode }) {
    const expected = model.list(EVERYTHING);
    const seen: string[] = [];
    for await (const entry of mode.store.entries(EVERYTHING)) {
      seen.push(text(entry));
      mode.store.put(entry.key, null, 2);
      model.put(entry.key, null);
    }
    expect(seen).toEqual(expected);
  },
  toString: () => 'deleteWhileReading()',
};

/** What is put ahead of the iterator, and was not there, is not visited. */
const writeWhileReading: Step = {
  ...always,
  async run(model, { mode }) {
    const expected = model.list(EVERYTHING).map((one) => one.slice(0, one.indexOf('=')));
    const seen: string[] = [];
    for await (const entry of mode.store.entries(EVERYTHING)) {
      seen.push(entry.key);
      const key = `${entry.key}a`;
      mode.store.put(key as ByteKey, Buffer.from('new'), 3);
      model.put(key, 'new');
    }
    expect(seen).toEqual(expected);
  },
  toString: () => 'writeWhileReading()',
};

function sealNow(model: StoreModel, real: Real): void {
  model.seal();
  real.waiting.push(real.mode.store.seal());
}

function commitNow(model: StoreModel, real: Real): void {
  model.commit();
  real.mode.store.commit();
  real.log.push(...(real.waiting.shift() ?? []));
}

const seal: Step = {
  ...always,
  run: async (model, real) => sealNow(model, real),
  toString: () => 'seal()',
};

const commit: Step = {
  check: (model) => model.sealed.length > 0,
  run: async (model, real) => commitNow(model, real),
  toString: () => 'commit()',
};

const rollback: Step = {
  ...always,
  async run(model, real) {
    model.rollback();
    real.mode.store.rollback();
    real.waiting = [];
    expect(await listed(real.mode.store, EVERYTHING)).toEqual(model.list(EVERYTHING));
  },
  toString: () => 'rollback()',
};

/** What is undecided when the snapshot is begun, and written meanwhile, is committed meanwhile. */
const snapshot = (key: string, value: string | null): Step => ({
  ...always,
  async run(model, real) {
    const { mode, log } = real;
    if (mode instanceof Lazy) mode.knows([...log]);
    await mode.snapshot(() => {
      model.put(key, value);
      mode.store.put(key as ByteKey, value === null ? null : Buffer.from(value, 'latin1'), 1);
      sealNow(model, real);
      while (model.sealed.length > 0) commitNow(model, real);
    });
    expect(await listed(mode.store, EVERYTHING)).toEqual(model.list(EVERYTHING));
  },
  toString: () => `snapshot(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
});

/** The base of a store is replaced under who reads it: what is let go of in memory is there, and not in the old one. */
const snapshotWhileReading = (reverse: boolean): Step => ({
  ...always,
  async run(model, real) {
    const { mode, log } = real;
    const of: KeyRange = { from: null, to: null, reverse };
    const expected = model.list(of);
    const seen: string[] = [];
    for await (const entry of mode.store.entries(of)) {
      seen.push(text(entry));
      if (seen.length > 2) continue;
      if (mode instanceof Lazy) mode.knows([...log]);
      await mode.snapshot(() => {
        sealNow(model, real);
        while (model.sealed.length > 0) commitNow(model, real);
      });
    }
    expect(seen).toEqual(expected);
  },
  toString: () => `snapshotWhileReading(${reverse})`,
});

const prefetch = (keys: readonly string[], waits: boolean): Step => ({
  ...always,
  async run(_model, { mode }) {
    mode.store.prefetch?.(keys as readonly ByteKey[]);
    if (waits) await new Promise((resolve) => setImmediate(resolve));
  },
  toString: () => `prefetch(${JSON.stringify(keys)}, ${waits})`,
});

const crash: Step = {
  ...always,
  async run(model, real) {
    model.rollback();
    real.waiting = [];
    await real.mode.crash(real.log);
    expect(await listed(real.mode.store, EVERYTHING)).toEqual(model.list(EVERYTHING));
  },
  toString: () => 'crash()',
};

const supersede: Step = {
  ...always,
  run: (_model, { mode, log }) => mode.supersede([...log]),
  toString: () => 'supersede()',
};

// Few and short keys, so that they meet; byte 255 and the empty key are among them.
const PARTS = ['', 'a', '\u00ff', '\u0000'];
const KEYS = [...new Set(PARTS.flatMap((first) => PARTS.map((second) => `${first}${second}`)))];
const anyKey = fc.constantFrom(...KEYS);
const anyValue = fc.option(fc.constantFrom('', '1', '22', 'x'.repeat(50)), { nil: null });

const modes: readonly (readonly [string, () => Mode])[] = [
  ['in memory', () => new Resident()],
  ['over a snapshot', () => new Lazy(1_000_000)],
  ['over a snapshot without a cache', () => new Lazy(0)],
];

describe.each(modes)('a store %s', (_name, make) => {
  test('behaves as a plain sorted map at every level, whatever snapshots are written, merged and collected, and after a crash', async () => {
    const steps = fc.commands(
      [
        fc.tuple(anyKey, anyValue).map(([key, value]) => put(key, value)),
        fc.tuple(anyKey, anyValue).map(([key, value]) => put(key, value)),
        fc.tuple(anyKey, anyValue).map(([key, value]) => snapshot(key, value)),
        fc.boolean().map(snapshotWhileReading),
        fc.tuple(fc.array(anyKey), fc.boolean()).map(([keys, waits]) => prefetch(keys, waits)),
        fc
          .tuple(fc.option(anyKey), fc.option(anyKey), fc.boolean())
          .map(([from, to, reverse]) => range(from, to, reverse)),
        ...[deleteWhileReading, writeWhileReading, read, seal, commit, rollback, crash, supersede].map(
          fc.constant<Step>,
        ),
      ],
      { size: '+1' },
    );
    await fc.assert(
      fc.asyncProperty(steps, (commands) =>
        fc.asyncModelRun(() => ({ model: new StoreModel(), real: { mode: make(), log: [], waiting: [] } }), commands),
      ),
      { numRuns: 150 },
    );
  });
});
