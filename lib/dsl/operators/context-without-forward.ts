import type { Duration } from '../../model/duration.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type {
  Cancellable,
  ProcessorContext,
  PunctuationType,
  Punctuator,
  RecordMetadata,
} from '../../processor/processor-context.js';
import type { StateStore } from '../../state/state-store.js';

/** A node's context with all but `forward`: for user code that may forward some records only, or none. Kafka: `ForwardingDisabledProcessorContext`. */
export class ContextWithoutForward<K = never, V = never> implements Omit<ProcessorContext, 'forward'> {
  protected readonly context: EngineContext<K, V>;

  /** @param context as the engine gives it to a processor */
  constructor(context: unknown) {
    this.context = context as EngineContext<K, V>;
  }

  get applicationId(): string {
    return this.context.applicationId;
  }

  get taskId(): EngineContext['taskId'] {
    return this.context.taskId;
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
