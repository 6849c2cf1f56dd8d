/** A small application under one fault at a time: what happened, told by effects on the outside and by the timeline. */
import { defineApp, StreamsBuilder, string } from '../../../lib/index.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { Cloud } from '../../../lib/testing/simulation/cloud.js';
import type { Fault } from '../../../lib/testing/simulation/faults/fault.js';
import { QUICK_SETTINGS } from '../../../lib/testing/simulation/generate-scenario.js';
import { runScenario, type ScenarioRun } from '../../../lib/testing/simulation/run-scenario.js';
import type { Scenario } from '../../../lib/testing/simulation/scenario.js';
import type { Effect } from '../../../lib/testing/simulation/simulated-ports.js';
import type { Subject } from '../../../lib/testing/simulation/subject.js';
import type { TimelineEntry } from '../../../lib/testing/simulation/timeline.js';
import { VirtualTime } from '../../../lib/testing/simulation/virtual-time.js';

export const SCENE_SIZE = {
  activeMs: 12_000,
  members: 2,
  sessionTimeoutMs: 3_000,
  transactionTimeoutMs: 3_000,
  sourceTopics: ['lines', 'counts'],
};
const RECORDS = 60;
const CALM_AT_MS = 20_000;

const builder = new StreamsBuilder();
builder
  .stream('lines', { key: string(), value: string() })
  .groupBy((_, word) => word)
  .count({ store: 'counts' })
  .toStream()
  .to('counts');
const app = defineApp({ applicationId: 'scene', topology: builder.build(), settings: {} });
export const sceneSubject: Subject = { app, topics: { lines: 2, counts: 2 }, outputs: { counts: 'sequence' } };

/** Words come one after the other, with a pause in the middle in which all members fall asleep. */
function inputs(): Scenario['inputs'] {
  const wallClockMs = new VirtualTime().clock.now();
  return Array.from({ length: RECORDS }, (_, index) => {
    const atMs = index * 100 + (index < RECORDS / 2 ? 0 : SCENE_SIZE.activeMs / 2);
    const value = Buffer.from(`w${index % 7}`);
    return { topic: 'lines', partition: index % 2, key: null, value, atMs, timestampMs: wallClockMs + atMs };
  });
}

export interface SeenEffect {
  readonly atMs: number;
  readonly effect: Effect;
}

export interface SceneRun extends ScenarioRun {
  readonly cloud: Cloud;
  readonly effects: readonly SeenEffect[];
  /** Effects strictly between two moments, as `task#1 log.fetch`; without fetches, which may have been on their way before. */
  between(fromMs: number, toMs: number): readonly string[];
  /** Entries of an event, in order. */
  entries(event: string): readonly TimelineEntry[];
  /** What the one fault of a kind said when it took effect; an error if it took none. */
  fault(kind: string): TimelineEntry;
}

export async function runScene(faults: readonly Fault[], over: Partial<Scenario> = {}): Promise<SceneRun> {
  const effects: SeenEffect[] = [];
  const seen: Cloud[] = [];
  const listen = {
    name: 'listener',
    watch: ({ cloud }: { readonly cloud: Cloud }) => {
      seen.push(cloud);
      cloud.listen((effect) => effects.push({ atMs: cloud.time.nowMs, effect }));
      return {};
    },
  };
  const scenario: Scenario = {
    seed: 7,
    members: SCENE_SIZE.members,
    settings: { ...QUICK_SETTINGS, idleTimeoutMs: 2_000, snapshotMinRecords: 5, snapshotIntervalMs: 500 },
    taskTimeoutMs: 60_000,
    doorbells: true,
    inputs: inputs(),
    faults,
    calmAtMs: CALM_AT_MS,
    ...over,
  };
  const run = await runScenario(sceneSubject, scenario, [listen]);
  const [cloud] = seen;
  if (cloud === undefined) throw new Error('nobody watched');
  const entries = (event: string) => run.timeline.filter((entry) => entry.event === event);
  const fault = (kind: string) => {
    const [first] = run.timeline.filter(({ who, event }) => who === 'fault' && event === kind);
    if (first === undefined) throw new Error(`${kind} took no effect`);
    return first;
  };
  const between = (fromMs: number, toMs: number) =>
    effects
      .filter(({ atMs, effect }) => atMs > fromMs && atMs < toMs && effect.method !== 'fetch')
      .map(({ effect: { process, port, method } }) => `${process.name} ${port}.${method}`);
  return { ...run, cloud, effects, between, entries, fault };
}

/** The last count of each word, as a reader of committed records sees them. */
export async function countsOf({ cloud }: SceneRun): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const ends = await cloud.log.listOffsets(
    [0, 1].map((partition) => ({ topic: 'counts', partition })),
    'earliest',
  );
  for (const partition of [0, 1]) {
    const fromOffset = ends.get(topicPartitionKey({ topic: 'counts', partition }));
    if (fromOffset === undefined) continue;
    const options = { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 1 << 20 } as const;
    const [result] = await cloud.log.fetch([{ topic: 'counts', partition, fromOffset }], options);
    if (result === undefined) continue;
    for (let index = 0; index < result.records.size; index += 1) {
      const key = Buffer.from(result.records.key(index) ?? []).toString();
      counts[key] = Number(Buffer.from(result.records.value(index) ?? []).readBigInt64BE());
    }
  }
  return counts;
}

/** What they have to be. */
export function exactCounts(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { value } of inputs()) {
    const word = Buffer.from(value ?? []).toString();
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}
