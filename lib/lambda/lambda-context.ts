/** The part of Lambda's context that handlers read, and log lines tell. */
export interface LambdaContext {
  readonly awsRequestId: string;
  readonly functionName?: string;
  readonly functionVersion?: string;
  readonly invokedFunctionArn?: string;
  readonly memoryLimitInMB?: string;
  /** Milliseconds until Lambda ends the invocation. */
  getRemainingTimeInMillis(): number;
}

/**
 * The end of an invocation on this machine's monotonic clock, `marginMs` before Lambda's: the time it takes to answer.
 * A deadline on the wall clock would move with it.
 */
export function deadlineOf(context: LambdaContext, monotonicMs: number, marginMs: number): number {
  return monotonicMs + Math.max(0, context.getRemainingTimeInMillis() - marginMs);
}
