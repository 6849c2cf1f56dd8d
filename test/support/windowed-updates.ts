/** Windowed tables driven record by record, with their updates and stores as text. */
import {
  defineApp,
  type KGroupedStream,
  type KTable,
  nullable,
  type SettingsInput,
  StreamsBuilder,
  session,
  string,
  timeWindowedSerde,
  tumbling,
  type Windowed,
} from '../../lib/index.js';
import { TopologyTestDriver } from '../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };
export type Grouped = KGroupedStream<string, string | null>;
export type Input = readonly [key: string | null, value: string | null, timestampMs: number];

const uncached: SettingsInput = { statestoreCacheMaxBytes: 0 };
export const TEN = tumbling({ size: 10, grace: 5 });
export const PAUSE = session({ inactivityGap: 5, grace: 10 });

export function grouped(builder: StreamsBuilder): Grouped {
  return builder.stream('in', { key: string(), value: nullable(string()) }).groupByKey();
}

export async function drive(builder: StreamsBuilder, settings: SettingsInput = uncached): Promise<TopologyTestDriver> {
  return TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build(), settings }));
}

export async function pipe(driver: TopologyTestDriver, inputs: readonly Input[]): Promise<void> {
  for (const [key, value, timestampMs] of inputs) await driver.pipeInput('in', { key, value, timestampMs });
}

export function shown({ key, window }: Windowed<unknown>): string {
  return `${key}@${window.startMs}-${window.endMs}`;
}

export async function listed<K, V>(entries: AsyncIterable<{ readonly key: K; readonly value: V }>) {
  const list: { readonly key: K; readonly value: V }[] = [];
  for await (const { key, value } of entries) list.push({ key, value });
  return list;
}

/** Drives a table's updates to a topic: `key@start-end=value@timestamp`. */
export async function updates(
  make: (grouped: Grouped) => KTable<Windowed<string>, string | number>,
  inputs: readonly Input[],
  key = timeWindowedSerde(string(), 10),
): Promise<readonly string[]> {
  const builder = new StreamsBuilder();
  (make(grouped(builder)) as KTable<Windowed<string>, string>)
    .mapValues((value) => `${value}`, text)
    .toStream()
    .to('out');
  const driver = await drive(builder);
  await pipe(driver, inputs);
  return driver
    .readOutputs('out', { key, value: string() })
    .map((record) => `${shown(record.key)}=${record.value}@${record.timestampMs}`);
}
