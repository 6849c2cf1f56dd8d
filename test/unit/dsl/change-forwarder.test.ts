import { describe, expect, it } from 'vitest';
import type { Change } from '../../../lib/dsl/change.js';
import { ChangeForwarder } from '../../../lib/dsl/operators/change-forwarder.js';
import { type Awaitable, isPromise } from '../../../lib/model/awaitable.js';
import type { ByteKey } from '../../../lib/model/byte-key.js';
import { NO_HEADERS } from '../../../lib/model/record-set.js';
import type { EngineContext } from '../../../lib/processor/engine-context.js';
import type { StreamRecord } from '../../../lib/processor/stream-record.js';
import { Cell } from '../../../lib/serde/cell.js';

/** A forwarder with a context that keeps what comes out as `key:old>new@timestamp`. */
class Bench {
  readonly out: string[] = [];
  readonly forwarder: ChangeForwarder<string, string>;
  private flushes: (() => Awaitable<void>)[] = [];

  constructor(of: { readonly cacheMaxBytes: number; readonly cached?: boolean; readonly slow?: boolean }) {
    const context = {
      cacheMaxBytes: of.cacheMaxBytes,
      onFlush: (flush: () => Awaitable<void>) => this.flushes.push(flush),
      forward: (record: StreamRecord<string, Change<string>>) => {
        const { newCell, oldCell } = record.value;
        this.out.push(`${record.key}:${oldCell.value}>${newCell.value}@${record.timestampMs}`);
        return of.slow === true ? Promise.resolve() : undefined;
      },
    };
    this.forwarder = new ChangeForwarder(context as unknown as EngineContext<string, Change<string>>, {
      sendOldValues: true,
      cached: of.cached ?? true,
    });
  }

  update(key: string, was: string | null, now: string | null, timestampMs: number): Awaitable<void> {
    return this.forwarder.update({
      key: key as ByteKey,
      keyCell: Cell.of(key),
      newCell: Cell.of(now),
      oldCell: Cell.of(was),
      existed: was !== null,
      timestampMs,
      headers: NO_HEADERS,
      sizeBytes: now?.length ?? 0,
    });
  }

  async flush(): Promise<void> {
    for (const flush of this.flushes) await flush();
  }
}

describe('updates of a table', () => {
  it.each([
    ['the cache has no room', { cacheMaxBytes: 0 }],
    ['the operator is not cached', { cacheMaxBytes: 1_000, cached: false }],
  ])('go downstream at once where %s', async (_when, options) => {
    const bench = new Bench(options);

    await bench.update('a', null, '1', 1);
    await bench.update('a', '1', null, 2);

    expect(bench.out).toEqual(['a:null>1@1', 'a:1>null@2']);
  });

  it('come at the flush with the oldest old and the newest new value, first dirtied first', async () => {
    const bench = new Bench({ cacheMaxBytes: 10_000 });

    await bench.update('b', 'x', '1', 1);
    await bench.update('a', null, '1', 2);
    await bench.update('b', '1', '2', 3);
    expect(bench.out).toEqual([]);
    await bench.flush();
    await bench.flush();

    expect(bench.out).toEqual(['b:x>2@3', 'a:null>1@2']);
  });

  it('are not mentioned if the row was not there before and is not there now', async () => {
    const bench = new Bench({ cacheMaxBytes: 10_000 });

    await bench.update('a', null, '1', 1);
    await bench.update('a', '1', null, 2);
    await bench.update('b', 'x', null, 3);
    await bench.flush();

    expect(bench.out).toEqual(['b:x>null@3']);
  });

  it.each([[false], [true]])(
    'leave when the room is used up, and the oldest first (children that take time: %s)',
    async (slow) => {
      const bench = new Bench({ cacheMaxBytes: 300, slow });

      await bench.update('a', null, '1', 1);
      await bench.update('b', null, '1', 2);
      await bench.update('a', '1', '2', 3);
      expect(bench.out).toEqual([]);
      await bench.update('c', null, '1', 4);

      expect(bench.out).toEqual(['a:null>2@3']);
      await bench.flush();
      expect(bench.out).toEqual(['a:null>2@3', 'b:null>1@2', 'c:null>1@4']);
    },
  );

  it('cost no promise where nobody waits', () => {
    const bench = new Bench({ cacheMaxBytes: 200 });

    const results = ['a', 'b', 'c'].map((key) => bench.update(key, null, '1', 1));

    expect(results.some(isPromise)).toBe(false);
    expect(bench.out).not.toEqual([]);
  });
});
