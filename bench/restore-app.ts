import { defineApp, type StreamsApp, StreamsBuilder, settingsFromText, string } from '../lib/index.js';
import { SNAPSHOTS_OFF } from '../lib/model/settings.js';

/** The table of latest values whose restore is timed; bench/peers/KafkaStreamsRestore.java is the same for Kafka Streams. */
export function restoreApp(of: {
  readonly applicationId: string;
  readonly input: string;
  readonly tasks: number;
  readonly storeMode: 'resident' | 'lazy';
}): StreamsApp {
  const builder = new StreamsBuilder();
  builder
    .stream(of.input, { key: string(), value: string() })
    .groupByKey()
    .reduce((_, value) => value, { store: STORE });
  return defineApp({
    applicationId: of.applicationId,
    topology: builder.build(),
    settings: settingsFromText({
      'processing.guarantee': 'exactly_once_v2',
      'commit.interval.ms': '100',
      'auto.offset.reset': 'earliest',
      'num.stream.threads': String(of.tasks),
      'millrace.idle.timeout.ms': '0',
      'millrace.store.mode': of.storeMode,
      'millrace.snapshot.min.records': String(SNAPSHOTS_OFF), // the bench writes them, the same for every run
    }),
  });
}

export const STORE = 'latest';
