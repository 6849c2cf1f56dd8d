import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  defineApp,
  keyValueStore,
  type ProcessorContext,
  type SessionStore,
  type StoreKind,
  StreamRecord,
  StreamsBuilder,
  session,
  sessionStore,
  string,
  tumbling,
  untilTimeLimit,
  untilWindowCloses,
  type VersionedKeyValueStore,
  versionedStore,
  type WindowStore,
  windowStore,
} from '../../../lib/index.js';
import type { KeyValueStore } from '../../../lib/state/state-store.js';
import type { RestartOptions } from '../../../lib/testing/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
const RETENTION_MS = 100;
const TICK_MS = 50;

/** Every kind, and so that it fails to compile when there is another one. */
const KINDS: Readonly<Record<StoreKind, true>> = {
  keyValue: true,
  timestampedKeyValue: true,
  window: true,
  timestampedWindow: true,
  session: true,
  versioned: true,
  nonJoined: true,
  waiting: true,
  suppressed: true,
};

/** Writes each record to a store of each kind that processors have, says what it finds there, and speaks up at times. */
function witness() {
  let context: ProcessorContext<string, string>;
  return {
    init(given: ProcessorContext<string, string>) {
      context = given;
      for (const clock of ['streamTime', 'wallClockTime'] as const)
        given.schedule(TICK_MS, clock, (timestampMs) =>
          given.forward(StreamRecord.of({ key: clock, value: String(timestampMs), timestampMs })),
        );
    },
    async process(record: StreamRecord<string, string>) {
      const { key, timestampMs } = record;
      const value = record.value === '-' ? null : record.value;
      const plain = context.getStateStore<KeyValueStore<string, string>>('plain');
      const duplicates = context.getStateStore<WindowStore<string, string>>('duplicates');
      const sessions = context.getStateStore<SessionStore<string, string>>('sessions');
      const versions = context.getStateStore<VersionedKeyValueStore<string, string>>('versions');
      await plain.put(key, value);
      await duplicates.put(key, value, timestampMs);
      await sessions.put({ key, window: { startMs: timestampMs, endMs: timestampMs + 5 } }, value);
      await versions.put(key, value, timestampMs);
      const seen: string[] = [];
      for await (const each of duplicates.fetchRange(key, key, 0, timestampMs + 10))
        seen.push(`${each.key.window.startMs}=${each.value}`);
      const version = await versions.get(key, timestampMs - 10);
      await context.forward(record.withValue(`${seen} ${version?.value} ${context.currentStreamTimeMs()}`));
    },
  };
}

function application() {
  const builder = new StreamsBuilder();
  const stores = [
    keyValueStore({ name: 'plain', ...text }),
    windowStore({ name: 'duplicates', ...text, retention: RETENTION_MS, windowSize: 10, retainDuplicates: true }),
    sessionStore({ name: 'sessions', ...text, retention: RETENTION_MS }),
    versionedStore({ name: 'versions', ...text, historyRetention: RETENTION_MS }),
  ];
  for (const store of stores) builder.addStateStore(store);
  const left = builder.stream('left', text);
  const right = builder.stream('right', text);
  const names = stores.map(({ name }) => name);
  left
    .filter((key) => key !== null)
    .process(witness, { stores: names, ...text })
    .to('witness');
  const grouped = left.groupByKey();
  const windows = grouped.windowedBy(tumbling({ size: 20, grace: 10 })).count({ store: 'windows' });
  windows.suppress(untilWindowCloses()).toStream().to('closed');
  grouped
    .windowedBy(session({ inactivityGap: 10, grace: 10 }))
    .count({ store: 'counted-sessions' })
    .toStream()
    .to('counted');
  const rows = builder.table('rows', { ...text, store: 'rows', historyRetention: RETENTION_MS });
  left.leftJoin(rows, { grace: 30, joiner: (value, row) => `${value}+${row}`, name: 'enrich' }).to('enriched');
  left.outerJoin(right, { within: 15, grace: 5, joiner: (l, r) => `${l}+${r}` }).to('joined');
  right
    .groupBy((_, value) => value, { name: 'by-value' })
    .reduce((all, value) => `${all}${value}`.slice(-8), { store: 'reduced' })
    .suppress(untilTimeLimit('25ms'))
    .toStream()
    .to('limited');
  const settings = { statestoreCacheMaxBytes: 0 };
  return defineApp({ applicationId: 'app', topology: builder.build(), settings });
}

const app = application();

/** All that was written since the last time, and what stores hold. */
async function state(driver: TopologyTestDriver) {
  const written = driver.producedTopicNames.map((topic) => {
    const records: string[] = [];
    for (let next = driver.readRawOutput(topic); next !== undefined; next = driver.readRawOutput(topic))
      records.push(`${hex(next.key)} ${hex(next.value)} ${next.timestampMs}`);
    return [topic, records] as const;
  });
  const contents: Record<string, readonly string[]> = {};
  for (const { name, kind } of app.topology.stores.values()) contents[name] = await contentOf(driver, name, kind);
  return { written: Object.fromEntries(written), contents };
}

/** Windows and sessions as they are read: past their retention they are hidden first, and go with their segment. */
async function contentOf(driver: TopologyTestDriver, name: string, kind: StoreKind): Promise<readonly string[]> {
  if (kind === 'window' || kind === 'timestampedWindow')
    return shown(driver.getStore<WindowStore<unknown, unknown>>(name).all());
  if (kind === 'session') return shown(driver.getStore<SessionStore<unknown, unknown>>(name).fetchRange(null, null));
  return driver.readRawStore(name).map(({ key, value, timestampMs }) => `${hex(key)} ${hex(value)} ${timestampMs}`);
}

async function shown(entries: AsyncIterable<unknown>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const entry of entries) all.push(JSON.stringify(entry));
  return all;
}

function hex(bytes: Uint8Array | null): string {
  return bytes === null ? 'null' : Buffer.from(bytes).toString('hex');
}

/** The model is the same topology whose tasks never die. */
interface Model {
  readonly driver: TopologyTestDriver;
}

type Command = fc.AsyncCommand<Model, TopologyTestDriver>;

/** A step that both make: it shows what came of the faults before. */
class Step implements Command {
  private readonly label: string;
  private readonly make: (driver: TopologyTestDriver) => Promise<void>;

  constructor(label: string, make: Step['make']) {
    this.label = label;
    this.make = make;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: TopologyTestDriver): Promise<void> {
    await this.make(model.driver);
    await this.make(real);
    expect(await state(real)).toEqual(await state(model.driver));
  }

  toString(): string {
    return this.label;
  }
}

/** What happens to the real one alone, and must not show. */
class Fault extends Step {
  private readonly harm: (driver: TopologyTestDriver) => Promise<void> | void;

  constructor(label: string, harm: Fault['harm']) {
    super(label, async () => undefined);
    this.harm = harm;
  }

  override async run(model: Model, real: TopologyTestDriver): Promise<void> {
    await this.harm(real);
    await super.run(model, real);
  }
}

const from = fc.constantFrom<RestartOptions>({ from: 'snapshot' }, { from: 'changelog' });
const input = fc.record({
  topic: fc.constantFrom('left', 'left', 'right', 'rows'),
  key: fc.constantFrom('x', 'y', 'xy', null),
  value: fc.constantFrom('1', '2', '-', null),
  timestampMs: fc.oneof(fc.nat({ max: 80 }), fc.nat({ max: 80 }), fc.nat({ max: 400 })),
});
const pipe = input.map(
  (record) => new Step(`pipe ${JSON.stringify(record)}`, (to) => to.pipeInput(record.topic, record)),
);
const wait = fc.nat({ max: 60 }).map((ms) => new Step(`wait ${ms}`, (driver) => driver.advanceWallClockTime(ms)));
const task = fc.constantFrom('0_0', '1_0');
const handOver = from.map(
  (options) => new Fault(`hand over from ${options.from}`, (driver) => driver.restart(options)),
);
const handOneOver = task.map((id) => new Fault(`hand over ${id}`, (driver) => driver.restart({ task: id })));
const crash = from.map((options) => new Fault(`crash, from ${options.from}`, (driver) => driver.crash(options)));
const crashOne = task.map((id) => new Fault(`crash ${id}`, (driver) => driver.crash({ task: id })));
const crashWithin = task.map(
  (id) => new Fault(`crash ${id} later`, (driver) => driver.crashBeforeCommit({ task: id })),
);
const snapshot = fc.constant(new Fault('snapshot', (driver) => driver.writeSnapshots()));
const clean = fc.constant(new Fault('clean', (driver) => driver.compactChangelogs()));

/** A crash forgets when the wall clock was due, so that time does not pass where there are crashes. */
const WAYS = {
  'handed over while time passes': [pipe, pipe, pipe, wait, handOver, handOneOver, snapshot, clean],
  crashed: [pipe, pipe, pipe, crash, crashOne, crashWithin, snapshot, clean],
};

test('the application has a store of every kind', () => {
  const kinds = [...app.topology.stores.values()].map(({ kind }) => kind);

  expect([...new Set(kinds)].sort()).toEqual(Object.keys(KINDS).sort());
});

test.each(Object.entries(WAYS))(
  'stores of every kind and all outputs are the same where tasks are %s, with snapshots and cleaning in between',
  { timeout: 120_000 },
  async (_, ways) => {
    const steps = fc.commands<Model, TopologyTestDriver, false>(ways, { maxCommands: 25, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        const model = await TopologyTestDriver.start(app);
        const real = await TopologyTestDriver.start(app);
        await fc.asyncModelRun(() => ({ model: { driver: model }, real }), commands);
      }),
      { numRuns: 40 },
    );
  },
);
