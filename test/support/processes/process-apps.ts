/** The applications that members in processes of their own can run: each process defines them again, by name. */
import wordCount from '../../../examples/wordcount/word-count.js';
import { StreamsBuilder, string } from '../../../lib/index.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import { defineApp, type StreamsApp } from '../../../lib/topology/app.js';

/** Input and output of `keyed-count`: task n reads partition n and, for keys of that partition, writes to it. */
export const keyedCountTopics = (applicationId: string) => ({
  input: `${applicationId}-events`,
  output: `${applicationId}-totals`,
});

const topologies = {
  'word-count': () => wordCount.topology,
  /** Counts by key, without a repartition topic: what comes of a task is seen on one partition of the output. */
  'keyed-count': (applicationId: string) => {
    const { input, output } = keyedCountTopics(applicationId);
    const builder = new StreamsBuilder();
    builder
      .stream(input, { key: string(), value: string() })
      .groupByKey()
      .count({ store: 'counts' })
      .toStream()
      .to(output);
    return builder.build();
  },
};

export type ProcessTopology = keyof typeof topologies;

export function processApp(topology: ProcessTopology, applicationId: string, settings: SettingsInput): StreamsApp {
  return defineApp({ applicationId, topology: topologies[topology](applicationId), settings });
}
