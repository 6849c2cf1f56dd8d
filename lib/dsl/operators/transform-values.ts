/**
 * Steps of a table by hand, with stores. Kafka: `KTableTransformValues`.
 *
 * Invariants
 *   V1  the instance that follows the updates is not one that looks rows up: each node that looks up has one of its own
 *   V2  one object of the user's is one object here: that tasks would share it is seen when the topology is built
 *   V3  who looks a row up asks from no input: `recordMetadata` answers undefined there
 */
import { type Awaitable, andThen } from '../../model/awaitable.js';
import { ProcessingError, TopologyError } from '../../model/errors.js';
import { kindOfValue } from '../../model/kind-of-value.js';
import type { Processor, ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext, RecordMetadata } from '../../processor/processor-context.js';
import type { StreamRecord } from '../../processor/stream-record.js';
import type {
  ValueTransformer,
  ValueTransformerContext,
  ValueTransformerSupplier,
} from '../../processor/value-transformer.js';
import { Cell } from '../../serde/cell.js';
import { ABSENT, type Change } from '../change.js';
import type { TableReader, TableView } from '../table-view.js';
import { ContextWithoutForward } from './context-without-forward.js';
import { type RowStep, type TableStepNode, tableStep } from './table-steps.js';
import { wrapEach } from './wrap-each.js';

/** A timestamp that nobody knows. Kafka: `RecordQueue.UNKNOWN`. */
const UNKNOWN_MS = -1;

/** The node that follows the updates. */
export function transformValues<K, V, V2>(
  node: TableStepNode<K, V2>,
  supplier: ValueTransformerSupplier<K, V, V2>,
): ProcessorSupplier<K, Change<V>, K, Change<V2>> {
  return wrapEach(
    () => newTransformer(supplier),
    (transformer) => new TransformValues(transformer, tableStep(node, stepOf(transformer), { takesAbsent: true })()), // V2
  );
}

class TransformValues<K, V, V2> implements Processor<K, Change<V>, K, Change<V2>> {
  private readonly transformer: ValueTransformer<K, V, V2>;
  private readonly step: Processor<K, Change<V>, K, Change<V2>>;

  constructor(transformer: ValueTransformer<K, V, V2>, step: Processor<K, Change<V>, K, Change<V2>>) {
    this.transformer = transformer;
    this.step = step;
  }

  init(context: ProcessorContext<K, Change<V2>>): Awaitable<void> {
    return andThen(this.step.init?.(context), () => this.transformer.init?.(new TransformerContext(context, false)));
  }

  process(record: StreamRecord<K, Change<V>>): Awaitable<void> {
    return this.step.process(record);
  }

  close(): Awaitable<void> {
    return this.transformer.close?.();
  }
}

/** The rows as they are looked up where they are not kept: made anew of the table's. */
export function transformedView<K, V, V2>(
  of: TableView<K, V>,
  supplier: ValueTransformerSupplier<K, V, V2>,
  stores: readonly string[],
): TableView<K, V2> {
  return {
    stores: [...new Set([...of.stores, ...stores])],
    open(context) {
      const reader = of.open(context);
      const transformer = newTransformer(supplier); // V1
      const begun = transformer.init?.(new TransformerContext(context, true));
      return { get: (key) => andThen(begun, () => lookUp(reader, stepOf(transformer), key)) };
    },
  };
}

function lookUp<K, V, V2>(reader: TableReader<K, V>, step: RowStep<K, V, V2>, key: Cell<K>) {
  return andThen(reader.get(key), (row) =>
    andThen(step(key.value, row?.cell ?? (ABSENT as Cell<V | null>)), (cell) =>
      cell.isNull ? null : { cell, timestampMs: row?.timestampMs ?? UNKNOWN_MS },
    ),
  );
}

function stepOf<K, V, V2>(transformer: ValueTransformer<K, V, V2>): RowStep<K, V, V2> {
  return (key, row) => andThen(transformer.transform(key, row.value), (value) => Cell.of<V2 | null>(value ?? null));
}

function newTransformer<K, V, V2>(supplier: ValueTransformerSupplier<K, V, V2>): ValueTransformer<K, V, V2> {
  const made: unknown = supplier();
  if (typeof (made as { readonly transform?: unknown } | null | undefined)?.transform === 'function')
    return made as ValueTransformer<K, V, V2>;
  throw new TopologyError(`transformValues: its supplier gives ${kindOfValue(made)}, no transformer`, {
    remedy: 'Return an object with a function `transform` from the supplier.',
  });
}

class TransformerContext extends ContextWithoutForward implements ValueTransformerContext {
  private readonly looksUp: boolean;

  constructor(context: unknown, looksUp: boolean) {
    super(context);
    this.looksUp = looksUp;
  }

  /** Not in the interface: JavaScript may call it. */
  forward(): never {
    const { nodeName } = this.context;
    throw new ProcessingError(`node ${nodeName}: a transformer of values can not forward`, {
      details: { node: nodeName },
      remedy: 'Return the value from transform; to forward, make a stream of the table and use process.',
    });
  }

  override recordMetadata(): RecordMetadata | undefined {
    return this.looksUp ? undefined : super.recordMetadata(); // V3
  }
}
