/** What each electricity meter has measured in each hour: one final figure, once no reading can change it any more. */
import { defineApp, long, StreamsBuilder, string, timeWindowedSerde, tumbling } from '../../lib/index.js';

/** Watt-hours since the reading before, by meter. */
export const readings = { key: string(), value: long() };
export const usage = { key: timeWindowedSerde(string(), '1h'), value: long() };

const builder = new StreamsBuilder();

builder
  .stream('readings', readings)
  .groupByKey()
  .windowedBy(tumbling({ size: '1h', grace: '5m' })) // readings may come five minutes late
  .emitStrategy('onWindowClose')
  .reduce((sum, reading) => sum + reading, { store: 'usage' })
  .toStream()
  .to('usage-per-hour');

export default defineApp({ applicationId: 'usage-per-hour', topology: builder.build() });
