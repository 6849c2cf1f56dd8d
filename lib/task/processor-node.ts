import { type Awaitable, isPromise } from '../model/awaitable.js';
import type { Processor } from '../processor/processor.js';
import type { Cancellable, PunctuationType, Punctuator } from '../processor/processor-context.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { ProcessorNode } from '../topology/node.js';
import type { Receiver } from './node.js';
import { NodeContext, type TaskServices } from './node-context.js';
import { userError } from './user-errors.js';

/** A processor of the topology in one task: the user's object, its context, and what turns its errors into ours. */
export class RunningProcessor implements Receiver {
  readonly name: string;
  readonly context: NodeContext;
  private readonly services: TaskServices;
  private readonly processor: Processor<unknown, unknown, unknown, unknown>;

  /** @throws {ProcessingError} STREAMS_PROCESSING_FAILED if the supplier throws */
  constructor(node: ProcessorNode, services: TaskServices) {
    this.name = node.name;
    this.services = services;
    this.context = new NodeContext(node.name, node.stores, {
      ...services,
      openStore: (name, clock) => services.openStore(name, clock),
      openGlobalStore: (name) => services.openGlobalStore(name),
      schedule: (type, intervalMs, call) => this.schedule(type, intervalMs, call),
      onFlush: (flush) => services.onFlush(() => this.run(flush)),
      holdRecord: () => {
        const held = services.holdRecord();
        return { resume: (call) => held.resume(() => this.punctuate(call)) };
      },
      onRecord: (call) => services.onRecord((key) => this.punctuate(() => call(key))),
      onRecordDone: (call) => services.onRecordDone(() => this.punctuate(call)),
    });
    try {
      this.processor = node.supplier();
    } catch (thrown) {
      throw userError(thrown, node.name, services.scope);
    }
  }

  init(): Awaitable<void> {
    const { processor } = this;
    this.context.timestampMs = Math.max(0, this.services.scope.streamTimeMs);
    return this.run(() => processor.init?.(this.context));
  }

  process(record: StreamRecord<unknown, unknown>): Awaitable<void> {
    const { context } = this;
    context.timestampMs = record.timestampMs;
    context.enter();
    let result: Awaitable<void>;
    try {
      result = this.processor.process(record);
    } catch (thrown) {
      if (context.isPending) return this.handled(this.finish(Promise.reject(thrown)));
      context.leave();
      return this.services.failures.processing(thrown, this.name);
    }
    if (isPromise(result) || context.isPending) return this.handled(this.finish(result));
    context.leave();
  }

  close(): Awaitable<void> {
    const { processor } = this;
    return this.run(() => processor.close?.());
  }

  private schedule(type: PunctuationType, intervalMs: number, call: Punctuator): Cancellable {
    return this.services.schedule(type, intervalMs, (timestampMs) => {
      this.context.timestampMs = timestampMs;
      this.services.scope.punctuationMs = timestampMs;
      return this.punctuate(() => call(timestampMs));
    });
  }

  private punctuate(call: () => Awaitable<void>): Awaitable<void> {
    try {
      const result = this.run(call);
      return isPromise(result) ? this.handled(result) : undefined;
    } catch (thrown) {
      return this.services.failures.processing(thrown, this.name);
    }
  }

  private async handled(pending: Promise<void>): Promise<void> {
    try {
      await pending;
    } catch (thrown) {
      this.services.failures.processing(thrown, this.name);
    }
  }

  private run(call: () => Awaitable<void>): Awaitable<void> {
    this.context.enter();
    let result: Awaitable<void>;
    try {
      result = call();
    } catch (thrown) {
      if (this.context.isPending) return this.finish(Promise.reject(thrown));
      this.context.leave();
      throw userError(thrown, this.name, this.services.scope);
    }
    if (isPromise(result) || this.context.isPending) return this.finish(result);
    this.context.leave();
  }

  /**
   * Ends a call that has begun: whoever waits for its result, or for what it has forwarded, also where the call itself has failed (N2 of
   * node-context.ts). If both fail, it is with what a child threw: that was let through already.
   */
  private async finish(result: Awaitable<void>): Promise<void> {
    try {
      await this.outcome(result);
    } catch (thrown) {
      throw userError(thrown, this.name, this.services.scope);
    } finally {
      this.context.leave();
    }
  }

  private async outcome(result: Awaitable<void>): Promise<void> {
    try {
      await result;
    } catch (thrown) {
      await this.context.settled();
      throw thrown;
    }
    await this.context.settled();
  }
}
