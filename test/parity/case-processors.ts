/** The processors that recorded cases name. */
import {
  type Entries,
  type KeyValueStore,
  type Processor,
  type ProcessorContext,
  type ProcessorSupplier,
  type ReadOnlyKeyValueStore,
  type SessionStore,
  StreamRecord,
  type TimestampedKeyValueStore,
  type VersionedKeyValueStore,
  type WindowStore,
} from '../../lib/index.js';
import type { CaseType } from './case-functions.js';
import { appendToSession, putVersion, runWindowCommand, seenNearby } from './windowed-processors.js';

type Text = string | null;
type Value = string | number | null;
type Record_ = StreamRecord<string, Text>;
type Context = ProcessorContext<string, Value>;
type CaseProcessor = Processor<string, Text, string, Value>;

/** `"name"` or `{ type: "name", … }`. */
export interface ProcessorRef {
  readonly type: string;
  readonly clock?: 'stream' | 'wall';
  readonly intervalMs?: number;
  readonly cancelAfter?: number;
  readonly rules?: readonly { readonly prefix: string; readonly child: string }[];
  readonly default?: string;
  readonly byMs?: number;
  readonly header?: string;
  readonly headerValue?: string;
  readonly windowMs?: number;
  readonly gapMs?: number;
  /** A global store to look things up in. */
  readonly store?: string;
}

type Factory = (ref: ProcessorRef, stores: readonly string[]) => CaseProcessor;

/** The processor that a case names. @throws an error 'missing operator: …' if there is none */
export function processorOf(
  ref: string | ProcessorRef,
  stores: readonly string[],
): ProcessorSupplier<string, Text, string, Value> {
  const full = typeof ref === 'string' ? { type: ref } : ref;
  const factory = factories[full.type];
  if (factory === undefined) throw new Error(`missing operator: processor ${full.type}`);
  return () => factory(full, stores);
}

/** Type of the values that a processor forwards. */
export function forwardedType(ref: string | ProcessorRef): CaseType {
  return (typeof ref === 'string' ? ref : ref.type) === 'storeCounter' ? 'long' : 'string';
}

/** A processor as one function of record and context. */
function stateless(step: (record: Record_, context: Context, ref: ProcessorRef) => unknown): Factory {
  return (ref) => {
    let context: Context;
    return {
      init(given) {
        context = given;
      },
      async process(record) {
        await step(record, context, ref);
      },
    };
  };
}

/** A processor with one store. */
function stateful<S extends { readonly name: string }>(
  step: (record: Record_, store: S, context: Context, ref: ProcessorRef) => Promise<void>,
): Factory {
  return (ref, stores) => {
    let context: Context;
    let store: S;
    return {
      init(given) {
        context = given;
        store = given.getStateStore(stores[0] ?? ref.store ?? '');
      },
      process: (record) => step(record, store, context, ref),
    };
  };
}

const factories: Readonly<Record<string, Factory>> = {
  forward: stateless((record, context) => context.forward(record)),
  dupForward: stateless(async (record, context) => {
    await context.forward(record.withValue(`${record.value}1`));
    await context.forward(record.withValue(`${record.value}2`).withTimestamp(record.timestampMs + 1));
  }),
  route: stateless((record, context, ref) => {
    const rule = ref.rules?.find(({ prefix }) => record.value?.startsWith(prefix));
    return context.forward(record, rule?.child ?? ref.default);
  }),
  addHeader: stateless((record, context, { header = '', headerValue = '' }) =>
    context.forward(record.withHeaders([...record.headers, { key: header, value: Buffer.from(headerValue) }])),
  ),
  shiftTimestamp: stateless((record, context, { byMs = 0 }) =>
    context.forward(record.withTimestamp(record.timestampMs + byMs)),
  ),
  metadata: stateless((record, context) => {
    // Kafka Streams has metadata of no topic in a punctuation, this library has none.
    const at = context.recordMetadata() ?? { topic: null, partition: -1, offset: -1 };
    const where = `${at.topic}/${at.partition}/${at.offset}`;
    return context.forward(record.withValue(`${where}/task${context.taskId}/st${context.currentStreamTimeMs()}`));
  }),
  globalPut: stateful<KeyValueStore<string, string>>(async (record, store) => {
    await store.put(record.key, record.value);
  }),
  globalLookup,
  punctuate,
  flushOnPunctuate,
  storeCounter: stateful<KeyValueStore<string, number>>(async (record, store, context) => {
    const count = ((await store.get(record.key)) ?? 0) + 1;
    await store.put(record.key, count);
    await context.forward(record.withValue(count));
  }),
  running: stateful<KeyValueStore<string, string>>(async (record, store, context) => {
    const before = await store.get(record.key);
    const after = before === null ? `${record.value}` : `${before},${record.value}`;
    await store.put(record.key, after);
    await context.forward(record.withValue(after));
  }),
  tsKvPut: stateful<TimestampedKeyValueStore<string, string>>(async (record, store, context) => {
    const before = await store.get(record.key);
    if (before !== null && before.timestampMs > record.timestampMs) {
      return context.forward(record.withValue(`stale<${before.timestampMs}`));
    }
    await store.put(record.key, { value: `${record.value}`, timestampMs: record.timestampMs });
    await context.forward(record.withValue(before === null ? 'null' : `${before.value}#${before.timestampMs}`));
  }),
  kvCommand: stateful<KeyValueStore<string, string>>(async (record, store, context) => {
    await context.forward(record.withValue(await runCommand(record, store)));
  }),
  windowCommand: stateful<WindowStore<string, string>>(async (record, store, context) => {
    await context.forward(record.withValue(await runWindowCommand(record, store)));
  }),
  dedup: stateful<WindowStore<string, string>>(async (record, store, context, { windowMs = 0 }) => {
    if (await seenNearby(record, store, windowMs)) return;
    await store.put(record.key, record.value, record.timestampMs);
    await context.forward(record);
  }),
  sessionAppend: stateful<SessionStore<string, string>>(async (record, store, context, { gapMs = 0 }) => {
    await context.forward(record.withValue(await appendToSession(record, store, gapMs)));
  }),
  versionedPut: stateful<VersionedKeyValueStore<string, string>>(async (record, store, context) => {
    await context.forward(record.withValue(await putVersion(record, store)));
  }),
};

const storeCommand: Readonly<
  Record<string, (store: KeyValueStore<string, string>, key: string, args: readonly string[]) => Promise<string>>
> = {
  put: async (store, key, [value = '']) => {
    await store.put(key, value);
    return 'ok';
  },
  putNull: async (store, key) => {
    await store.put(key, null);
    return 'ok';
  },
  putIfAbsent: async (store, key, [value = '']) => `${await store.putIfAbsent(key, value)}`,
  delete: async (store, key) => `${await store.delete(key)}`,
  get: async (store, key) => `${await store.get(key)}`,
  range: (store, _key, [from, to]) => listed(store.range(from || null, to || null)),
  reverseRange: (store, _key, [from, to]) => listed(store.reverseRange(from || null, to || null)),
  prefix: (store, _key, [prefix = '']) => listed(store.prefixScan(prefix, { serialize: (text) => Buffer.from(text) })),
  all: (store) => listed(store.all()),
};

function runCommand(record: Record_, store: KeyValueStore<string, string>): Promise<string> {
  const [name = '', ...args] = (record.value ?? '').split(':');
  const command = storeCommand[name];
  if (command === undefined) throw new Error(`missing operator: store command ${name}`);
  return command(store, record.key, args);
}

async function listed(entries: Entries<string, string>): Promise<string> {
  const parts: string[] = [];
  for await (const { key, value } of entries) parts.push(`${key}=${value}`);
  return `[${parts.join(',')}]`;
}

function globalLookup({ store: name = '' }: ProcessorRef): CaseProcessor {
  let context: Context;
  let store: ReadOnlyKeyValueStore<string, string>;
  return {
    init(given) {
      context = given;
      store = given.getStateStore(name);
    },
    async process(record) {
      await context.forward(record.withValue(`${record.value}/${await store.get(record.key)}`));
    },
  };
}

function clockOf(ref: ProcessorRef): 'streamTime' | 'wallClockTime' {
  return ref.clock === 'wall' ? 'wallClockTime' : 'streamTime';
}

function punctuate(ref: ProcessorRef): CaseProcessor {
  let context: Context;
  let fired = 0;
  return {
    init(given) {
      context = given;
      const schedule = given.schedule(ref.intervalMs ?? 0, clockOf(ref), (timestampMs) => {
        fired += 1;
        if (fired === ref.cancelAfter) schedule.cancel();
        return given.forward(StreamRecord.of({ key: 'punct', value: `p${fired}@${timestampMs}`, timestampMs }));
      });
    },
    process: (record) => context.forward(record),
  };
}

function flushOnPunctuate(ref: ProcessorRef, stores: readonly string[]): CaseProcessor {
  let store: KeyValueStore<string, string>;
  return {
    init(context) {
      store = context.getStateStore(stores[0] ?? '');
      context.schedule(ref.intervalMs ?? 0, clockOf(ref), async (timestampMs) => {
        for await (const { key, value } of store.all()) {
          await context.forward(StreamRecord.of({ key, value, timestampMs }));
          await store.delete(key);
        }
      });
    },
    process: (record) => store.put(record.key, record.value),
  };
}
