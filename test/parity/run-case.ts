/** Runs one case of the family `processing` through the test driver and says where the answer differs from Kafka Streams'. */
import { StreamsError } from '../../lib/model/errors.js';
import type { Headers } from '../../lib/model/record-set.js';
import { settingsFromText } from '../../lib/model/settings.js';
import type { Serde } from '../../lib/serde/serde.js';
import { string } from '../../lib/serde/string-serde.js';
import type { VersionedKeyValueStore } from '../../lib/state/state-store.js';
import { type TestRecord, TopologyTestDriver } from '../../lib/testing/topology-test-driver.js';
import { defineApp, type StreamsApp, topicName } from '../../lib/topology/app.js';
import type { Topology } from '../../lib/topology/topology.js';
import { buildTopology } from './build-topology.js';
import { asJson, byName, canonical, compareChangelogs, compareRecords, compareStores, compareText } from './compare.js';
import type { CaseEntry, CaseInput, CaseQuery, CaseRecord, Json, ProcessingCase } from './parity-case.js';
import { bytesText, changelogKey, storeEntries, subscriptionText, windowedKey } from './store-entries.js';

/**
 * Runs a case.
 *
 * @returns the differences; none if the answer is the same; `missing operator: …` alone if the topology cannot be built yet
 */
export async function runProcessingCase(of: ProcessingCase): Promise<readonly string[]> {
  try {
    return await new CaseRun(of).differences();
  } catch (thrown) {
    if (isMissing(thrown)) return [thrown.message];
    throw thrown;
  }
}

/** Whether an error says that the library cannot do something yet. */
function isMissing(what: unknown): what is Error {
  return what instanceof Error && what.message.startsWith('missing operator');
}

type Topics = Map<string, CaseRecord[]>;

/** Cases do not list subscriptions of foreign-key joins that nobody named. */
const UNLISTED_STORES = 'KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-';

class CaseRun {
  private readonly of: ProcessingCase;
  private readonly written: Topics = new Map();
  private failedAt: string | number | undefined;
  private failure: unknown;

  constructor(of: ProcessingCase) {
    this.of = of;
  }

  async differences(): Promise<readonly string[]> {
    const topology = await this.attempt('build', () => buildTopology(this.of));
    if (topology === undefined) return this.compareErrors();
    const described = compareText('description', this.of.topologyDescription ?? '', topology.describe());
    const app = defineApp({
      applicationId: 'app',
      topology,
      settings: {
        statestoreCacheMaxBytes: 0,
        processingGuarantee: 'at_least_once',
        ...settingsFromText(settingsOf(this.of.config ?? {})),
      },
    });
    const wallClockMs = this.of.initialWallClockMs ?? 0;
    const driver = await this.attempt('start', () => TopologyTestDriver.start(app, { wallClockMs }));
    if (driver === undefined) return [...described, ...this.compareErrors()];
    await this.pipeAll(driver, app);
    const differences = [...described, ...this.compareErrors(), ...this.compareWritten(app)];
    if (this.failure === undefined)
      differences.push(...(await this.compareStores(driver, topology)), ...(await this.compareQueries(driver)));
    return differences;
  }

  private async pipeAll(driver: TopologyTestDriver, app: StreamsApp): Promise<void> {
    for (const [index, input] of this.of.inputs.entries()) {
      if (this.failure !== undefined) return;
      await this.attempt(index, () => pipe(driver, input));
      for (const topic of driver.producedTopicNames) this.collect(driver, app, topic, index);
    }
  }

  private collect(driver: TopologyTestDriver, app: StreamsApp, topic: string, i: number): void {
    const serdes = serdesOfDynamicTopic(app, topic);
    const records = serdes === undefined ? driver.readOutputs(topic) : driver.readOutputs(topic, serdes);
    const list = this.written.get(topic) ?? [];
    list.push(...records.map((record) => asCaseRecord(record, i)));
    this.written.set(topic, list);
  }

  private compareErrors(): string[] {
    const expected = this.of.errorAt;
    if (this.failedAt !== expected) {
      const text = this.failure instanceof Error ? this.failure.message : String(this.failure);
      const got = this.failedAt === undefined ? 'none' : `one at ${this.failedAt}: ${text}`;
      return [`error: expected ${expected === undefined ? 'none' : `one at ${expected}`}, got ${got}`];
    }
    if (this.failure === undefined || (this.failure instanceof StreamsError && this.failure.kind === 'invalid'))
      return [];
    return [`error: expected one of kind 'invalid', got ${String(this.failure)}`];
  }

  private compareWritten(app: StreamsApp): string[] {
    const repartitions = new Set([...app.topology.repartitionTopics.keys()].map((name) => topicName(app, name)));
    const changelogs = new Set([...app.topology.changelogs.values()].map(({ topic }) => topicName(app, topic)));
    // Of a record that is put and taken out within one transaction only the delete is written.
    const waiting = [...app.topology.stores.values()].filter(({ kind }) => kind === 'waiting');
    const takenAtOnce = new Set(waiting.map(({ name }) => `app-${name}-changelog`));
    const opaque = new Map(Object.entries(this.of.opaqueInternalTopics ?? {}));
    const part = (has: (topic: string) => boolean): Topics =>
      new Map([...this.written].filter(([topic]) => has(topic) && !opaque.has(topic)));
    const outputs: Topics = new Map();
    for (const { topic, ...record } of this.of.outputs ?? [])
      outputs.set(topic, [...(outputs.get(topic) ?? []), record]);
    const isOutput = (topic: string) => !repartitions.has(topic) && !changelogs.has(topic);
    return [
      ...compareRecords('output', outputs, part(isOutput)),
      ...compareRecords(
        'repartition',
        byName(this.of.repartitions),
        part((topic) => repartitions.has(topic)),
      ),
      ...compareChangelogs(
        byName(this.of.changelogs),
        part((topic) => changelogs.has(topic)),
      ),
      ...[...opaque].flatMap(([topic, count]) => {
        const written = this.written.get(topic)?.length ?? 0;
        return written === count || (written < count && takenAtOnce.has(topic))
          ? []
          : [`internal topic ${topic}: expected ${count} records, got ${written}`];
      }),
    ];
  }

  private async compareStores(driver: TopologyTestDriver, topology: Topology): Promise<string[]> {
    const stores = new Map<string, readonly CaseEntry[]>();
    for (const [name, { kind }] of topology.stores) {
      if (name.startsWith(UNLISTED_STORES)) continue;
      const entries: CaseEntry[] = [];
      for await (const { key, value } of storeEntries(kind, driver.getStore(name))) {
        const isTimestamped = kind === 'timestampedKeyValue' || kind === 'timestampedWindow';
        const entry = isTimestamped ? (value as { value: unknown; timestampMs: number }) : null;
        entries.push(
          entry === null
            ? { key: asJson(windowedKey(key)), value: asJson(value) }
            : { key: shownKey(key), value: asJson(subscriptionText(entry.value)), ts: entry.timestampMs },
        );
      }
      if (kind !== 'versioned') stores.set(name, entries);
    }
    return compareStores(byName(this.of.stores), stores);
  }

  private async compareQueries(driver: TopologyTestDriver): Promise<string[]> {
    const differences: string[] = [];
    for (const query of this.of.queries ?? []) {
      const got = asJson(await answerTo(query, driver));
      if (canonical(got) === canonical(query.result)) continue;
      differences.push(`query ${canonical(query)}: got ${canonical(got)}`);
    }
    return differences;
  }

  private async attempt<T>(at: string | number, step: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (thrown) {
      if (isMissing(thrown)) throw thrown;
      this.failedAt = at;
      this.failure = thrown;
      return undefined;
    }
  }
}

/** What a topology is built with is no setting. */
function settingsOf({ 'topology.optimization': _built, ...settings }: Readonly<Record<string, string>>) {
  return settings;
}

/** Kafka's `get` never says until when a version is valid. */
async function answerTo({ store, key, asOf }: CaseQuery, driver: TopologyTestDriver): Promise<unknown> {
  const versions = driver.getStore<VersionedKeyValueStore<Json, Json>>(store);
  const found = await (asOf === undefined ? versions.get(key) : versions.get(key, asOf));
  return found === null ? null : { value: found.value, ts: found.timestampMs, validTo: null };
}

async function pipe(driver: TopologyTestDriver, input: CaseInput): Promise<void> {
  if ('advanceWallClockMs' in input) return driver.advanceWallClockTime(input.advanceWallClockMs);
  const { topic, key, value, ts: timestampMs, headers = {} } = input;
  await driver.pipeInput(topic, { key, value, timestampMs, headers: asHeaders(headers) });
}

function asHeaders(headers: Readonly<Record<string, string>>): Headers {
  return Object.entries(headers).map(([key, value]) => ({ key, value: Buffer.from(value, 'utf8') }));
}

function asCaseRecord(record: TestRecord<unknown, unknown>, i: number): CaseRecord {
  const headers = record.headers.map(({ key, value }) => [key, Buffer.from(value ?? []).toString('utf8')]);
  return {
    key: asJson(bytesText(changelogKey(record.key))),
    value: changeAsJson(record.value),
    ts: record.timestampMs,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) as Record<string, string> }),
    i,
  };
}

function shownKey(key: unknown): Json {
  return asJson(bytesText(windowedKey(key)));
}

/** An update of a table is written as its new and its old value. */
function changeAsJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null || !('newCell' in value) || !('oldCell' in value))
    return asJson(subscriptionText(value));
  const { newCell, oldCell } = value as Record<'newCell' | 'oldCell', { readonly value: unknown }>;
  return { new: asJson(newCell.value), old: asJson(oldCell.value) };
}

/** The serdes of the sink that chooses its topics, for a topic that no other node names. */
function serdesOfDynamicTopic(
  app: StreamsApp,
  topic: string,
): { readonly key: Serde<unknown>; readonly value: Serde<unknown> } | undefined {
  const nodes = [...app.topology.nodes.values()];
  const isNamed = nodes.some(
    (node) =>
      (node.kind === 'sink' && typeof node.topic === 'string' && topicName(app, node.topic) === topic) ||
      (node.kind === 'source' && node.topics.some((name) => topicName(app, name) === topic)),
  );
  if (isNamed || [...app.topology.changelogs.values()].some((log) => topicName(app, log.topic) === topic))
    return undefined;
  const sink = nodes.find((node) => node.kind === 'sink' && typeof node.topic === 'function');
  const text = string() as Serde<unknown>;
  return sink?.kind === 'sink' ? { key: sink.keySerde, value: sink.valueSerde } : { key: text, value: text };
}
