/** The frame of an invocation: whoever writes logs and metrics hears of its start and end, and of what it throws. */
import { asStreamsError } from '../model/errors.js';
import type { RuntimePorts } from '../runtime/ports.js';
import type { LambdaContext } from './lambda-context.js';

/** Hears of the invocations of one execution environment; they come one after the other. */
export interface InvocationListener {
  started(context: LambdaContext): void;
  /** Nothing of the invocation runs any more; also after one that threw. */
  ended(): void;
}

/** Ports as a function has them. */
export interface FunctionPorts extends RuntimePorts {
  readonly invocations?: InvocationListener;
}

/** Runs what an invocation is for, between the words of its start and its end. */
export async function duringInvocation<T>(
  { invocations }: FunctionPorts,
  context: LambdaContext,
  work: () => Promise<T>,
): Promise<T> {
  invocations?.started(context);
  try {
    return await work();
  } finally {
    invocations?.ended();
  }
}

/** The same for an invocation that nobody waits for: what it throws is logged, and thrown on so that Lambda reports a failure. */
export function runInvocation<T>(ports: FunctionPorts, context: LambdaContext, work: () => Promise<T>): Promise<T> {
  return duringInvocation(ports, context, async () => {
    try {
      return await work();
    } catch (thrown) {
      const { code, kind, message, remedy, details } = asStreamsError(thrown);
      ports.host.logger.error('invocation-failed', { code, kind, message, remedy, details });
      throw thrown;
    }
  });
}
