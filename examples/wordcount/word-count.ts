/** How often each word occurs in the lines: what `npm start` runs here, and functions/app.ts deploys until it is replaced. */
import { defineApp, StreamsBuilder, string } from '../../lib/index.js';

/** The words of a line, as `tr -cs 'A-Za-z0-9_' '\n' | tr 'A-Z' 'a-z'` cuts it. */
function words(line: string): string[] {
  return (line.match(/\w+/g) ?? []).map((word) => word.toLowerCase());
}

const builder = new StreamsBuilder();

builder
  .stream('lines', { key: string(), value: string() })
  .flatMapValues(words)
  .groupBy((_, word) => word)
  .count({ store: 'counts' })
  .toStream()
  .to('counts');

export default defineApp({ applicationId: 'word-count', topology: builder.build() });
