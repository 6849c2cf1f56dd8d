import { describe, expect, it } from 'vitest';
import {
  type ByteStore,
  byteKey,
  bytesOfKey,
  customStore,
  defineApp,
  type ProcessorContext,
  type StateStore,
  type StoreContext,
  type StreamRecord,
  string,
  TopologyBuilder,
  TopologyError,
} from '../../../lib/index.js';
import { createStores } from '../../../lib/state/create-stores.js';
import { startTask, texts } from '../task/task-rig.js';

const text = { key: string(), value: string() };

/** Words, each once: tells whether one is new. */
class WordSet implements StateStore {
  readonly name = 'words';
  private readonly bytes: ByteStore;
  private readonly context: StoreContext;

  constructor(bytes: ByteStore, context: StoreContext) {
    this.bytes = bytes;
    this.context = context;
  }

  async add(word: string): Promise<boolean> {
    const key = byteKey(Buffer.from(word, 'utf8'));
    if ((await this.bytes.get(key)) !== null) return false;
    this.bytes.put(key, Buffer.of(1), this.context.timestampMs());
    return true;
  }

  async list(): Promise<string[]> {
    const words: string[] = [];
    for await (const { key } of this.bytes.entries({ from: null, to: null }))
      words.push(Buffer.from(bytesOfKey(key)).toString('utf8'));
    return words;
  }
}

const words = () => customStore({ name: 'words', ...text, open: (bytes, context) => new WordSet(bytes, context) });

function newWords(): TopologyBuilder {
  return new TopologyBuilder()
    .addSource('source', 'in', text)
    .addProcessor<string, string, string, string>(
      'once',
      () => {
        let context: ProcessorContext<string, string>;
        return {
          init(given) {
            context = given;
          },
          async process(record: StreamRecord<string, string>) {
            const isNew = await context.getStateStore<WordSet>('words').add(record.value);
            if (isNew) await context.forward(record);
          },
        };
      },
      { parents: 'source' },
    )
    .addStateStore(words(), 'once')
    .addSink('sink', 'out', { ...text, parents: 'once' });
}

describe('a store of your own kind', () => {
  it('is used by processors, and written to its changelog', async () => {
    const { task, give, commit } = await startTask(newWords());
    give(
      'in',
      ['to', 'be', 'or', 'not', 'to', 'be'].map((value, ts) => ({ value, ts })),
    );
    await task.process(0, 10);
    const { outputs, changelogs } = await commit();

    expect(texts(outputs.get('out-0' as never))).toEqual(['null=to@0', 'null=be@1', 'null=or@2', 'null=not@3']);
    const written = changelogs.get('app-words-changelog-0' as never);
    expect([...(written ?? [])].map(({ key, timestampMs }) => [`${Buffer.from(key ?? [])}`, timestampMs])).toEqual([
      ['to', 0],
      ['be', 1],
      ['or', 2],
      ['not', 3],
    ]);
  });

  it('knows what it has held before', async () => {
    const topology = newWords();
    const stores = createStores([words()]);
    const first = await startTask(topology, { stores });
    first.give('in', [{ value: 'be' }]);
    await first.task.process(0, 10);
    await first.commit();

    const second = await startTask(topology, { stores });
    second.give('in', [{ value: 'be' }, { value: 'not' }]);
    await second.task.process(0, 10);
    const { outputs } = await second.commit();

    expect(texts(outputs.get('out-0' as never))).toEqual(['null=not@0']);
    const bytes = stores.get('words');
    expect(bytes && (await new WordSet(bytes, { timestampMs: () => 0 }).list())).toEqual(['be', 'not']);
  });

  it('is a store of the topology like any other, and refused without a function', () => {
    const app = defineApp({ applicationId: 'app', topology: newWords().build() });

    expect(app.topology.changelogs.get('words')?.topic).toBe('words-changelog');
    expect(() => customStore({ name: 'words', ...text, open: undefined as never })).toThrow(TopologyError);
  });
});
