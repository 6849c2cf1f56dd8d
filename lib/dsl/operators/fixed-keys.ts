/**
 * Runs a processor that keeps the keys as any other, and holds it to that.
 *
 * Invariants
 *   F1  a record that it is given, and what is made of that by `withValue`, `withTimestamp` and `withHeaders`, goes on whenever it is
 *       forwarded; any other is refused, though its key be equal
 *   F2  one object of the user's is one object here: that tasks would share it is seen when the topology is built
 */
import type { Awaitable } from '../../model/awaitable.js';
import { ProcessingError } from '../../model/errors.js';
import type { Headers } from '../../model/record-set.js';
import type {
  FixedKeyProcessor,
  FixedKeyProcessorContext,
  FixedKeyProcessorSupplier,
  FixedKeyRecord,
} from '../../processor/fixed-key.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import { expectProcessor } from '../../topology/expect-processor.js';
import { ContextWithoutForward } from './context-without-forward.js';
import { wrapEach } from './wrap-each.js';

/** The processors of a supplier of the user's, for a node of any kind. */
export function fixedKeys<K, VIn, VOut>(
  supplier: FixedKeyProcessorSupplier<K, VIn, VOut>,
): ProcessorSupplier<K, VIn, K, VOut> {
  const checked = () => {
    const processor = supplier();
    expectProcessor(processor, 'processValues', {});
    return processor;
  };
  return wrapEach(checked, (processor) => new FixedKeys<K, VIn, VOut>(processor)); // F2
}

class FixedKeys<K, VIn, VOut> implements Processor<K, VIn, K, VOut> {
  private readonly processor: FixedKeyProcessor<K, VIn, VOut>;

  constructor(processor: FixedKeyProcessor<K, VIn, VOut>) {
    this.processor = processor;
  }

  init(context: unknown): Awaitable<void> {
    return this.processor.init?.(new FixedKeyContext<K, VOut>(context));
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

class FixedKeyContext<K, VOut> extends ContextWithoutForward<K, VOut> implements FixedKeyProcessorContext<K, VOut> {
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
}
