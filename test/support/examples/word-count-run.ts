import wordCount from '../../../examples/wordcount/word-count.js';
import { long, string } from '../../../lib/index.js';
import { textOfWords } from '../text-of-words.js';
import { type ExampleRun, lastByKey, sorted } from './example-run.js';

const counts = { key: string(), value: long() };

export function wordCountRun(): ExampleRun {
  const { lines, counts: wanted } = textOfWords(500, 1);
  return {
    name: 'wordcount',
    app: wordCount,
    topics: ['lines', 'counts'],
    input: (streams) =>
      streams.append(
        'lines',
        { key: string(), value: string() },
        lines.map((value, index) => ({ key: `line-${index}`, value })),
      ),
    output: async (streams) =>
      lastByKey((await streams.read('counts', counts)).map(({ key, value }) => ({ key: String(key), value }))),
    wanted: sorted(wanted),
  };
}
