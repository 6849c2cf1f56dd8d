/**
 * A new value for each record from a function that waits, without holding up the task.
 *
 * Invariants
 *   V1  a record's result goes downstream while the task lets this operator act: with a later record, after one, or in the flush before a
 *       commit, which waits for every call that was asked for: no offset is committed before the results up to it
 *   V2  at most `concurrency × (1 + RECORDS_WAITING_PER_CALL)` records are held; at that bound the task waits
 *   V3  results of one key leave in the order of its records; a plain result with nothing before it makes no promise
 */
import { type Awaitable, andThen, isPromise } from '../../model/awaitable.js';
import type { ByteKey } from '../../model/byte-key.js';
import { durationMs } from '../../model/duration.js';
import { ProcessingError, TopologyError } from '../../model/errors.js';
import type { EngineContext, HeldRecord, Sleep } from '../../processor/engine-context.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type { Serde } from '../../serde/serde.js';
import type { AsyncCall, AsyncOptions } from '../options.js';
import { type AsyncCallOf, AsyncCalls } from './async-calls.js';

const CONCURRENCY_DEFAULT = 16;
const CONCURRENCY_MAX = 1_000;
const RETRIES_MAX = 100;
const TIMEOUT_DEFAULT = '30s';
/** Records held behind each call that may run, before the task waits. */
const RECORDS_WAITING_PER_CALL = 16;
const RETRY_FIRST_MS = 100;
const RETRY_LONGEST_MS = 10_000;

export interface AsyncBounds {
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly retries: number;
}

type AsyncMapper<K, V, V2> = (value: V, key: K, call: AsyncCall) => Awaitable<V2>;

interface Held<K, V> {
  readonly record: StreamRecord<K, V>;
  readonly held: HeldRecord;
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY · {InvalidSettingError} STREAMS_INVALID_SETTING for a time-out that is no duration */
export function asyncBounds({ concurrency = CONCURRENCY_DEFAULT, timeout, retries = 0 }: AsyncOptions): AsyncBounds {
  const timeoutMs = durationMs(timeout ?? TIMEOUT_DEFAULT, 'timeout of mapValuesAsync');
  expectWithin('concurrency', concurrency, 1, CONCURRENCY_MAX);
  expectWithin('timeout', timeoutMs, 1, Number.MAX_SAFE_INTEGER);
  expectWithin('retries', retries, 0, RETRIES_MAX);
  return { concurrency, timeoutMs, retries };
}

export function mapValuesAsync<K, V, V2>(
  key: Serde<K>,
  mapper: AsyncMapper<K, V, V2>,
  bounds: AsyncBounds,
): ProcessorSupplier<K, V, K, V2> {
  return () => new MapValuesAsync(key, mapper, bounds);
}

class MapValuesAsync<K, V, V2> implements Processor<K, V, K, V2> {
  private readonly key: Serde<K>;
  private readonly mapper: AsyncMapper<K, V, V2>;
  private readonly bounds: AsyncBounds;
  private readonly calls: AsyncCalls<Held<K, V>, V2>;
  private readonly end = new AbortController();
  declare private context: EngineContext<K, V2>;

  constructor(key: Serde<K>, mapper: AsyncMapper<K, V, V2>, bounds: AsyncBounds) {
    this.key = key;
    this.mapper = mapper;
    this.bounds = bounds;
    this.calls = new AsyncCalls(bounds.concurrency, ({ record }) => this.attempt(record, 0));
  }

  init(context: ProcessorContext<K, V2>): void {
    this.context = context as EngineContext<K, V2>;
    this.context.onRecordDone(() => this.forwardAnswered());
    this.context.onFlush(() => this.forwardAll());
  }

  process(record: StreamRecord<K, V>): Awaitable<void> {
    const key = record.keyCell.byteKey(this.key);
    const held = this.context.holdRecord();
    if (this.calls.pending === 0) return this.ask(record, key, held);
    return andThen(this.forwardAnswered(), () =>
      this.isFull ? this.waitAndAsk(record, key, held) : this.ask(record, key, held),
    );
  }

  close(): void {
    this.end.abort();
  }

  private get isFull(): boolean {
    return this.calls.pending >= this.bounds.concurrency * (1 + RECORDS_WAITING_PER_CALL);
  }

  private ask(record: StreamRecord<K, V>, key: ByteKey | null, held: HeldRecord): Awaitable<void> {
    this.calls.ask({ record, held }, key);
    return this.forwardAnswered();
  }

  private async waitAndAsk(record: StreamRecord<K, V>, key: ByteKey | null, held: HeldRecord): Promise<void> {
    while (this.isFull) {
      await this.calls.answer();
      await this.forwardAnswered();
    }
    await this.ask(record, key, held);
  }

  private forwardAnswered(): Awaitable<void> {
    for (let next = this.calls.take(); next !== null; next = this.calls.take()) {
      const forwarded = this.forward(next);
      if (isPromise(forwarded)) return forwarded.then(() => this.forwardAnswered());
    }
  }

  private forwardAll(): Awaitable<void> {
    return this.calls.pending === 0 ? undefined : this.answersOfAll();
  }

  private async answersOfAll(): Promise<void> {
    while (this.calls.pending > 0) {
      await this.calls.answer();
      await this.forwardAnswered();
    }
  }

  private forward({ of: { record, held }, answer }: AsyncCallOf<Held<K, V>, V2>): Awaitable<void> {
    return held.resume(() => {
      if (answer === null) return;
      if ('thrown' in answer) throw answer.thrown;
      return this.context.forward(record.withValue(answer.value));
    });
  }

  private attempt(record: StreamRecord<K, V>, failed: number): Awaitable<V2> {
    try {
      const result = this.begin(record);
      if (!isPromise(result)) return result;
      return result.catch((thrown: unknown) => this.again(record, failed, thrown));
    } catch (thrown) {
      return this.again(record, failed, thrown);
    }
  }

  private again(record: StreamRecord<K, V>, failed: number, thrown: unknown): Promise<V2> {
    if (failed >= this.bounds.retries || this.end.signal.aborted) return Promise.reject(thrown);
    const { sleep } = this.context;
    const pauseMs = Math.min(RETRY_FIRST_MS * 2 ** failed, RETRY_LONGEST_MS);
    const pause = sleep === null ? Promise.resolve() : sleep(pauseMs, this.end.signal, 'pause');
    return pause.then(() => this.attempt(record, failed + 1));
  }

  /** One attempt, given up after the time-out. */
  private begin(record: StreamRecord<K, V>): Awaitable<V2> {
    const attempt = new AbortController();
    const giveUp = () => attempt.abort();
    const result = this.mapper(record.value, record.key, { signal: attempt.signal });
    if (!isPromise(result)) return result;
    this.end.signal.addEventListener('abort', giveUp);
    const done = new AbortController();
    const { sleep } = this.context;
    const first = sleep === null ? result : Promise.race([result, this.timeOut(sleep, done.signal)]);
    return first.finally(() => {
      this.end.signal.removeEventListener('abort', giveUp);
      giveUp();
      done.abort();
    });
  }

  private async timeOut(sleep: Sleep, done: AbortSignal): Promise<never> {
    const { timeoutMs } = this.bounds;
    try {
      await sleep(timeoutMs, done);
    } catch (thrown) {
      if (!done.aborted) throw thrown;
    }
    throw new ProcessingError(`mapValuesAsync: no answer within ${timeoutMs} ms`, {
      details: { timeoutMs },
      remedy: 'Give a longer timeout, or retries, or let the processing handler go on without the record.',
    });
  }
}

function expectWithin(option: string, given: number, least: number, most: number): void {
  if (Number.isSafeInteger(given) && given >= least && given <= most) return;
  throw new TopologyError(
    `mapValuesAsync: ${option} is ${String(given)}, not a whole number from ${least} to ${most}`,
    {
      details: { [option]: given, least, most },
    },
  );
}
