/**
 * Runs a processor that keeps the keys as any other, and holds it to that.
 *
 * Invariants
 *   F1  a record that it is given, and what is made of that by `withValue`, `withTimestamp` and `withHeaders`, goes on whenever it is
 *       forwarded; any other is refused, though its key be equal
 *   F2  one object of the user's is one object here: that tasks would share it is seen when the topology is built
 */
import type { Awaitable } from '../../model/awaitable.js';
import type { Duration } from '../../model/duration.js';
import { ProcessingError } from '../../model/errors.js';
import type { Headers } from '../../model/record-set.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type {
  FixedKeyProcessor,
  FixedKeyProcessorContext,
  FixedKeyProcessorSupplier,
  FixedKeyRecord,
} from '../../processor/fixed-key.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { Cancellable, PunctuationType, Punctuator, RecordMetadata } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { StateStore } from '../../state/state-store.js';
import { expectProcessor } from '../../topology/expect-processor.js';

/** The processors of a supplier of the user's, for a node of any kind. */
export function fixedKeys<K, VIn, VOut>(
  supplier: FixedKeyProcessorSupplier<K, VIn, VOut>,
): ProcessorSupplier<K, VIn, K, VOut> {
  const made = new WeakMap<object, FixedKeys<K, VIn, VOut>>();
  return () => {
    const processor = supplier();
    expectProcessor(processor, 'processValues', {});
    const known = made.get(processor); // F2
    if (known !== undefined) return known;
    const running = new FixedKeys<K, VIn, VOut>(processor);
    made.set(processor, running);
    return running;
  };
}

class FixedKeys<K, VIn, VOut> implements Processor<K, VIn, K, VOut> {
  private readonly processor: FixedKeyProcessor<K, VIn, VOut>;

  constructor(processor: FixedKeyProcessor<K, VIn, VOut>) {
    this.processor = processor;
  }

  init(context: unknown): Awaitable<void> {
    return this.processor.init?.(new FixedKeyContext(context as EngineContext<K, VOut>));
  }

  process(record: StreamRecord<K, VIn>): Awaitable<void> {
    return this.processor.process(KeptKey.of(record) as unknown as FixedKeyRecord<K, VIn>);
  }

  close(): Awaitable<void> {
    return this.processor.close?.();
  }
}

/** A record that carries with it that its key is the one it came with: only what keeps that makes another of this kind. */
class KeptKey<K, V> extends StreamRecord<K, V> {
  static override of<K, V>(record: StreamRecord<K, V>): KeptKey<K, V> {
    const { keyCell, valueCell, timestampMs, headers } = record;
    return new KeptKey(keyCell, valueCell, timestampMs, headers);
  }

  override withValue<V2>(value: V2): StreamRecord<K, V2> {
    return new KeptKey(this.keyCell, Cell.of(value), this.timestampMs, this.headers);
  }

  override withTimestamp(timestampMs: number): StreamRecord<K, V> {
    return new KeptKey(this.keyCell, this.valueCell, timestampMs, this.headers);
  }

  override withHeaders(headers: Headers): StreamRecord<K, V> {
    return new KeptKey(this.keyCell, this.valueCell, this.timestampMs, headers);
  }
}

class FixedKeyContext<K, VOut> implements FixedKeyProcessorContext<K, VOut> {
  private readonly context: EngineContext<K, VOut>;

  constructor(context: EngineContext<K, VOut>) {
    this.context = context;
  }

  get applicationId(): string {
    return this.context.applicationId;
  }

  get taskId(): EngineContext['taskId'] {
    return this.context.taskId;
  }

  forward(record: FixedKeyRecord<K, VOut>, childName?: string): Awaitable<void> {
    const given: unknown = record;
    if (given instanceof KeptKey) {
      const { keyCell, valueCell, timestampMs, headers } = given as StreamRecord<K, VOut>;
      return this.context.forward(new StreamRecord(keyCell, valueCell, timestampMs, headers), childName);
    }
    const { nodeName } = this.context;
    throw new ProcessingError(`node ${nodeName}: processValues must forward records that came to it, with their keys`, {
      details: { node: nodeName },
      remedy:
        'Forward what `withValue`, `withTimestamp` or `withHeaders` make of the record; change keys in `process`.',
    });
  }

  getStateStore<S extends StateStore>(name: string): S {
    return this.context.getStateStore<S>(name);
  }

  schedule(interval: Duration, type: PunctuationType, punctuator: Punctuator): Cancellable {
    return this.context.schedule(interval, type, punctuator);
  }

  currentStreamTimeMs(): number {
    return this.context.currentStreamTimeMs();
  }

  currentSystemTimeMs(): number {
    return this.context.currentSystemTimeMs();
  }

  recordMetadata(): RecordMetadata | undefined {
    return this.context.recordMetadata();
  }
}
