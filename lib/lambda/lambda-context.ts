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

/** The tag of a member that says how much memory its function has, in MB: an assignor can give large tasks to members of a larger class. */
const MEMORY_TAG = 'lambda.memory.mb';

const BYTES_PER_MB = 1_048_576;

/** The function's memory in bytes; nothing where the context does not say it. */
export function memoryOf({ memoryLimitInMB }: LambdaContext): { readonly memoryBytes?: number } {
  const megabytes = Number(memoryLimitInMB);
  return megabytes > 0 ? { memoryBytes: megabytes * BYTES_PER_MB } : {};
}

/** {@link MEMORY_TAG}, where the context says it. */
export function memoryTag(context: LambdaContext): Readonly<Record<string, string>> {
  return 'memoryBytes' in memoryOf(context) ? { [MEMORY_TAG]: String(context.memoryLimitInMB) } : {};
}
