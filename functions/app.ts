/** The application that this deployment runs: how often each word occurs in the lines. The one file an operator edits. */
import { defineApp, StreamsBuilder, string } from '../lib/index.js';

const builder = new StreamsBuilder();

builder
  .stream('lines', { key: string(), value: string() })
  .flatMapValues((line) => line.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  .groupBy((_, word) => word, { name: 'by-word' })
  .count({ store: 'counts' })
  .toStream()
  .to('counts');

export default defineApp({ applicationId: 'wordcount', topology: builder.build() });
