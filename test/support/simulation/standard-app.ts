/** An application with a bit of everything that can go wrong: repartition topics, counts, a table, stores of users' own, one of them windowed, timers. */
import {
  defineApp,
  type KeyValueStore,
  keyValueStore,
  long,
  type ProcessorContext,
  type SettingsInput,
  StreamRecord,
  type StreamsApp,
  StreamsBuilder,
  string,
} from '../../../lib/index.js';
import { countingRecent, eventTime, recentStore } from './recent-events.js';

export const WORD_PARTITIONS = 3;
export const OTHER_PARTITIONS = 2;

/** By name on the broker, with their partitions. */
export const SOURCE_TOPICS = { lines: WORD_PARTITIONS, profiles: OTHER_PARTITIONS, events: OTHER_PARTITIONS };
export const SINK_TOPICS = {
  counts: WORD_PARTITIONS,
  cities: WORD_PARTITIONS,
  numbered: OTHER_PARTITIONS,
  recent: OTHER_PARTITIONS,
  ticks: 1,
};

const TICKS = '(ticks)';

/** Numbers the records of each key, and its own wall-clock punctuations: every number of each is forwarded once. */
function numbering(tickMs: number) {
  return () => {
    let context: ProcessorContext<string, number>;
    let store: KeyValueStore<string, number>;
    const next = async (key: string) => {
      const number = ((await store.get(key)) ?? 0) + 1;
      await store.put(key, number);
      return number;
    };
    return {
      init(given: ProcessorContext<string, number>) {
        context = given;
        store = given.getStateStore('numbers');
        context.schedule(tickMs, 'wallClockTime', async (timestampMs) => {
          const value = await next(TICKS);
          await context.forward(StreamRecord.of({ key: `${TICKS}${context.taskId}`, value, timestampMs }));
        });
      },
      async process(record: StreamRecord<string, string>) {
        await context.forward(record.withValue(await next(record.key)));
      },
      async close() {
        await store.put('(closed)', 1); // must never be seen anywhere
      },
    };
  };
}

/** @param profilesConfig of the changelog of profiles, which are deleted now and then */
export function standardApp(
  settings: SettingsInput,
  tickMs: number,
  profilesConfig: Readonly<Record<string, string>> = {},
): StreamsApp {
  const text = { key: string(), value: string() };
  const builder = new StreamsBuilder();
  builder
    .stream('lines', text)
    .flatMapValues((line) => line.split(' '))
    .groupBy((_, word) => word)
    .count({ store: 'counts' })
    .toStream()
    .to('counts');
  builder
    .table('profiles', { ...text, store: 'profiles', changelogConfig: profilesConfig })
    .groupBy((name, city) => [city, name] as const, { key: string(), value: string(), name: 'by-city' })
    .count({ store: 'cities' })
    .toStream()
    .to('cities');
  builder.addStateStore(keyValueStore({ name: 'numbers', key: string(), value: long() }));
  builder.addStateStore(recentStore());
  const events = builder.stream('events', { ...text, timestampExtractor: eventTime });
  events.process(countingRecent(), { stores: ['recent'], key: string(), value: long() }).to('recent');
  const numbered = events.process(numbering(tickMs), { stores: ['numbers'], key: string(), value: long() });
  numbered.filter((key) => !key.startsWith(TICKS)).to('numbered');
  numbered.filter((key) => key.startsWith(TICKS)).to('ticks');
  return defineApp({ applicationId: 'stress', topology: builder.build(), settings });
}
