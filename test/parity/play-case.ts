/** Plays one case of the family `processing` through the test driver, in one go or with what a test does in between. */
import type { Headers } from '../../lib/model/record-set.js';
import { settingsFromText } from '../../lib/model/settings.js';
import type { Serde } from '../../lib/serde/serde.js';
import { string } from '../../lib/serde/string-serde.js';
import type { VersionedKeyValueStore } from '../../lib/state/state-store.js';
import type { TestDriverOptions, TestRecord } from '../../lib/testing/driver/driver-options.js';
import { TopologyTestDriver } from '../../lib/testing/topology-test-driver.js';
import { defineApp, type StreamsApp, topicName } from '../../lib/topology/app.js';
import { buildTopology } from './build-topology.js';
import { asJson } from './compare.js';
import type { CaseEntry, CaseInput, CaseQuery, CaseRecord, Json, ProcessingCase } from './parity-case.js';
import { bytesText, changelogKey, storeEntries, subscriptionText, windowedKey } from './store-entries.js';

/** Records by topic. */
export type Topics = Map<string, CaseRecord[]>;

/** All that came of a case. */
export interface CaseOutcome {
  /** Text of the topology; absent if it was refused. */
  readonly description?: string;
  /** Absent if nothing was started. */
  readonly app?: StreamsApp;
  /** `build`, `start`, or the index of the input that ended in an error. */
  readonly failedAt?: string | number;
  readonly failure?: unknown;
  /** Outputs, repartition topics and changelogs. */
  readonly written: Topics;
  /** Content at the end; empty after an error. Stores that are not listed by kind have none. */
  readonly stores: ReadonlyMap<string, readonly CaseEntry[]>;
  /** The same as bytes, in hexadecimals, and of every kind. */
  readonly images: ReadonlyMap<string, readonly string[]>;
  /** Answers to the case's queries. */
  readonly answers: readonly Json[];
  readonly dropped: ReadonlyMap<string, number>;
}

/** How a case is played. */
export interface CasePlay {
  readonly options?: Pick<TestDriverOptions, 'recordsPerCommit' | 'partitions' | 'oneTask'>;
  /** Default 0: every update is given out. */
  readonly cacheMaxBytes?: number;
  /** Called before each input. */
  readonly before?: (driver: TopologyTestDriver, index: number) => Promise<void> | void;
}

/** @throws an error 'missing operator: …' for a topology that can not be built yet */
export async function playCase(of: ProcessingCase, play: CasePlay = {}): Promise<CaseOutcome> {
  return new CasePlayer(of, play).outcome();
}

/** Whether an error says that the library cannot do something yet. */
export function isMissing(what: unknown): what is Error {
  return what instanceof Error && what.message.startsWith('missing operator');
}

class CasePlayer {
  private readonly of: ProcessingCase;
  private readonly play: CasePlay;
  private readonly written: Topics = new Map();
  private failed: { readonly failedAt: string | number; readonly failure: unknown } | undefined;

  constructor(of: ProcessingCase, play: CasePlay) {
    this.of = of;
    this.play = play;
  }

  async outcome(): Promise<CaseOutcome> {
    const topology = await this.attempt('build', () => buildTopology(this.of));
    const nothing = { written: this.written, stores: new Map(), images: new Map(), answers: [], dropped: new Map() };
    if (topology === undefined) return { ...nothing, ...this.failed };
    const { options, cacheMaxBytes = 0 } = this.play;
    const app = defineApp({
      applicationId: 'app',
      topology,
      settings: {
        statestoreCacheMaxBytes: cacheMaxBytes,
        processingGuarantee: 'at_least_once',
        ...settingsFromText(settingsOf(this.of.config ?? {})),
      },
    });
    const description = topology.describe();
    const wallClockMs = this.of.initialWallClockMs ?? 0;
    const driver = await this.attempt('start', () => TopologyTestDriver.start(app, { wallClockMs, ...options }));
    if (driver === undefined) return { ...nothing, ...this.failed, description };
    await this.pipeAll(driver, app);
    const dropped = driver.droppedRecords;
    const { written } = this;
    if (this.failed !== undefined) return { ...nothing, ...this.failed, description, app, dropped };
    const stores = await storesOf(driver, app);
    const answers: Json[] = [];
    for (const query of this.of.queries ?? []) answers.push(asJson(await answerTo(query, driver)));
    const images = imagesOf(driver, app);
    await driver.close();
    return { description, app, written, stores, images, answers, dropped };
  }

  private async pipeAll(driver: TopologyTestDriver, app: StreamsApp): Promise<void> {
    for (const [index, input] of this.of.inputs.entries()) {
      await this.play.before?.(driver, index);
      await this.attempt(index, () => pipe(driver, input));
      if (this.failed !== undefined) return; // of an input that ended in an error nothing was recorded
      for (const topic of driver.producedTopicNames) this.collect(driver, app, topic, index);
    }
    await driver.commit();
    for (const topic of driver.producedTopicNames) this.collect(driver, app, topic, this.of.inputs.length);
  }

  private collect(driver: TopologyTestDriver, app: StreamsApp, topic: string, i: number): void {
    const serdes = serdesOfDynamicTopic(app, topic);
    const records = serdes === undefined ? driver.readOutputs(topic) : driver.readOutputs(topic, serdes);
    const list = this.written.get(topic) ?? [];
    list.push(...records.map((record) => asCaseRecord(record, i)));
    this.written.set(topic, list);
  }

  private async attempt<T>(at: string | number, step: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (thrown) {
      if (isMissing(thrown)) throw thrown;
      this.failed = { failedAt: at, failure: thrown };
      return undefined;
    }
  }
}

async function storesOf(driver: TopologyTestDriver, app: StreamsApp): Promise<CaseOutcome['stores']> {
  const stores = new Map<string, readonly CaseEntry[]>();
  for (const [name, { kind }] of app.topology.stores) {
    const isTimestamped = kind === 'timestampedKeyValue' || kind === 'timestampedWindow';
    const entries: CaseEntry[] = [];
    for (const partition of driver.partitionsOf(name)) {
      for await (const { key, value } of storeEntries(kind, driver.getStore(name, partition))) {
        const entry = isTimestamped ? (value as { value: unknown; timestampMs: number }) : null;
        entries.push(
          entry === null
            ? { key: asJson(windowedKey(key)), value: asJson(value) }
            : { key: shownKey(key), value: asJson(subscriptionText(entry.value)), ts: entry.timestampMs },
        );
      }
    }
    stores.set(name, entries);
  }
  return stores;
}

function imagesOf(driver: TopologyTestDriver, app: StreamsApp): CaseOutcome['images'] {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  return new Map(
    [...app.topology.stores.keys()].map((name) => [
      name,
      driver
        .partitionsOf(name)
        .flatMap((partition) => driver.readRawStore(name, partition))
        .map(({ key, value, timestampMs }) => `${hex(key)} ${hex(value)} ${timestampMs}`),
    ]),
  );
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
