import { describe, expect, it } from 'vitest';
import type { Change } from '../../../lib/dsl/change.js';
import { ChangeForwarder, type ForwarderOptions } from '../../../lib/dsl/operators/change-forwarder.js';
import { type Awaitable, isPromise } from '../../../lib/model/awaitable.js';
import type { ByteKey } from '../../../lib/model/byte-key.js';
import type { Offset } from '../../../lib/model/offset.js';
import { NO_HEADERS } from '../../../lib/model/record-set.js';
import type { EngineContext } from '../../../lib/processor/engine-context.js';
import type { RecordMetadata } from '../../../lib/processor/processor-context.js';
import type { StreamRecord } from '../../../lib/processor/stream-record.js';
import { Cell } from '../../../lib/serde/cell.js';

/** A forwarder with a context that keeps what comes out as `key:old>new@timestamp`, and as from which offset (-: from none). */
class Bench {
  readonly out: string[] = [];
  readonly origins: (number | '-')[] = [];
  /** Of the record being processed; null: none is. */
  offset: number | null = null;
  readonly forwarder: ChangeForwarder<string, string>;
  private flushes: (() => Awaitable<void>)[] = [];

  constructor(of: {
    readonly cacheMaxBytes: number;
    readonly cached?: ForwarderOptions['cached'];
    readonly slow?: boolean;
  }) {
    const metadata = () =>
      this.offset === null ? undefined : { topic: 'in', partition: 0, offset: this.offset as Offset };
    const forward = (record: StreamRecord<string, Change<string>>) => {
      const { newCell, oldCell } = record.value;
      this.out.push(`${record.key}:${oldCell.value}>${newCell.value}@${record.timestampMs}`);
      this.origins.push(this.offset ?? '-');
      return of.slow === true ? Promise.resolve() : undefined;
    };
    const context = {
      cacheMaxBytes: of.cacheMaxBytes,
      onFlush: (flush: () => Awaitable<void>) => this.flushes.push(flush),
      recordMetadata: metadata,
      forward,
      forwardFrom: (origin: RecordMetadata | null, record: StreamRecord<string, Change<string>>) => {
        const before = this.offset;
        this.offset = origin?.offset ?? null;
        const result = forward(record);
        this.offset = before;
        return result;
      },
    };
    this.forwarder = new ChangeForwarder(context as unknown as EngineContext<string, Change<string>>, {
      sendOldValues: true,
      cached: of.cached ?? true,
    });
  }

  /** @param existed whether `was` is of a row that was stored, not what one begins with */
  update(
    key: string,
    was: string | null,
    now: string | null,
    timestampMs: number,
    existed = was !== null,
  ): Awaitable<void> {
    return this.forwarder.update({
      key: key as ByteKey,
      keyCell: Cell.of(key),
      newCell: Cell.of(now),
      oldCell: Cell.of(was),
      existed,
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

  it('come at the flush with the oldest old and the newest new value, in the order of the last updates', async () => {
    const bench = new Bench({ cacheMaxBytes: 10_000 });

    await bench.update('b', 'x', '1', 1);
    await bench.update('a', null, '1', 2);
    await bench.update('b', '1', '2', 3);
    expect(bench.out).toEqual([]);
    await bench.flush();
    await bench.flush();

    expect(bench.out).toEqual(['a:null>1@2', 'b:x>2@3']);
  });

  it.each([
    ['held back', { cacheMaxBytes: 10_000 }, 'null'],
    ['held back downstream', { cacheMaxBytes: 10_000, cached: 'downstream' }, 'null'],
    ['not held back', { cacheMaxBytes: 0 }, '0'],
    ['not held back downstream', { cacheMaxBytes: 0, cached: 'downstream' }, '0'],
  ] as const)('that are %s have %3$s as the old value of a new row that begins with 0', async (_when, options, old) => {
    const bench = new Bench(options);

    await bench.update('a', '0', '1', 1, false);
    await bench.flush();

    expect(bench.out).toEqual([`a:${old}>1@1`]);
  });

  it('go on at once, with the old value of each, where an operator downstream holds them back', async () => {
    const bench = new Bench({ cacheMaxBytes: 10_000, cached: 'downstream' });

    await bench.update('a', '0', '1', 1, false);
    await bench.update('a', '1', '2', 2);

    expect(bench.out).toEqual(['a:null>1@1', 'a:1>2@2']);
    expect(bench.forwarder.holdsBack).toBe(true);
  });

  it.each([
    ['the record, if it is held back', { cacheMaxBytes: 10_000 }, 3],
    ['the row, if it goes on at once', { cacheMaxBytes: 0 }, 9],
  ])('that delete have the timestamp of %s', (_what, options, timestampMs) => {
    const { forwarder } = new Bench(options);

    expect(forwarder.deleteTimeMs({ rowMs: 9, recordMs: 3 })).toBe(timestampMs);
  });

  it('go downstream as from the record that brought them last, whatever is processed when they leave', async () => {
    const bench = new Bench({ cacheMaxBytes: 10_000 });

    bench.offset = 7;
    await bench.update('a', null, '1', 1);
    bench.offset = 8;
    await bench.update('b', null, '1', 2);
    bench.offset = 9;
    await bench.update('a', '1', '2', 3);
    bench.offset = null;
    await bench.update('c', null, '1', 4);
    await bench.flush();

    expect(bench.out).toEqual(['b:null>1@2', 'a:null>2@3', 'c:null>1@4']);
    expect(bench.origins).toEqual([8, 9, '-']);
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
    'leave all of them when the room is used up, as in Kafka Streams (children that take time: %s)',
    async (slow) => {
      const bench = new Bench({ cacheMaxBytes: 300, slow });

      bench.offset = 1;
      await bench.update('a', null, '1', 1);
      await bench.update('b', null, '1', 2);
      await bench.update('a', '1', '2', 3);
      expect(bench.out).toEqual([]);
      bench.offset = 2;
      await bench.update('c', null, '1', 4);

      expect(bench.out).toEqual(['b:null>1@2', 'a:null>2@3', 'c:null>1@4']);
      expect(bench.origins).toEqual([1, 1, 2]);
      await bench.flush();
      expect(bench.out).toHaveLength(3);
    },
  );

  it('cost no promise where nobody waits', () => {
    const bench = new Bench({ cacheMaxBytes: 200 });

    const results = ['a', 'b', 'c'].map((key) => bench.update(key, null, '1', 1));

    expect(results.some(isPromise)).toBe(false);
    expect(bench.out).not.toEqual([]);
  });
});
