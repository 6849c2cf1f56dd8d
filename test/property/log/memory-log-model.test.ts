import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { TransactionalProducer } from '../../../lib/log/log.js';
import { createMemoryLog, type MemoryLog } from '../../../lib/log/memory/memory-log.js';
import { offset } from '../../../lib/model/offset.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { offsetsOf, records, shown } from '../../../lib/testing/conformance/log/scene.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { createTestHost, type TestHost } from '../../support/test-host.js';

/**
 * Random commands against a log that fits on a page: lists of records with the transaction that each belongs to. What it
 * leaves out (memory, speed, files) is what the real one is about.
 */
const PARTITIONS = [0, 1] as const;
const IDS = ['x', 'y'] as const;
const TIMEOUT_MS = 5_000;
const GROUP = 'g';

interface Transaction {
  readonly id: string;
  readonly startedAtMs: number;
  state: 'open' | 'committed' | 'aborted';
  readonly partitions: Set<number>;
  nextOffset: number | null;
}
interface Entry {
  readonly key: string;
  readonly value: string;
  /** Null: plain. A marker has no key to show. */
  readonly transaction: Transaction | null;
  readonly isMarker: boolean;
}

class ModelLog {
  readonly partitions: Entry[][] = PARTITIONS.map(() => []);
  readonly starts: number[] = PARTITIONS.map(() => 0);
  readonly open = new Map<string, Transaction>();
  committed: number | null = null;

  begin(id: string, nowMs: number): Transaction {
    let transaction = this.open.get(id);
    if (transaction === undefined) {
      transaction = { id, startedAtMs: nowMs, state: 'open', partitions: new Set(), nextOffset: null };
      this.open.set(id, transaction);
    }
    return transaction;
  }

  end(id: string, state: 'committed' | 'aborted'): void {
    const transaction = this.open.get(id);
    if (transaction === undefined) return;
    this.open.delete(id);
    transaction.state = state;
    for (const partition of transaction.partitions)
      this.entries(partition).push({ key: '', value: '', transaction, isMarker: true });
    if (state === 'committed' && transaction.nextOffset !== null) this.committed = transaction.nextOffset;
  }

  entries(partition: number): Entry[] {
    return this.partitions[partition] ?? [];
  }

  lastStable(partition: number): number {
    const at = this.entries(partition).findIndex(
      ({ transaction, isMarker }) => !isMarker && transaction?.state === 'open',
    );
    return Math.max(this.starts[partition] ?? 0, at < 0 ? this.entries(partition).length : at);
  }

  /** What a reader has to get: all, or of each key the last if compaction may have run. */
  visible(partition: number, isolation: 'readCommitted' | 'readUncommitted'): readonly string[] {
    const end = isolation === 'readCommitted' ? this.lastStable(partition) : this.entries(partition).length;
    return this.entries(partition).flatMap((entry, at) => {
      const hidden = entry.isMarker || (isolation === 'readCommitted' && entry.transaction?.state === 'aborted');
      return hidden || at < (this.starts[partition] ?? 0) || at >= end ? [] : [`${at}:${entry.key}=${entry.value}`];
    });
  }
}

const partition = fc.constantFrom(...PARTITIONS);
const id = fc.constantFrom(...IDS);
const key = fc.constantFrom('a', 'b', 'c');
const command = fc.oneof(
  fc.record({ do: fc.constant('append' as const), partition, keys: fc.array(key, { minLength: 1, maxLength: 4 }) }),
  fc.record({ do: fc.constant('send' as const), id, partition, keys: fc.array(key, { minLength: 1, maxLength: 4 }) }),
  fc.record({ do: fc.constant('sendOffsets' as const), id, next: fc.nat({ max: 9 }) }),
  fc.record({ do: fc.constantFrom('commit' as const, 'abort' as const, 'init' as const, 'zombie' as const), id }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 1_000, 4_999, 5_000) }),
  fc.record({
    do: fc.constant('deleteRecords' as const),
    partition,
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('compact' as const) }),
  fc.record({ do: fc.constant('reopen' as const), checkpoint: fc.boolean() }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

class Play {
  readonly model = new ModelLog();
  private readonly host: TestHost = createTestHost();
  private readonly dir: string | null;
  private readonly policy: string;
  private log!: MemoryLog;
  private values = 0;
  private hasCompacted = false;
  private readonly producers = new Map<string, TransactionalProducer>();
  private readonly fenced = new Map<string, TransactionalProducer>();

  constructor(dir: string | null, policy: string) {
    this.dir = dir;
    this.policy = policy;
  }

  async start(): Promise<void> {
    this.log = await this.open();
    await this.log.createTopic({
      name: 't',
      partitions: PARTITIONS.length,
      config: { 'cleanup.policy': this.policy, 'segment.bytes': '200', 'retention.ms': '-1' },
    });
  }

  /** In a folder: after the process that had it open has died, and its lock with it. */
  private open(): Promise<MemoryLog> {
    const { dir } = this;
    if (dir !== null)
      for (const name of readdirSync(dir)) if (name.startsWith('lock-')) rmSync(join(dir, name), { force: true });
    return createMemoryLog({ host: this.host, ...(this.dir === null ? {} : { dir: this.dir }) });
  }

  async run(step: Command): Promise<void> {
    const now = this.host.clock.now();
    switch (step.do) {
      case 'append': {
        const values = step.keys.map((of) => ({ key: of, value: this.nextValue() }));
        const first = await this.log.append({ topic: 't', partition: step.partition }, records(...values));
        expect(first).toBe(this.model.entries(step.partition).length);
        for (const value of values)
          this.model.entries(step.partition).push({ ...value, transaction: null, isMarker: false });
        return;
      }
      case 'send': {
        const producer = await this.producer(step.id);
        const values = step.keys.map((of) => ({ key: of, value: this.nextValue() }));
        await producer.send({ topic: 't', partition: step.partition }, records(...values));
        const transaction = this.model.begin(step.id, now);
        transaction.partitions.add(step.partition);
        for (const value of values) this.model.entries(step.partition).push({ ...value, transaction, isMarker: false });
        return;
      }
      case 'sendOffsets': {
        const producer = await this.producer(step.id);
        // Two open transactions that commit the same offset are decided by the order of sending; tested elsewhere.
        const other = IDS.find((of) => of !== step.id) ?? step.id;
        if (this.model.open.get(other)?.nextOffset != null) return;
        await producer.sendOffsets(GROUP, offsetsOf([{ topic: 't', partition: 0 }, step.next]));
        this.model.begin(step.id, now).nextOffset = step.next;
        return;
      }
      case 'commit':
      case 'abort':
        await (await this.producer(step.id))[step.do]();
        this.model.end(step.id, step.do === 'commit' ? 'committed' : 'aborted');
        return;
      case 'init':
        await this.initialise(step.id);
        return;
      case 'zombie': {
        const zombie = this.fenced.get(step.id);
        if (zombie === undefined) return;
        expect(await codeOf(zombie.send({ topic: 't', partition: 0 }, records('zombie=1')))).toBe(
          'STREAMS_PRODUCER_FENCED',
        );
        expect(await codeOf(zombie.commit())).toBe('STREAMS_PRODUCER_FENCED');
        return;
      }
      case 'advance':
        await this.host.advance(step.ms);
        for (const [of, { startedAtMs }] of [...this.model.open]) {
          if (startedAtMs + TIMEOUT_MS > this.host.clock.now()) continue;
          this.model.end(of, 'aborted');
          this.retire(of);
        }
        return;
      case 'deleteRecords': {
        const before = Math.floor(this.model.entries(step.partition).length * step.share);
        const at = topicPartitionKey({ topic: 't', partition: step.partition });
        await this.log.deleteRecords(new Map([[at, offset(before)]]));
        this.model.starts[step.partition] = Math.max(before, this.model.starts[step.partition] ?? 0);
        return;
      }
      case 'compact':
        if (this.policy !== 'compact') return;
        await this.log.compact('t');
        this.hasCompacted = true;
        return;
      case 'reopen':
        if (this.dir === null) return;
        if (step.checkpoint) await this.log.checkpoint();
        await this.log.close();
        this.log = await this.open();
        // Producers died with the process; their transactions are open until somebody initialises or time runs out.
        this.producers.clear();
        this.fenced.clear();
        return;
    }
  }

  async check(): Promise<void> {
    for (const number of PARTITIONS) {
      const at = { topic: 't', partition: number };
      const key = topicPartitionKey(at);
      const [start, stable, end] = [
        (await this.log.listOffsets([at], 'earliest')).get(key),
        (await this.log.listOffsets([at], 'lastStable')).get(key),
        (await this.log.listOffsets([at], 'highWatermark')).get(key),
      ];
      expect([start, stable, end]).toEqual([
        this.model.starts[number],
        this.model.lastStable(number),
        this.model.entries(number).length,
      ]);
      const committed = await this.readAll(number, 'readCommitted');
      expect(committed.nextOffset).toBe(stable);
      this.compare(committed.records, this.model.visible(number, 'readCommitted'));
      if (!this.hasCompacted) {
        const all = await this.readAll(number, 'readUncommitted');
        expect([all.records, all.nextOffset]).toEqual([this.model.visible(number, 'readUncommitted'), end]);
      }
    }
    if ([...this.model.open.values()].every(({ nextOffset }) => nextOffset === null)) {
      const found = await this.log.committedOffsets(GROUP, [{ topic: 't', partition: 0 }]);
      expect([...found.values()][0]?.nextOffset ?? null).toBe(this.model.committed);
    }
  }

  async close(): Promise<void> {
    await this.log.close();
  }

  /** Without compaction: equal. With it: a part, in order, that has the last of each key. */
  private compare(found: readonly string[], expected: readonly string[]): void {
    if (!this.hasCompacted && this.policy !== 'compact') {
      expect(found).toEqual(expected);
      return;
    }
    const isFound = new Set(found);
    expect(found).toEqual(expected.filter((line) => isFound.has(line)));
    expect(fold(found)).toEqual(fold(expected));
  }

  private async readAll(number: number, isolation: 'readCommitted' | 'readUncommitted') {
    const found: string[] = [];
    let position = offset(this.model.starts[number] ?? 0);
    for (let fetches = 0; fetches < 10_000; fetches += 1) {
      const request = { topic: 't', partition: number, fromOffset: position };
      const [result] = await this.log.fetch([request], { isolation, maxWaitMs: 0, maxBytes: 64 });
      if (result === undefined || result.nextOffset === position) break;
      found.push(...shown(result.records));
      position = result.nextOffset;
    }
    return { records: found, nextOffset: position };
  }

  private async producer(of: string): Promise<TransactionalProducer> {
    return this.producers.get(of) ?? (await this.initialise(of));
  }

  private async initialise(of: string): Promise<TransactionalProducer> {
    this.retire(of);
    const producer = await this.log.initProducer({ transactionalId: of, transactionTimeoutMs: TIMEOUT_MS });
    this.model.end(of, 'aborted');
    this.producers.set(of, producer);
    return producer;
  }

  private retire(of: string): void {
    const old = this.producers.get(of);
    this.producers.delete(of);
    if (old !== undefined) this.fenced.set(of, old);
  }

  private nextValue(): string {
    this.values += 1;
    return String(this.values);
  }
}

function fold(lines: readonly string[]): Readonly<Record<string, string>> {
  const last: Record<string, string> = {};
  for (const line of lines) {
    const [at, entry = ''] = line.split(':');
    last[entry.split('=')[0] ?? ''] = `${at}:${entry}`;
  }
  return last;
}

let dir: string | null = null;
afterEach(() => {
  if (dir !== null) rmSync(dir, { recursive: true, force: true });
  dir = null;
});

async function agree(steps: readonly Command[], onDisk: boolean, policy: string): Promise<void> {
  dir = onDisk ? mkdtempSync(join(tmpdir(), 'millrace-log-')) : null;
  const play = new Play(dir, policy);
  await play.start();
  try {
    for (const step of steps) {
      await play.run(step);
      await play.check();
    }
  } finally {
    await play.close();
    if (dir !== null) rmSync(dir, { recursive: true, force: true });
  }
}

describe('whatever is asked of it, the embedded log', () => {
  const steps = fc.array(command, { minLength: 1, maxLength: 40 });

  it('agrees with a log that fits on a page', async () => {
    await fc.assert(
      fc.asyncProperty(steps, (of) => agree(of, false, 'delete')),
      { numRuns: 150 },
    );
  });

  it('agrees with it on the last value of each key when topics are compacted', async () => {
    await fc.assert(
      fc.asyncProperty(steps, (of) => agree(of, false, 'compact')),
      { numRuns: 150 },
    );
  });

  it('agrees with it across closing and opening its folder', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom('delete', 'compact'), (of, policy) => agree(of, true, policy)),
      { numRuns: 60 },
    );
  });
});
