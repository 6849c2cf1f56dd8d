/** The four functions of the word count in one process: real handlers over memory adapters, invoked as Lambda would. */
import wordCount from '../../examples/wordcount/word-count.js';
import type { Clock, Host, LogFields, Logger } from '../../lib/host/host.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import type { Invoker } from '../../lib/invoke/invoker.js';
import { createMemoryInvoker, type InvocationFailure } from '../../lib/invoke/memory/memory-invoker.js';
import type { FunctionName } from '../../lib/invoke/payloads.js';
import {
  createQueryHandler,
  createSchedulerHandler,
  createStandbyHandler,
  createTaskHandler,
  type LambdaContext,
} from '../../lib/lambda/index.js';
import { createMemoryLeaseStore } from '../../lib/leases/memory/memory-lease-store.js';
import { createMemoryLog } from '../../lib/log/memory/memory-log.js';
import { offset } from '../../lib/model/offset.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';

export const PARTITIONS = 2;

/** Fast beats, so that a test sees whole lives of members. */
const FAST: Readonly<Record<string, string>> = {
  MILLRACE_SETTING_MEMBERS: '2',
  MILLRACE_SETTING_HEARTBEAT_INTERVAL_MS: '50ms',
  MILLRACE_SETTING_SESSION_TIMEOUT_MS: '2s',
  MILLRACE_SETTING_TICK_INTERVAL_MS: '50ms',
  MILLRACE_SETTING_COMMIT_INTERVAL_MS: '20ms',
  MILLRACE_SETTING_IDLE_TIMEOUT_MS: '400ms',
  MILLRACE_SETTING_STATESTORE_CACHE_MAX_BYTES: '0',
  MILLRACE_SETTING_SNAPSHOT_MIN_RECORDS: '1',
};

export interface LoggedLine {
  readonly level: string;
  readonly event: string;
  readonly fields: LogFields;
}

export interface FunctionsWorldOptions {
  /** Default: that of this machine. */
  readonly clock?: Clock;
  /** How long a function may run that another one invokes; default: 20 s each. */
  readonly timeoutsMs?: Readonly<Partial<Record<FunctionName, number>>>;
  /** What the functions invoke each other through. */
  readonly invokerOf?: (invoker: Invoker) => Invoker;
}

export async function createFunctionsWorld(
  environment: Readonly<Record<string, string>> = {},
  { clock, timeoutsMs = {}, invokerOf = (invoker) => invoker }: FunctionsWorldOptions = {},
) {
  const lines: LoggedLine[] = [];
  const node = createNodeHost({ logger: collecting(lines) });
  const host: Host = { ...node, clock: clock ?? node.clock };
  const failures: InvocationFailure[] = [];
  const invoker = createMemoryInvoker({ clock: host.clock, onFailure: (failure) => failures.push(failure) });
  const log = await createMemoryLog({ host });
  const ports = {
    log,
    leases: createMemoryLeaseStore(),
    snapshots: createMemorySnapshotStore({ clock: host.clock }),
    invoker: invokerOf(invoker),
    host,
  };
  const made = { ports: 0 };
  const options = {
    environment: { ...FAST, ...environment },
    ports: async () => {
      made.ports += 1;
      return ports;
    },
  };
  let invocations = 0;
  /** The context of one more invocation. */
  const context = (remainingMs = 20_000): LambdaContext => {
    invocations += 1;
    const endMs = host.clock.monotonic() + remainingMs;
    return {
      awsRequestId: `request-${invocations}`,
      getRemainingTimeInMillis: () => Math.max(0, endMs - host.clock.monotonic()),
    };
  };

  const handlers = {
    scheduler: createSchedulerHandler(wordCount, options),
    task: createTaskHandler(wordCount, options),
    standby: createStandbyHandler(wordCount, options),
    query: createQueryHandler(wordCount, { ...options, stores: ['counts'] }),
  };
  const makers = { task: createTaskHandler, standby: createStandbyHandler, scheduler: createSchedulerHandler };
  for (const name of ['task', 'standby', 'scheduler'] as const) {
    const invoke = inEnvironments(() => makers[name](wordCount, options));
    invoker.register(name, (payload) => invoke(payload, context(timeoutsMs[name])));
  }
  for (const name of ['lines', 'counts']) await log.createTopic({ name, partitions: PARTITIONS, config: {} });

  return {
    app: wordCount,
    ports,
    /** Lambda itself: what it accepts it delivers. */
    invoker,
    handlers,
    context,
    made,
    lines,
    failures,

    async writeLines(...texts: readonly string[]): Promise<void> {
      for (const [index, text] of texts.entries()) {
        const records = new RecordSetBuilder();
        records.append(null, Buffer.from(text), host.clock.now());
        await log.append({ topic: 'lines', partition: index % PARTITIONS }, records.build());
      }
    },

    /** The counts written downstream and committed, as text: `hello=2`, in the order of each partition. */
    async committedCounts(): Promise<readonly string[]> {
      const found: string[] = [];
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        const [result] = await log.fetch([{ topic: 'counts', partition, fromOffset: offset(0) }], {
          isolation: 'readCommitted',
          maxWaitMs: 0,
          maxBytes: 1_000_000,
        });
        for (let index = 0; index < (result?.records.size ?? 0); index += 1) {
          const { key, value } = result?.records.record(index) ?? { key: null, value: null };
          found.push(`${Buffer.from(key ?? []).toString()}=${Buffer.from(value ?? []).readBigInt64BE()}`);
        }
      }
      return found;
    },

    tick: (reason: string) => ({
      type: 'tick',
      applicationId: wordCount.applicationId,
      expiresAtMs: host.clock.now() + 10_000,
      reason,
    }),

    async close(): Promise<void> {
      await invoker.close();
      await log.close();
    },
  };
}

type FunctionHandler = (event: unknown, context: LambdaContext) => Promise<unknown>;

/** Execution environments, as Lambda keeps them: each takes one invocation at a time, and the one used last is the next. */
function inEnvironments(make: () => FunctionHandler): FunctionHandler {
  const idle: FunctionHandler[] = [];
  return async (event, context) => {
    const handler = idle.pop() ?? make();
    try {
      return await handler(event, context);
    } finally {
      idle.push(handler);
    }
  };
}

function collecting(lines: LoggedLine[], base: LogFields = {}): Logger {
  const at = (level: string) => (event: string, fields?: LogFields) => {
    lines.push({ level, event, fields: { ...base, ...fields } });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => collecting(lines, { ...base, ...fields }),
  };
}
