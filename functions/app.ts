/**
 * What this deployment runs, and what of it may be read from outside: the one file an operator edits. Put your own in place of the
 * word count, `export default defineApp({ applicationId: 'orders', topology: builder.build(), settings: { … } })`; everything
 * else here, the examples and the tests stay as they are. `npm run package` checks it.
 */
import wordCount from '../examples/wordcount/word-count.js';

export default wordCount;

/** Stores that the query function answers from: `GET /stores/{store}/{key}`. It refuses any other. */
export const queryStores: readonly string[] = ['counts'];
